import { scaleBand, scaleLinear } from 'd3-scale';
import { type Html, html } from '../words/html.ts';
import { displayText } from './display-text.ts';

/**
 * Charts as inline SVG: no script is needed, colours from the stylesheet follow the theme and the printer, and no inline
 * style conflicts with the Content-Security-Policy. Horizontal positions are in per cent, so that a chart fills any width
 * while its text keeps its size. The keyboard and screen readers use the table below, which has the same figures and
 * links; client/show-bar-values.ts shows the values of a bar under the pointer or finger.
 */
type Bar = {
  /** The label under the bar. */
  readonly short: string;
  /** The tooltip. */
  readonly title: string;
  /** Where the bar leads. */
  readonly href?: string;
  /** From bottom to top, one per kind. */
  readonly parts: readonly number[];
  /** Written below the bar, where they fit: all, and the missed. */
  readonly numbers: readonly [string, string];
};

const HEIGHT = 180;
/** Below the bars: two rows of numbers and the labels. */
const ROW = 16;
const BELOW = 3.5 * ROW;
/** Number of labels that fit under a chart on an office PC and at 320 px; and its least width there, px. */
const FIT = { desk: 16, narrow: 5 };
const WIDTH = { desk: 640, narrow: 240 };
/** Of a digit and between two numbers, px. */
const [DIGIT, GAP] = [7.5, 5];
/** Possible numbers of bars per label: round for hours, days and months. */
const labelSteps = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 168];

type Kind = { readonly name: string; readonly style: string };

/**
 * Stacked bars with their numbers below, or with an axis where those do not fit: in a narrow window, or in all of them.
 * `kinds` are the parts of each bar, with the class that colours them.
 */
export function barChart(
  { label, kinds }: { label: string; kinds: readonly Kind[] },
  bars: readonly Bar[],
): Html {
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const ticks = wholeTicks(Math.max(...sums, 0));
  const y = scaleLinear([0, ticks.at(-1) ?? 1], [HEIGHT, 0]);
  const x = scaleBand(bars.keys(), [0, 100]).padding(bars.length > 60 ? 0.1 : 0.25);
  const every = (fit: number) => labelSteps.find((bar) => bar * fit >= bars.length) ?? bars.length;
  const [desk, narrow] = [every(FIT.desk), every(FIT.narrow)];
  const labelled = (index: number) => (index % narrow ? 'desk' : index % desk ? 'narrow' : undefined);
  const longest = Math.max(0, ...bars.map(({ numbers }) => numbers[0].length));
  const needed = bars.length * (longest * DIGIT + GAP);
  const numbered = needed <= WIDTH.narrow ? 'everywhere' : needed <= WIDTH.desk ? 'wide' : 'nowhere';
  const px = (value: number) => String(Math.round(value * 100) / 100);
  const percent = (value: number) => `${px(value)}%`;
  const height = HEIGHT + BELOW;
  const used = kinds.filter((_, kind) => bars.some(({ parts }) => (parts[kind] ?? 0) > 0));
  return html`<figure class=${`chart numbers-${numbered}`} aria-label=${label}>
    <figcaption><b>${label}</b>${used.map(({ name, style }) => html`<span class=${`key ${style}`}>${name}</span>`)}<span class="value" aria-hidden="true"></span></figcaption>
    <div class="plot">
      <svg class="axis" width="44" height=${height} aria-hidden="true">
        ${ticks.map((value) => html`<text x="38" y=${px(y(value) + 4)} text-anchor="end">${value}</text>`)}
      </svg>
      <svg class="bars" width="100%" height=${height} aria-hidden="true">
        ${ticks.map((value, at) => html`<line class=${at > 0 ? 'grid' : 'ground'} x1="0" x2="100%" y1=${px(y(value))} y2=${px(y(value))} />`)}
        ${bars.map((bar, index) => {
          const left = x(index) ?? 0;
          const middle = percent(left + x.bandwidth() / 2);
          const text = (content: string, row: number, style: string | undefined) =>
            html`<text class=${style} x=${middle} y=${HEIGHT + ROW * row + 1} text-anchor="middle">${content}</text>`;
          let top = 0;
          return html`<a href=${bar.href} tabindex="-1">
            <title>${bar.title}</title>
            <rect class="hit" x=${percent(index * (100 / bars.length))} width=${percent(100 / bars.length)} y="0" height=${HEIGHT} />
            ${bar.parts.map((part, kind) => {
              const bottom = top;
              top += part;
              return (
                part > 0 &&
                html`<rect class=${kinds[kind]?.style} x=${percent(left)} width=${percent(x.bandwidth())} y=${px(y(top))} height=${px(y(bottom) - y(top))} />`
              );
            })}
            ${numbered !== 'nowhere' && bar.numbers.map((number, row) => number !== '' && text(number, row + 1, `number ${kinds[row]?.style}`))}
            ${(index % desk === 0 || index % narrow === 0) && text(bar.short, 3, `short ${labelled(index) ?? ''}`)}
          </a>`;
        })}
      </svg>
    </div>
  </figure>`;
}

/** Evenly spaced whole numbers up to `most` or just above. */
function wholeTicks(most: number): number[] {
  const ticks = scaleLinear([0, Math.max(1, most)], [0, 1])
    .nice(4)
    .ticks(4);
  return ticks.filter((value) => Number.isInteger(value));
}

type HeatRow = {
  readonly label: string;
  readonly cells: readonly {
    readonly calls: number;
    readonly missed: number;
    readonly title: string;
    readonly href?: string | undefined;
  }[];
};

/** Shades beside that of none. */
const SHADES = 4;

/**
 * Calls by day and hour, shaded by their number, with the missed ones below. `heads`: of its columns; `open`: the first
 * one that a narrow window shows (see client/show-bar-values.ts).
 */
export function heatTable(
  caption: string,
  corner: string,
  heads: readonly string[],
  rows: readonly HeatRow[],
  open: number,
): Html {
  const most = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ calls }) => calls)));
  return html`<figure><figcaption><b>${caption}</b></figcaption><div class="wide" role="region" aria-label=${caption} tabindex="0">
    <table class="heat">
      <caption class="unseen">${caption}</caption>
      <thead><tr><th scope="col">${corner}</th>${heads.map((head, at) => html`<th scope="col" class="numeric" data-open=${at === open || undefined}>${head}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ label, cells }) =>
          html`<tr><th scope="row">${displayText(label, 40)}</th>${cells.map(
            ({ calls, missed, title, href }) => {
              const figures = html`${calls}${missed > 0 && html` <small title=${title}>${missed}</small>`}`;
              return html`<td class=${calls > 0 && `h${Math.ceil((calls / most) * SHADES)}`} title=${title}>${calls > 0 && (href ? html`<a href=${href}>${figures}</a>` : figures)}</td>`;
            },
          )}</tr>`,
      )}</tbody>
    </table>
  </div></figure>`;
}
