import { limits } from '../../shared/api/contract/decisions.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import type { Serialise } from '../store/statements.ts';
import {
  type HistoryHit,
  type HistoryHits,
  type HistoryReader,
  type HistorySlice,
  isText,
} from './history-reader.ts';
import type { HistoryCursor, HistoryOrder, RequestStore, StoredRequest } from './request-store.ts';

/** Entries per chunk. */
const CHUNK = 200;
/** Payload of a chunk of entries, characters: each client that reads slowly holds one. */
export const CHUNK_SIZE = 500_000;
/** Rows read for a page if an index has found some of its entries already: a few ms. */
const QUICK_ROWS = 2_000;

type Query = Parameters<RequestStore['all']>[0] & Pick<HistorySlice, 'filter'>;

/** What pages are read with. `rows`: how many a slice of a text search and a step to a later page read. */
type Paging = {
  readonly reader: HistoryReader;
  readonly serialise: Serialise;
  readonly rows: { readonly text: number; readonly skip: number };
  readonly clock: () => number;
};

/** Pages, searches and the whole history, from slices. `rows`: see Paging. */
export function historyPaging(
  reader: HistoryReader,
  serialise: Serialise,
  rows: Paging['rows'],
  clock: () => number = monotonicMs,
): Pick<RequestStore, 'page' | 'textPage' | 'all' | 'search'> {
  const paging: Paging = { reader, serialise, rows, clock };
  return {
    page: (query) => readPage(query, paging),
    textPage: (query) => readTextPage(query, paging),
    async search({ after, limit, ...query }) {
      const { hits, next } = await collect(query, after, limit, withinTime(paging), paging);
      return { entries: (await Array.fromAsync(entriesOf(query.account, hits, paging))).flat(), next };
    },
    async *all(query) {
      for await (const { hits } of slices(query, null, CHUNK, paging))
        yield* entriesOf(query.account, hits, paging);
    },
  };
}

async function readPage(
  { account, order, offset, limit }: Parameters<RequestStore['page']>[0],
  paging: Paging,
): ReturnType<RequestStore['page']> {
  const { reader, serialise, rows } = paging;
  const lastId = await reader.lastId(); // first: it waits for what was answered before
  const total = await reader.total(account);
  const slice = { account, search: null, order, lastId };
  let after: HistoryCursor | null = null;
  for (let left = Math.min(offset, total); left > 0; left -= rows.skip) {
    const step: HistorySlice = { ...slice, after, rows: Math.min(left, rows.skip) };
    after = await serialise(() => reader.skip(step));
  }
  const hits = offset < total ? (await reader.slice({ ...slice, after, rows: limit })).hits : [];
  return { count: hits.length, chunks: entriesOf(account, hits, paging), total };
}

/**
 * Two ways find the matches: reading every text from `searched` on, and the indexes, which find those that name the
 * term at once. A page has what reading has found, then what the indexes have found ahead of it. Reading comes to
 * the latter on a later page, where those up to `given` are left out.
 */
async function readTextPage(
  { offset, limit, from, ...query }: Parameters<RequestStore['textPage']>[0],
  paging: Paging,
): ReturnType<RequestStore['textPage']> {
  const { account, order, search } = query;
  const most = offset + limit;
  const { searched, given } = from ?? { searched: null, given: null };
  const byIndex =
    search.in === 'request'
      ? await named({ ...query, term: search.term }, given ?? searched, most, paging.reader)
      : [];
  const quickly = (slices: number) => slices * paging.rows.text < QUICK_ROWS;
  const wasGiven = (hit: HistoryHit) => hit.named && given !== null && !isAfter(hit, given, order);
  const { hits, next } = await collect(
    query,
    searched,
    most,
    byIndex.length > 0 ? quickly : withinTime(paging),
    paging,
    (hit) => !wasGiven(hit),
  );
  const isAhead = (cursor: HistoryCursor) => next !== null && isAfter(cursor, next, order);
  const ahead = byIndex.filter(isAhead).slice(0, most - hits.length);
  const all = [...hits, ...ahead];
  const page = all.slice(offset);
  return {
    count: page.length,
    passed: all.length,
    chunks: entriesOf(account, page, paging),
    next: next && {
      searched: next,
      given: ahead.at(-1) ?? (given !== null && isAhead(given) ? given : null),
    },
  };
}

/** `few`: how many rows a slice has that an index finds. */
async function* slices(
  { account, search, filter, order, signal }: Query,
  from: HistoryCursor | null,
  few: number,
  { reader, serialise, rows }: Paging,
): AsyncGenerator<HistoryHits> {
  const size = isText(search) || filter ? rows.text : few;
  const lastId = await reader.lastId();
  let after = from;
  do {
    const slice: HistorySlice = { account, search, filter, order, after, lastId, rows: size };
    const hits: HistoryHits = await serialise(() => reader.slice(slice));
    signal?.throwIfAborted();
    yield hits;
    after = hits.next;
  } while (after !== null);
}

/** The first `most` entries that match, or those that are found until `goesOn` says no; and where to go on. */
async function collect(
  query: Query,
  from: HistoryCursor | null,
  most: number,
  goesOn: (slices: number) => boolean,
  paging: Paging,
  counts: (hit: HistoryHit) => boolean = () => true,
): Promise<HistoryHits> {
  const collected: HistoryHit[] = [];
  let read = 0;
  for await (const { hits, next } of slices(query, from, most + 1, paging)) {
    collected.push(...hits.filter(counts));
    read += 1;
    if (collected.length > most) return { hits: collected.slice(0, most), next: collected[most - 1] ?? from };
    if (next === null || collected.length === most || !goesOn(read)) return { hits: collected, next };
  }
  return { hits: collected, next: null };
}

function withinTime({ clock }: Paging): () => boolean {
  const end = clock() + limits.searchMs;
  return () => clock() < end;
}

/** The first entries that name a term, by the indexes. */
async function named(
  { account, order, term }: Query & { readonly term: string },
  after: HistoryCursor | null,
  most: number,
  reader: HistoryReader,
): Promise<HistoryCursor[]> {
  const lastId = await reader.lastId();
  const byId = new Map<number, HistoryCursor>();
  for (const kind of ['call', 'number'] as const) {
    const slice = { account, search: { in: kind, term }, order, after, lastId, rows: most };
    for (const hit of (await reader.slice(slice)).hits) byId.set(hit.id, hit);
  }
  return [...byId.values()].sort((a, b) => (isAfter(a, b, order) ? 1 : -1)).slice(0, most);
}

async function* entriesOf(
  account: number,
  cursors: readonly HistoryCursor[],
  { reader, serialise }: Paging,
): AsyncGenerator<StoredRequest[]> {
  for (let at = 0; at < cursors.length; ) {
    const next = cursors.slice(at, at + CHUNK);
    const { entries, taken } = await serialise(() => reader.entries(account, next));
    if (entries.length > 0) yield entries;
    at += taken;
  }
}

/** True if `place` comes after `other` in the order. */
function isAfter(place: HistoryCursor, other: HistoryCursor, order: HistoryOrder): boolean {
  const [first, second] = order === 'newest' ? [place, other] : [other, place];
  return first.at < second.at || (first.at === second.at && first.id < second.id);
}
