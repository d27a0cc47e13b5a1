import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { moduleBeside } from '../../shared/process/module-beside.ts';
import { FileMoved } from '../../shared/storage/storage-error.ts';
import { startThread } from '../../shared/storage/thread.ts';
import type { Methods } from '../../shared/storage/thread-messages.ts';
import { historyPaging } from '../history/history-paging.ts';
import { historyReader, integrationUse, maskedEntry } from '../history/history-reader.ts';
import { createCustomerStore } from '../people/customer-store.ts';
import type { FiguresEngine } from '../reports/kept-figures.ts';
import { openLookups } from '../store/sqlite/open.ts';
import { makeSerialise, type Statements, type Value } from '../store/statements.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';
import type { ReaderMethods } from './sqlite-reader.ts';
import type { WriterMethods, WriterNotice } from './sqlite-writer.ts';
import { roomStores, type Store } from './store.ts';

/** Rows that a slice of a text search reads, and that a step to a later page counts: each takes about a millisecond. */
const SCAN = 400;
const SKIP = 20_000;

/** A place is the number of the newest request: with one writer, numbers are in the order of the commits. */
const callChanges: CallChanges = {
  here: 'SELECT CAST(coalesce(max(id), 0) AS TEXT) AS place FROM history',
  goesOn: (from, to) => Number(from) <= Number(to),
  changed: `history h CROSS JOIN calls c ON c.account_id = h.account_id AND c.call_id = h.call_id
    CROSS JOIN webhooks w ON w.account_id = h.account_id WHERE h.id > $1 AND h.effect = 'moved'`,
  values: (from) => [Number(from)],
};

/** A purge waits for those who read: so often it tries, with so long between two tries, ms. */
const PURGE_TRIES = 20;
const PURGE_PAUSE_MS = 100;

/**
 * The store on one SQLite file: one thread writes, one reads. Lookups, which read a row or two by an index, run on the
 * service's own thread. `fail` is called if a thread ends by itself: nothing can be stored any more.
 */
export async function openSqliteStore(file: string, fail: (error: Error) => void = () => {}): Promise<Store> {
  let moved: string | undefined;
  const start = async <M extends Methods>(script: string) => {
    const onNotice = (notice: WriterNotice) => {
      moved = notice.moved;
    };
    const thread = await startThread<M, WriterNotice>(
      moduleBeside(import.meta.url, script),
      { file },
      { onNotice },
    );
    void thread.failed.then(fail);
    return thread;
  };
  const writer = await start<WriterMethods>('./sqlite-writer');
  const reader = await start<ReaderMethods>('./sqlite-reader').catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });

  const lookups = openLookups(file);
  /** What was waited for until a change was made sees it. */
  const changed = async <T>(made: Promise<T>): Promise<T> => {
    const result = await made;
    lookups.endRead();
    return result;
  };
  const read = <Row>(sql: string, ...values: Value[]) => reader.ask('rows', sql, values) as Promise<Row[]>;
  const statements: Statements = {
    read,
    // Plain objects, as a thread returns them.
    lookup: async <Row>(sql: string, ...values: Value[]) =>
      lookups.rows(sql, values).map((row) => ({ ...(row as Row) })),
    write: <Row>(sql: string, ...values: Value[]) =>
      changed(writer.ask('rows', sql, values)) as Promise<Row[]>,
    // SQLite has one writer at a time.
    writeAlone: <Row>(_account: number, sql: string, ...values: Value[]) =>
      changed(writer.ask('rows', sql, values)) as Promise<Row[]>,
    contains: (text, part) => `instr(${text}, ${part}) > 0`,
    firstLine: (text) => `substr(${text}, 1, instr(${text}, char(10)) - 1)`,
    indexed: (text) => text,
    jsonRows: (columns, order) => `json_group_array(json_array(${columns}) ORDER BY ${order})`,
    along: (index) => `INDEXED BY ${index}`,
    lockingRows: '', // SQLite has one writer at a time
  };
  const toldOfCustomers = new Set<(account: number) => void>();
  const customers = createCustomerStore(
    statements,
    {
      put: (account, given, before) => changed(writer.ask('putCustomers', account, given, before)),
      replace: (account, replacement) => changed(writer.ask('replaceCustomers', account, replacement)),
    },
    (account) => {
      for (const tell of toldOfCustomers) tell(account);
    },
  );
  const serialise = makeSerialise();
  const historyRows = historyReader(statements, {
    lastId: '(SELECT coalesce(max(id), 0) FROM history)',
    inPayload: (term) => statements.contains('request', term),
    entries: (_account, places) => reader.ask('historyEntries', places),
  });
  const history = historyPaging(
    {
      ...historyRows,
      // Includes every request that was answered before.
      lastId: () => writer.ask('catchUp').then(historyRows.lastId),
    },
    serialise,
    { text: SCAN, skip: SKIP },
  );
  const figures: FiguresEngine = {
    kept: (account, spans) => reader.ask('keptFigures', account, spans),
    firstCall: (account) => reader.ask('firstCall', account),
    count: (account, span, after) => serialise(() => reader.ask('countFigures', account, span, after)),
    begin: (account, spans, mark) => writer.ask('beginFigures', account, spans, mark),
    keep: (account, span, mark, text) => writer.ask('keepFigures', account, span, mark, text),
  };

  const rooms = roomStores(statements, { customers, serialise, figures, callChanges });

  return {
    requests: {
      record: (request, watched = true) =>
        request.event === null
          ? writer.askLater('record', request, watched)
          : writer.ask('record', request, watched),
      ...history,
      mask: maskedEntry(statements, ''),
      ...integrationUse(statements),
      async trim(limits) {
        let deleted = 0;
        for (const limit of [{ before: limits.before }, { keep: limits.keep }]) {
          if (Object.values(limit)[0] === undefined) continue;
          for (let rows = -1; rows !== 0; deleted += rows)
            rows = await writer.ask('trim', limit as typeof limits);
        }
        return deleted;
      },
    },
    ...rooms,
    async openCalls(account, max) {
      await writer.ask('catchUp');
      return rooms.calls.open(account, max);
    },
    otherProcesses: {
      follow(_watched, { customers: tell }) {
        toldOfCustomers.add(tell);
        return () => toldOfCustomers.delete(tell);
      },
    },
    withLock: makeSerialise(), // no other process writes to the database
    about: async () => {
      if (moved !== undefined) throw new FileMoved(moved);
      return {
        engine: `SQLite ${process.versions.sqlite}`,
        survives:
          'fsynced on the disk of this machine: it survives a crash of the machine, not the loss of its disk',
        safe: true,
      };
    },
    // The log before the database still has what was there.
    async purge() {
      await writer.ask('catchUp');
      using db = new DatabaseSync(file, { timeout: 0 });
      const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
      for (let tries = PURGE_TRIES; tries > 0; tries -= 1) {
        lookups.endRead();
        if (checkpoint.get()?.busy === 0) return true;
        await sleep(PURGE_PAUSE_MS);
      }
      return false;
    },
    close: async () => {
      lookups.close();
      await reader.close();
      await writer.close();
    },
  };
}
