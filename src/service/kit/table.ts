import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';

export type Column<Row> = {
  readonly head: string;
  cell(row: Row): Html;
  /** A link that sorts by it, and how it is sorted now. */
  readonly sort?: { readonly href: string; readonly order?: 'ascending' | 'descending' } | undefined;
  /** Figures: aligned right. */
  readonly numeric?: true;
  /** Hidden on narrow screens; the row's own page shows it too. */
  readonly wide?: true;
};

/**
 * A table with its caption, or `empty` without rows. `stacked`: on narrow screens each row becomes several lines, the
 * second cell first; the roles keep it a table for screen readers.
 */
export function table<Row>({
  caption,
  columns,
  rows,
  key,
  empty,
  stacked,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What a row stays known by when a list is renewed (see client/live-parts.js). */
  key?: (row: Row) => string;
  empty: Html;
  stacked?: true;
}): Html {
  const role = (name: string) => stacked && name;
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const classOf = ({ numeric, wide }: Column<Row>) =>
    [numeric && 'numeric', wide && 'wide'].filter(Boolean).join(' ') || undefined;
  return html`<div class=${stacked ? 'table stacked' : 'table'} role="region" aria-label=${caption} tabindex="0">
    <table role=${role('table')}>
      <caption class="unseen">${caption}</caption>
      <thead role=${role('rowgroup')}><tr role=${role('row')}>${columns.map((column) => html`<th scope="col" role=${role('columnheader')} class=${classOf(column)} aria-sort=${column.sort?.order}>${column.sort ? html`<a class="sort" href=${column.sort.href}>${column.head}</a>` : column.head}</th>`)}</tr></thead>
      <tbody role=${role('rowgroup')}>${rows.map(
        (row) =>
          html`<tr role=${role('row')} data-key=${key?.(row)}>${columns.map((column) => html`<td role=${role('cell')} class=${classOf(column)}>${column.cell(row)}</td>`)}</tr>`,
      )}</tbody>
    </table>
  </div>`;
}

/** Links to the previous and next page, if any. `labels`: what they say. */
export function pager(
  kit: Words['kit'],
  {
    newer,
    older,
    labels: [back, on] = [kit.newer, kit.older],
  }: {
    newer?: string | undefined;
    older?: string | undefined;
    labels?: readonly [string, string];
  },
): Html {
  if (newer === undefined && older === undefined) return null;
  return html`<nav class="pager" aria-label=${kit.pages}>
    ${newer === undefined ? html`<span></span>` : html`<a rel="prev" href=${newer}>← ${back}</a>`}
    ${older !== undefined && html`<a rel="next" href=${older}>${on} →</a>`}
  </nav>`;
}
