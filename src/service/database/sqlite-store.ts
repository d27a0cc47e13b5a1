import { FileMoved } from '../../shared/storage/storage-error.ts';
import { historyPaging } from '../history/history-paging.ts';
import { historyReader, integrationUse, maskedEntry } from '../history/history-reader.ts';
import type { RequestStore } from '../history/request-store.ts';
import { every } from '../kit/every.ts';
import { createCustomerStore } from '../people/customer-store.ts';
import type { FiguresEngine } from '../reports/figure-cache.ts';
import { createSerialise, type Serialise, type Statements, untilNone } from '../store/statements.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';
import { openSqliteEngine, type SqliteEngine, sqliteStatements } from './sqlite-engine.ts';
import { roomStores, type Store } from './store.ts';

/** Rows that a slice of a text search reads, and that a step to a later page counts: each takes about a millisecond. */
const SCAN = 400;
const SKIP = 20_000;

/** Maximum delay before this process notices that a command has forgotten a number. */
const FORGOTTEN_MS = 1_000;

/** A cursor is the number of the newest request: with one writer, numbers are in the order of the commits. */
const callChanges: CallChanges = {
  cursorSql: 'SELECT CAST(coalesce(max(id), 0) AS TEXT) AS "cursor" FROM history',
  changedSql: (
    table,
  ) => `history h CROSS JOIN calls c ON c.account_id = h.account_id AND c.call_id = h.call_id
    CROSS JOIN ${table} w ON w.account_id = h.account_id WHERE h.id > $1 AND h.effect = 'moved'`,
  values: (from, to) => (Number(from) <= Number(to) ? [Number(from)] : undefined),
};

/**
 * The store on one SQLite file: one thread writes, one reads. Lookups, which read a row or two by an index, run on the
 * service's own thread. `fail` is called if a thread ends by itself: nothing can be stored any more.
 */
export async function openSqliteStore(file: string, fail: (error: Error) => void = () => {}): Promise<Store> {
  const engine = await openSqliteEngine(file, fail);
  const { writer, reader, changed } = engine;
  const statements = sqliteStatements(engine);
  const customerListeners = new Set<(account: number) => void>();
  const customers = createCustomerStore(
    statements,
    {
      put: (account, given, before) => changed(writer.request('putCustomers', account, given, before)),
      replace: (account, replacement) => changed(writer.request('replaceCustomers', account, replacement)),
    },
    (account) => {
      for (const notify of customerListeners) notify(account);
    },
  );
  const serialise = createSerialise();
  const figures: FiguresEngine = {
    cached: (account, spans) => reader.request('cachedFigures', account, spans),
    firstCall: (account, since) => reader.request('firstCall', account, since),
    count: (account, span, after) => serialise(() => reader.request('countFigures', account, span, after)),
    begin: (account, spans, mark) => writer.request('beginFigures', account, spans, mark),
    store: (account, span, mark, text) => writer.request('storeFigures', account, span, mark, text),
  };

  const rooms = roomStores(statements, { customers, serialise, figures, callChanges });

  return {
    requests: sqliteRequests(engine, statements, serialise),
    ...rooms,
    async openCalls(account, max) {
      await writer.request('catchUp');
      return rooms.calls.open(account, max);
    },
    otherProcesses: {
      follow(_watched, { customers: notify, calledBack }) {
        customerListeners.add(notify);
        const unfollow = followForgotten(statements, calledBack);
        return () => {
          unfollow();
          customerListeners.delete(notify);
        };
      },
      async tellWho() {},
    },
    withLock: createSerialise(), // no other process writes to the database
    about: async () => {
      const moved = engine.moved();
      if (moved !== undefined) throw new FileMoved(moved);
      return {
        engine: `SQLite ${process.versions.sqlite}`,
        survives:
          'fsynced on the disk of this machine: it survives a crash of the machine, not the loss of its disk',
        safe: true,
      };
    },
    purge: engine.purge,
    close: engine.close,
  };
}

/**
 * Calls `notify` with each account in which a number was forgotten, by this process or a command: its audit log has an entry
 * then. Returns a function that stops it.
 */
function followForgotten({ lookup }: Statements, notify: (account: number) => void): () => void {
  let cursor: number | undefined;
  async function check(): Promise<void> {
    const [{ newest } = { newest: 0 }] = await lookup<{ newest: number }>(
      'SELECT coalesce(max(id), 0) AS newest FROM audit',
    );
    const last = cursor ?? newest;
    cursor = newest;
    if (newest === last) return;
    const accounts = await lookup<{ account: number }>(
      "SELECT DISTINCT account_id AS account FROM audit WHERE id > $1 AND id <= $2 AND what = 'forget'",
      ...[last, newest],
    );
    for (const { account } of accounts) notify(account);
  }
  const again = () => {}; // a second later
  check().catch(again);
  return every(FORGOTTEN_MS, check, again);
}

function sqliteRequests(
  { writer, reader }: SqliteEngine,
  statements: Statements,
  serialise: Serialise,
): RequestStore {
  const historyRows = historyReader(statements, {
    lastId: '(SELECT coalesce(max(id), 0) FROM history)',
    inPayload: (term) => statements.contains('request', term),
    entries: (_account, places) => reader.request('historyEntries', places),
  });
  const history = historyPaging(
    {
      ...historyRows,
      // Includes every request that was answered before.
      lastId: () => writer.request('catchUp').then(historyRows.lastId),
    },
    serialise,
    { text: SCAN, skip: SKIP },
  );
  const trimBy = (limit: { before?: number; keep?: number; account?: number }) =>
    untilNone(() => writer.request('trim', limit));
  return {
    record: (request, watched = true) =>
      request.event === null
        ? writer.requestLater('record', request, watched)
        : writer.request('record', request, watched),
    ...history,
    mask: maskedEntry(statements, ''),
    ...integrationUse(statements),
    async trim({ before, keep }) {
      return (
        (before === undefined ? 0 : await trimBy({ before })) +
        (keep === undefined ? 0 : await trimBy({ keep }))
      );
    },
    trimAccount: (account, before) => trimBy({ account, before }),
  };
}
