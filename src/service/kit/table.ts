import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { icon } from './icon.ts';
import type { PageRequest } from './page-request.ts';

export type Column<Row> = {
  readonly head: string;
  cell(row: Row): Html;
  /** The class of its cells, by which the stylesheet lays a row out, such as `number`. */
  readonly is?: string;
  /** Who or what the row is about: its link covers the row. */
  readonly name?: true;
  /** A link that sorts by it, and how it is sorted now. */
  readonly sort?: { readonly href: string; readonly order?: 'ascending' | 'descending' } | undefined;
  /** Figures and times: aligned at the end. */
  readonly end?: true;
};

/**
 * A table with its caption, or `empty` without rows. With a `kind`, which has its columns in the stylesheet, each row is
 * one target, and its cells are arranged differently on a narrow screen; roles keep it a table for screen readers.
 * Without one it is a plain table, which scrolls sideways.
 */
export function table<Row>({
  kind,
  caption,
  columns,
  columnsOf = () => columns,
  rows,
  key,
  moved,
  rowClass,
  day,
  heads = 'shown',
  empty,
}: {
  kind?: string;
  caption: string;
  columns: readonly Column<Row>[];
  /** Those of one row, if it has other ones. */
  columnsOf?: (row: Row) => readonly Column<Row>[];
  rows: readonly Row[];
  /** What a row stays known by when a list is renewed (see client/keep-live.ts). */
  key?: (row: Row) => string;
  /** The only rows that client/keep-live.ts wants; of the others only the key. */
  moved?: ReadonlySet<string> | null;
  rowClass?: (row: Row) => string | undefined;
  /** A line above the first row of each day, or of whatever else; '' for none. */
  day?: (row: Row) => string;
  heads?: 'shown' | 'unseen';
  empty: Html;
}): Html {
  if (rows.length === 0) return empty && html`<p class="empty">${empty}</p>`;
  const role = (name: string) => kind && name;
  const classOf = ({ is, name, end }: Column<Row>) =>
    [is, name && 'name', end && 'end'].filter(Boolean).join(' ') || undefined;
  const cell = (column: Column<Row>, row: Row) =>
    column.name
      ? html`<th scope="row" role=${role('rowheader')} class=${classOf(column)}>${column.cell(row)}</th>`
      : html`<td role=${role('cell')} class=${classOf(column)}>${column.cell(row)}</td>`;
  const dayRow = (row: Row, before: Row | undefined) => {
    const text = day?.(row) ?? '';
    return (
      text !== '' &&
      text !== (before && day?.(before)) &&
      html`<tr class="day" role=${role('row')} data-key=${`day ${text}`}><th colspan=${columns.length} role=${role('cell')}>${text}</th></tr>`
    );
  };
  const whole = html`<table class=${kind ? `rows ${kind}` : 'plain'} role=${role('table')}>
    <caption class="unseen">${caption}</caption>
    <thead class=${heads === 'unseen' && 'unseen'} role=${role('rowgroup')}><tr role=${role('row')}>${columns.map((column) => (column.head === '' ? html`<td role=${role('cell')} class=${classOf(column)}></td>` : html`<th scope="col" role=${role('columnheader')} class=${[column.is, column.end && 'end'].filter(Boolean).join(' ') || undefined} aria-sort=${column.sort?.order}>${column.sort ? html`<a href=${column.sort.href}>${column.head}</a>` : column.head}</th>`))}</tr></thead>
    <tbody role=${role('rowgroup')}>${rows.map((row, index) => {
      const id = key?.(row);
      if (moved && id !== undefined && !moved.has(id))
        return html`${dayRow(row, rows[index - 1])}<tr data-key=${id}></tr>`;
      return html`${dayRow(row, rows[index - 1])}<tr role=${role('row')} class=${rowClass?.(row)} data-key=${id}>${columnsOf(row).map((column) => cell(column, row))}</tr>`;
    })}</tbody>
  </table>`;
  return kind
    ? whole
    : html`<div class="wide" role="region" aria-label=${caption} tabindex="0">${whole}</div>`;
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
    ${newer === undefined ? html`<span></span>` : html`<a class="button" rel="prev" href=${newer}>${icon('chevron-left')}${back}</a>`}
    ${older !== undefined && html`<a class="button" rel="next" href=${older}>${on}</a>`}
  </nav>`;
}

/** A page of a list by its number in the address, such as `?users=2`, or the page that has this row. */
export function numberedPage(
  { query, words: { kit } }: Pick<PageRequest, 'query' | 'words'>,
  path: string,
  name: string,
  perPage: number,
  row = -1,
) {
  const asked = /^[1-9]\d{0,5}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : 1;
  const number = row < 0 ? asked : Math.floor(row / perPage) + 1;
  const address = (to: number) =>
    to === 1 ? path : `${path}?${new URLSearchParams({ [name]: String(to) })}`;
  return {
    /** How many rows are on the pages before. */
    skipped: (number - 1) * perPage,
    links: (isMore: boolean): Html =>
      pager(kit, {
        newer: number > 1 ? address(number - 1) : undefined,
        older: isMore ? address(number + 1) : undefined,
        labels: [kit.previous, kit.next],
      }),
  };
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
        html`<p class="notice" role="status">${kit.searched(formats.dateTime(next.at))} <a href=${link(towards, next)}>${kit.continueSearching}</a></p>`
      }
      ${pager(kit, { newer: link('newer', newer), older: stopped && towards === 'older' ? undefined : link('older', older) })}`,
  };
}
