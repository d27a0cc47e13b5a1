import { type Html, html } from '../words/html.ts';
import { displayText } from './display-text.ts';

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
