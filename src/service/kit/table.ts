import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { PageRequest } from './page-request.ts';

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

/** A place in a list; the newest of equal times has the highest id. */
type Cursor = { readonly at: number; readonly id: number };

/** A cursor in an address: `1763625600000.17`. */
export const cursorText = ({ at, id }: Cursor): string => `${at}.${id}`;

export function cursorIn(text: string | null): Cursor | null {
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? '') ?? [];
  return at === undefined ? null : { at: Number(at), id: Number(id) };
}

type Direction = 'older' | 'newer';

/** A page of a list, newest first, that starts at the cursor in the address; `read` returns what CallStore.page does. */
export async function cursorList<Row>(
  { query, formats, words: { kit } }: Pick<PageRequest, 'query' | 'formats' | 'words'>,
  perPage: number,
  read: (
    towards: Direction,
    from: Cursor | null,
  ) => Promise<{ rows: readonly Row[]; next: Cursor | null; back: Cursor | null }>,
  address: (also: Record<string, string>) => string,
) {
  const towards = query.has('newer') ? 'newer' : 'older';
  const from = cursorIn(query.get(towards));
  let page = await read(towards, from);
  const onTop = towards === 'newer' && page.next === null;
  if (onTop) page = await read('older', null); // the newest page is always full
  const { rows, next, back } = page;
  const [older, newer] = towards === 'older' || onTop ? [next, back] : [back, next];
  const link = (name: Direction, place: Cursor | null) =>
    place === null ? undefined : address({ [name]: cursorText(place) });
  const stopped = next !== null && rows.length < perPage;
  return {
    rows,
    isNewest: towards === 'older' && from === null,
    /** Nothing is found so far, and there is more to search. */
    isSearching: stopped && rows.length === 0,
    links: html`
      ${
        stopped &&
        html`<p class="notice" role="status">${
          towards === 'older'
            ? kit.searchedBack(formats.dateTime(next.at))
            : kit.searchedForward(formats.dateTime(next.at))
        } <a href=${link(towards, next)}>${kit.continueSearching}</a></p>`
      }
      ${pager(kit, { newer: link('newer', newer), older: stopped && towards === 'older' ? undefined : link('older', older) })}`,
  };
}
