import { scaleBand, scaleLinear } from 'd3-scale';
import { type Html, html } from '../words/html.ts';
import { displayText } from './display-text.ts';

/**
 * Charts as inline SVG: no script is needed, colours from the stylesheet follow the theme and the printer, and no inline
 * style conflicts with the Content-Security-Policy. Horizontal positions are in per cent, so that a chart fills any width
 * while its text keeps its size. The keyboard and screen readers use the table below, which has the same figures and
 * links; client/chart.js shows the values of a bar under the pointer or finger.
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
};

const HEIGHT = 180;
const LABELS = 24;
/** Number of labels that fit under a chart on an office PC and at 320 px. */
const FIT = { desk: 16, narrow: 5 };
/** Possible numbers of bars per label: round for hours, days and months. */
const labelSteps = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 168];

type Kind = { readonly name: string; readonly style: string };

/** Stacked bars. `kinds` are the parts of each bar, with the class that colours them. */
export function barChart(
  {
    label,
    kinds,
    ticks: ticksOf = wholeTicks,
    tick = String,
  }: {
    label: string;
    kinds: readonly Kind[];
    ticks?: (most: number) => number[];
    tick?: (value: number) => string;
  },
  bars: readonly Bar[],
): Html {
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const ticks = ticksOf(Math.max(...sums, 0));
  const y = scaleLinear([0, ticks.at(-1) ?? 1], [HEIGHT, 0]);
  const x = scaleBand(bars.keys(), [0, 100]).padding(bars.length > 60 ? 0.1 : 0.25);
  const every = (fit: number) => labelSteps.find((bar) => bar * fit >= bars.length) ?? bars.length;
  const [desk, narrow] = [every(FIT.desk), every(FIT.narrow)];
  const labelled = (index: number) => (index % narrow ? 'desk' : index % desk ? 'narrow' : undefined);
  const px = (value: number) => String(Math.round(value * 100) / 100);
  const percent = (value: number) => `${px(value)}%`;
  return html`<figure class="chart" aria-label=${label}>
    <figcaption>${kinds.map(({ name, style }) => html`<span class=${`key ${style}`}>${name}</span>`)}<span class="value" aria-hidden="true"></span></figcaption>
    <div class="plot">
      <svg class="axis" width="44" height=${HEIGHT + LABELS} aria-hidden="true">
        ${ticks.map((value) => html`<text x="38" y=${px(y(value) + 4)} text-anchor="end">${tick(value)}</text>`)}
      </svg>
      <svg class="bars" width="100%" height=${HEIGHT + LABELS} aria-hidden="true">
        ${ticks.map((value) => html`<line class="grid" x1="0" x2="100%" y1=${px(y(value))} y2=${px(y(value))} />`)}
        ${bars.map((bar, index) => {
          const left = x(index) ?? 0;
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
            ${
              (index % desk === 0 || index % narrow === 0) &&
              html`<text class=${labelled(index)} x=${percent(left + x.bandwidth() / 2)} y=${HEIGHT + 17} text-anchor="middle">${bar.short}</text>`
            }
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

/** Customary steps, in seconds. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];

/** Evenly spaced seconds up to `most` or just above. */
export function timeTicks(most: number): number[] {
  const step = timeSteps.find((seconds) => seconds * 4 >= most) ?? 3600 * Math.ceil(most / 4 / 3600);
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
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
const SHADES = 5;

/**
 * Calls by day and hour, shaded by their number, with the missed ones below. `heads`: of its columns; `open`: the first
 * one that a narrow window shows (see client/chart.js).
 */
export function heatTable(
  caption: string,
  corner: string,
  heads: readonly string[],
  rows: readonly HeatRow[],
  open: number,
): Html {
  const most = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ calls }) => calls)));
  return html`<div class="table heat" role="region" aria-label=${caption} tabindex="0">
    <table>
      <caption class="unseen">${caption}</caption>
      <thead><tr><th scope="col">${corner}</th>${heads.map((head, at) => html`<th scope="col" class="numeric" data-open=${at === open || undefined}>${head}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ label, cells }) =>
          html`<tr><th scope="row">${displayText(label, 40)}</th>${cells.map(
            ({ calls, missed, title, href }) => {
              const figures = html`${calls}${missed > 0 && html` <small title=${title}>${missed}</small>`}`;
              return html`<td class=${`shade-${Math.ceil((calls / most) * SHADES)}`} title=${title}>${calls > 0 && (href ? html`<a href=${href}>${figures}</a>` : figures)}</td>`;
            },
          )}</tr>`,
      )}</tbody>
    </table>
  </div>`;
}
