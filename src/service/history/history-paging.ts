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

/** Pages, searches and the whole history, from slices. `rows`: how many a slice of a text search and a step to a later page read. */
export function historyPaging(
  reader: HistoryReader,
  serialise: Serialise,
  rows: { readonly text: number; readonly skip: number },
  clock: () => number = monotonicMs,
): Pick<RequestStore, 'page' | 'textPage' | 'all' | 'search'> {
  const { slices, collect, named } = historyCollection(reader, serialise, rows.text);
  const entriesOf = entryChunks(reader, serialise);
  const withinTime = () => {
    const end = clock() + limits.searchMs;
    return () => clock() < end;
  };

  return {
    async page({ account, order, offset, limit }) {
      const lastId = await reader.lastId(); // first: it waits for what was answered before
      const total = await reader.total(account);
      const slice = { account, search: null, order, lastId };
      let after: HistoryCursor | null = null;
      for (let left = Math.min(offset, total); left > 0; left -= rows.skip) {
        const step: HistorySlice = { ...slice, after, rows: Math.min(left, rows.skip) };
        after = await serialise(() => reader.skip(step));
      }
      const hits = offset < total ? (await reader.slice({ ...slice, after, rows: limit })).hits : [];
      return { count: hits.length, chunks: entriesOf(account, hits), total };
    },

    /**
     * Two ways find the matches: reading every text from `searched` on, and the indexes, which find those that name the
     * term at once. A page has what reading has found, then what the indexes have found ahead of it. Reading comes to
     * the latter on a later page, where those up to `given` are left out.
     */
    async textPage({ offset, limit, from, ...query }) {
      const { account, order, search } = query;
      const most = offset + limit;
      const { searched, given } = from ?? { searched: null, given: null };
      const byIndex =
        search.in === 'request' ? await named({ ...query, term: search.term }, given ?? searched, most) : [];
      const quickly = (slices: number) => slices * rows.text < QUICK_ROWS;
      const wasGiven = (hit: HistoryHit) => hit.named && given !== null && !isAfter(hit, given, order);
      const { hits, next } = await collect(
        query,
        searched,
        most,
        byIndex.length > 0 ? quickly : withinTime(),
        (hit) => !wasGiven(hit),
      );
      const isAhead = (place: HistoryCursor) => next !== null && isAfter(place, next, order);
      const ahead = byIndex.filter(isAhead).slice(0, most - hits.length);
      const found = [...hits, ...ahead];
      const page = found.slice(offset);
      return {
        count: page.length,
        passed: found.length,
        chunks: entriesOf(account, page),
        next: next && {
          searched: next,
          given: ahead.at(-1) ?? (given !== null && isAhead(given) ? given : null),
        },
      };
    },

    async search({ after, limit, ...query }) {
      const { hits, next } = await collect(query, after, limit, withinTime());
      return { entries: (await Array.fromAsync(entriesOf(query.account, hits))).flat(), next };
    },

    async *all(query) {
      for await (const { hits } of slices(query, null, CHUNK)) yield* entriesOf(query.account, hits);
    },
  };
}

type Query = Parameters<RequestStore['all']>[0] & Pick<HistorySlice, 'filter'>;

/** Matches from slices, which read `textRows` each where texts are searched. */
function historyCollection(reader: HistoryReader, serialise: Serialise, textRows: number) {
  /** `few`: how many rows a slice has that an index finds. */
  async function* slices(
    { account, search, filter, order, signal }: Query,
    from: HistoryCursor | null,
    few: number,
  ): AsyncGenerator<HistoryHits> {
    const size = isText(search) || filter ? textRows : few;
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
    counts: (hit: HistoryHit) => boolean = () => true,
  ): Promise<HistoryHits> {
    const found: HistoryHit[] = [];
    let read = 0;
    let next = from;
    for await (const slice of slices(query, from, most + 1)) {
      next = slice.next;
      found.push(...slice.hits.filter(counts));
      read += 1;
      if (found.length > most) return { hits: found.slice(0, most), next: found[most - 1] ?? from };
      if (found.length === most || !goesOn(read)) break;
    }
    return { hits: found, next };
  }

  /** The first entries that name a term, by the indexes. */
  async function named(query: Query & { term: string }, after: HistoryCursor | null, most: number) {
    const lastId = await reader.lastId();
    const { account, order, term } = query;
    const found = new Map<number, HistoryCursor>();
    for (const kind of ['call', 'number'] as const) {
      const slice = { account, search: { in: kind, term }, order, after, lastId, rows: most };
      for (const hit of (await reader.slice(slice)).hits) found.set(hit.id, hit);
    }
    return [...found.values()].sort((a, b) => (isAfter(a, b, order) ? 1 : -1)).slice(0, most);
  }

  return { slices, collect, named };
}

/** The entries at these places, in chunks. */
function entryChunks(reader: HistoryReader, serialise: Serialise) {
  return async function* (
    account: number,
    places: readonly HistoryCursor[],
  ): AsyncGenerator<StoredRequest[]> {
    for (let at = 0; at < places.length; ) {
      const next = places.slice(at, at + CHUNK);
      const { entries, taken } = await serialise(() => reader.entries(account, next));
      if (entries.length > 0) yield entries;
      at += taken;
    }
  };
}

/** True if `place` comes after `other` in the order. */
function isAfter(place: HistoryCursor, other: HistoryCursor, order: HistoryOrder): boolean {
  const [first, second] = order === 'newest' ? [place, other] : [other, place];
  return first.at < second.at || (first.at === second.at && first.id < second.id);
}
