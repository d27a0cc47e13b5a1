import type { HistoryHits, HistorySlice } from './sqlite/history-reader.ts';
import { pack } from './sqlite/packed-request.ts';
import type { ReaderMethods } from './sqlite/reader.ts';
import { type Methods, startThread } from './sqlite/rpc.ts';
import type { WriterMethods } from './sqlite/writer.ts';
import type { Customer, HistoryCursor, HistoryOrder, HistorySearch, Store, StoredRequest } from './store.ts';

/** Entries per chunk. */
const CHUNK = 200;
/** Rows that a slice of a text search reads, and that a step to a later page counts: each takes about a millisecond. */
const SCAN = 400;
const SKIP = 20_000;
const CUSTOMERS = 1000;

/**
 * The store on one SQLite file: one thread writes, one reads, none of it on the service's own thread.
 * `fail` is told if one of them ends by itself: nothing can be stored any more.
 */
export async function openSqliteStore(file: string, fail: (error: Error) => void = () => {}): Promise<Store> {
  const start = <M extends Methods>(script: string) =>
    startThread<M>(new URL(script, import.meta.url), { file }, fail);
  const writer = await start<WriterMethods>('./sqlite/writer.ts');
  const reader = await start<ReaderMethods>('./sqlite/reader.ts').catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });

  const inTurn = oneByOne();
  type Query = { account: number; search: HistorySearch | null; order: HistoryOrder };

  /** The ids that match, slice by slice. */
  async function* found({ account, search, order }: Query): AsyncGenerator<number[]> {
    const { lastId, filter } = await reader.call('historyStart', account, search);
    const rows = filter.by === 'text' ? SCAN : CHUNK;
    let after: HistoryCursor | null = null;
    do {
      const slice: HistorySlice = { account, filter, order, after, lastId, rows };
      const hits: HistoryHits = await inTurn(() => reader.call('historySlice', slice));
      if (hits.ids.length > 0) yield hits.ids;
      after = hits.next;
    } while (after !== null);
  }

  /** The place after `offset` entries, in steps that each leave time for a lookup. */
  async function skip(
    slice: Omit<HistorySlice, 'after' | 'rows'>,
    offset: number,
  ): Promise<HistoryCursor | null> {
    let after: HistoryCursor | null = null;
    for (let left = offset; left > 0; left -= SKIP) {
      const step: HistorySlice = { ...slice, after, rows: Math.min(left, SKIP) };
      after = await inTurn(() => reader.call('historySkip', step));
    }
    return after;
  }

  async function* entriesOf(ids: readonly number[]): AsyncGenerator<StoredRequest[]> {
    for (let at = 0; at < ids.length; ) {
      const next = ids.slice(at, at + CHUNK);
      const { entries, taken } = await inTurn(() => reader.call('historyEntries', next));
      if (entries.length > 0) yield entries;
      at += taken;
    }
  }
  const entriesAtOnce = async (ids: readonly number[]) => (await Array.fromAsync(entriesOf(ids))).flat();

  return {
    requests: {
      record: (request) => writer.call('record', ...pack(request)),
      async page({ account, search, order, offset, limit }) {
        const { lastId, filter, total: known } = await reader.call('historyStart', account, search);
        if (filter.by !== 'text') {
          const slice = { account, filter, order, lastId };
          const after = await skip(slice, Math.min(offset, known));
          const { ids } = await reader.call('historySlice', { ...slice, after, rows: limit });
          return { entries: offset < known ? await entriesAtOnce(ids) : [], total: known };
        }
        const ids: number[] = [];
        let total = 0;
        for await (const hits of found({ account, search, order })) {
          ids.push(...hits.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
          total += hits.length;
        }
        return { entries: await entriesAtOnce(ids), total };
      },
      async *all(query): AsyncGenerator<StoredRequest[]> {
        for await (const ids of found(query)) yield* entriesOf(ids);
      },
      async trim(limits) {
        let deleted = 0;
        for (const limit of [{ before: limits.before }, { keep: limits.keep }]) {
          if (Object.values(limit)[0] === undefined) continue;
          for (let rows = -1; rows !== 0; deleted += rows)
            rows = await writer.call('trim', limit as typeof limits);
        }
        return deleted;
      },
    },
    directory: {
      read: (version) => reader.call('directory', version),
      addAccount: (account) => writer.call('addAccount', account),
      changeAccount: (id, change) => writer.call('changeAccount', id, change),
      addIntegration: (integration) => writer.call('addIntegration', integration),
      changeIntegration: (id, change) => writer.call('changeIntegration', id, change),
    },
    customers: {
      segmentOf: (account, number) => reader.call('segmentOf', account, number),
      put: (account, customers) => writer.call('putCustomers', account, customers),
      remove: (account, reference) => writer.call('removeCustomer', account, reference),
      async *all(account): AsyncGenerator<Customer[]> {
        for (let after = '', page = []; ; after = page.at(-1)?.reference ?? '') {
          page = await reader.call('customers', account, after, CUSTOMERS);
          if (page.length > 0) yield page;
          if (page.length < CUSTOMERS) return;
        }
      },
      segments: (account) => reader.call('segments', account),
      putSegment: (account, segment) => writer.call('putSegment', account, segment),
      removeSegment: (account, name) => writer.call('removeSegment', account, name),
    },
    users: {
      list: (account) => reader.call('users', account),
      find: (by) => reader.call('findUser', by),
      add: (user) => writer.call('addUser', user),
      change: (id, change) => writer.call('changeUser', id, change),
      remove: (id) => writer.call('removeUser', id),
      openSession: (session) => writer.call('openSession', session),
      session: (id) => reader.call('session', id),
      useSession: (id, at) => writer.call('useSession', id, at),
      closeSession: (id) => writer.call('closeSession', id),
      closeSessions: (user, except) => writer.call('closeSessions', user, except),
      trimSessions: (limits) => writer.call('trimSessions', limits),
      dismiss: (user, calls, until, now) => writer.call('dismiss', user, calls, until, now),
      dismissed: (user) => reader.call('dismissed', user),
    },
    async openCalls(account, max) {
      await writer.call('catchUp');
      return reader.call('openCalls', account, max);
    },
    missedCalls: (account, since, max) => reader.call('missedCalls', account, since, max),
    useLink: (link, until, now) => writer.call('useLink', link, until, now),
    close: async () => {
      await reader.close();
      await writer.close();
    },
  };
}

/** Runs one work at a time: however many read the history, one of their calls at most stands before a lookup. */
function oneByOne() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
