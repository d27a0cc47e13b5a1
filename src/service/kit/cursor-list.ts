import { html } from '../words/html.ts';
import type { PageRequest } from './page-request.ts';
import { pager } from './table.ts';

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
