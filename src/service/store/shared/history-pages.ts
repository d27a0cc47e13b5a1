import { steadyMs } from '../../upkeep/steady-clock.ts';
import type {
  HistoryCursor,
  HistoryOrder,
  HistorySearch,
  RequestStore,
  StoredRequest,
  TextSearch,
} from '../request-store.ts';
import type { InTurn } from './one-by-one.ts';

/** How entries are found: all of them, those of one call by index, or by reading texts: every one, or those of `spans`. */
export type HistoryFilter =
  | { readonly by: 'all' }
  | { readonly by: 'call'; readonly id: string }
  | { readonly by: 'text'; readonly search: TextSearch; readonly spans?: readonly HistorySpan[] };

/** Entries created from `from` until `to`, Unix ms, both included. */
export type HistorySpan = { readonly from: number; readonly to: number };

export type HistorySlice = {
  readonly account: number;
  readonly filter: HistoryFilter;
  readonly order: HistoryOrder;
  readonly after: HistoryCursor | null;
  /** Entries recorded later than this one are left out. */
  readonly lastId: number;
  /** Rows to look at. */
  readonly rows: number;
};

/** The entries that match among the rows looked at, how many those were at most, and `next`: null when there is nothing after them. */
export type HistoryHits<Key> = {
  readonly ids: Key[];
  readonly rows: number;
  readonly next: HistoryCursor | null;
};

/** The history as an engine reads it, in slices that are each short; `Key` is how it finds an entry again. */
export type HistoryReader<Key> = {
  /** How a search is answered, the newest entry that belongs to the answer, and how many there are, unless by text. */
  start(
    account: number,
    search: HistorySearch | null,
  ): Promise<{ lastId: number; filter: HistoryFilter; total: number }>;
  /** The place of the last of the slice's rows; null if there are not so many. */
  skip(slice: HistorySlice): Promise<HistoryCursor | null>;
  slice(slice: HistorySlice): Promise<HistoryHits<Key>>;
  /** The first of these entries that make a chunk of CHUNK_SIZE, and how many of the ids that took. */
  entries(ids: readonly Key[]): Promise<{ entries: StoredRequest[]; taken: number }>;
};

/** Entries per chunk. */
const CHUNK = 200;
/** How long one search goes on, ms: then it says how far it came. */
const PATIENCE_MS = 400;
/**
 * Entries looked at after a page of a text search, to count how many more match: whoever waits does not wait for more. A
 * slice costs as much as so many of them, however few it has.
 */
const COUNTED = 10_000;
const COST_OF_SLICE = 100;
/** Payload of a chunk of entries, characters: each client that reads slowly holds one. */
export const CHUNK_SIZE = 500_000;

/** Pages, searches and the whole history, from slices. `rows`: how many a slice of a text search and a step to a later page read. */
export function historyPages<Key>(
  reader: HistoryReader<Key>,
  inTurn: InTurn,
  rows: { readonly text: number; readonly skip: number },
  clock: () => number = steadyMs,
): Pick<RequestStore, 'page' | 'all' | 'search'> {
  type Query = Parameters<RequestStore['all']>[0];
  type Start = Awaited<ReturnType<typeof reader.start>>;

  /** The entries that match, slice by slice; a slice may have none. */
  async function* found(
    { account, order, signal }: Query,
    { lastId, filter }: Start,
  ): AsyncGenerator<HistoryHits<Key>> {
    const size = filter.by === 'text' ? rows.text : CHUNK;
    let after: HistoryCursor | null = null;
    do {
      const slice: HistorySlice = { account, filter, order, after, lastId, rows: size };
      const hits: HistoryHits<Key> = await inTurn(() => reader.slice(slice));
      signal?.throwIfAborted();
      yield hits;
      after = hits.next;
    } while (after !== null);
  }

  /** The place after `offset` entries, in steps that each leave time for a lookup. */
  async function skip(
    slice: Omit<HistorySlice, 'after' | 'rows'>,
    offset: number,
  ): Promise<HistoryCursor | null> {
    let after: HistoryCursor | null = null;
    for (let left = offset; left > 0; left -= rows.skip) {
      const step: HistorySlice = { ...slice, after, rows: Math.min(left, rows.skip) };
      after = await inTurn(() => reader.skip(step));
    }
    return after;
  }

  async function* entriesOf(ids: readonly Key[]): AsyncGenerator<StoredRequest[]> {
    for (let at = 0; at < ids.length; ) {
      const next = ids.slice(at, at + CHUNK);
      const { entries, taken } = await inTurn(() => reader.entries(next));
      if (entries.length > 0) yield entries;
      at += taken;
    }
  }

  return {
    async page({ offset, limit, ...query }) {
      const { account, order } = query;
      const start = await reader.start(account, query.search);
      const { lastId, filter, total: known } = start;
      if (filter.by !== 'text') {
        const slice = { account, filter, order, lastId };
        const after = await skip(slice, Math.min(offset, known));
        const { ids } = await reader.slice({ ...slice, after, rows: limit });
        const there = offset < known ? ids : [];
        return { count: there.length, chunks: entriesOf(there), total: known };
      }
      const ids: Key[] = [];
      let total = 0;
      let counted = 0;
      for await (const hits of found(query, start)) {
        ids.push(...hits.ids.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
        if (total > offset + limit) counted += COST_OF_SLICE + hits.rows;
        total += hits.ids.length;
        if (counted >= COUNTED && hits.next !== null)
          return { count: ids.length, chunks: entriesOf(ids), total: null };
      }
      return { count: ids.length, chunks: entriesOf(ids), total };
    },
    async search({ account, search, order, after, limit }) {
      const { lastId, filter } = await reader.start(account, search);
      const size = filter.by === 'text' ? rows.text : limit + 1;
      const entries: StoredRequest[] = [];
      let next = after;
      const began = clock();
      do {
        const slice: HistorySlice = { account, filter, order, after: next, lastId, rows: size };
        const hits: HistoryHits<Key> = await inTurn(() => reader.slice(slice));
        for await (const chunk of entriesOf(hits.ids)) {
          for (const entry of chunk) {
            const last = entries.at(-1);
            if (entries.length === limit && last) return { entries, next: { at: last.at, id: last.id } };
            entries.push(entry);
          }
        }
        next = hits.next;
      } while (next !== null && entries.length < limit && clock() - began < PATIENCE_MS);
      return { entries, next };
    },
    async *all(query): AsyncGenerator<StoredRequest[]> {
      const start = await reader.start(query.account, query.search);
      for await (const { ids } of found(query, start)) yield* entriesOf(ids);
    },
  };
}
