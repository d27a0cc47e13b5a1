import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { stepsIn } from '../../shared/storage/migrate.ts';
import { openForReading } from '../../shared/storage/open-database.ts';
import { StorageRefused } from '../../shared/storage/storage-error.ts';
import { createBackfillTable, type StoredBackfill } from './tables/backfill.ts';
import { type Counters, createCounterKeeper } from './tables/counters.ts';
import { databasePath } from './tables/database.ts';
import {
  createEventReader,
  eventColumns,
  type StoredEvent,
  type StoredRow,
  states,
} from './tables/history.ts';
import { outboxSchema } from './tables/migrations.ts';
import { createTrunkTable, type StoredTrunk } from './tables/trunks.ts';

export type EventFilter = {
  readonly state?: StoredEvent['state'] | undefined;
  readonly callId?: string | undefined;
  /** Queued, or with state `delivered` or `dead` finished, at this time (Unix ms) or later. */
  readonly since?: number | undefined;
  /** The same, before this time. */
  readonly before?: number | undefined;
  readonly limit: number;
};

/** An event in the ledger. `queuedAt`: Unix ms. */
export type LedgerEvent = {
  readonly callId: string;
  readonly status: CallStatus;
  readonly state: StoredEvent['state'];
  readonly queuedAt: number;
};

/** Rows that are read in one go: some milliseconds, in which the bridge's log of changes cannot be shortened. */
const PAGE_ROWS = 2_000;

/** Opens a folder's database to read it; undefined when there is none yet. Throws StorageRefused, in one line. */
export function openReader(directory: string): Reader | undefined {
  const path = databasePath(directory);
  if (!existsSync(path)) return undefined;
  const db = openForReading(path);
  try {
    assertKnown(db, path);
    return createReader(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Throws StorageRefused if this version cannot read the database. */
export function assertKnown(db: DatabaseSync, path: string): void {
  if (stepsIn(db, outboxSchema) >= outboxSchema.steps.length) return;
  throw new StorageRefused(`${path} is of an older pbx-bridge: start this one once, it brings it up to date`);
}

/** Reads an outbox's folder, while its bridge runs or not. Changes nothing. */
export type Reader = ReturnType<typeof createReader>;

function createReader(db: DatabaseSync) {
  const toEvent = createEventReader(db);
  const bySeq = db.prepare(`SELECT ${eventColumns} FROM event WHERE seq = ?`);
  const ofNumber = db.prepare(
    `SELECT call_id FROM event WHERE status = 'ringing' AND instr(body, ?) > 0 ORDER BY seq DESC LIMIT ?`,
  );
  const ledgerPage = db.prepare(
    `SELECT call_id AS "callId", status, state, queued_at AS "queuedAt" FROM event
     WHERE (call_id, status) > (?, ?) ORDER BY call_id, status LIMIT ?`,
  );
  const unreportedPage = db.prepare(
    'SELECT call_id AS "callId", why FROM unreported WHERE call_id > ? ORDER BY call_id LIMIT ?',
  );
  return {
    /** Newest first, with all their attempts. */
    events({ state, callId, since, before, limit }: EventFilter): StoredEvent[] {
      const time = state === 'delivered' || state === 'dead' ? 'finished_at' : 'queued_at';
      const conditions: [string, string | number | undefined][] = [
        ['state = ?', state && states.indexOf(state)],
        ['call_id = ?', callId],
        [`${time} >= ?`, since],
        [`${time} < ?`, before],
      ];
      const given = conditions.filter(([, value]) => value !== undefined);
      const where = given.map(([sql]) => sql).join(' AND ') || 'TRUE';
      const values = given.map(([, value]) => value as string | number);
      const sql = `SELECT ${eventColumns} FROM event WHERE ${where} ORDER BY seq DESC LIMIT ?`;
      return (db.prepare(sql).all(...values, limit) as StoredRow[]).map(toEvent);
    },
    event(seq: number): StoredEvent | undefined {
      const row = bySeq.get(seq) as StoredRow | undefined;
      return row && toEvent(row);
    },
    /** Ids of calls from this number, newest first. */
    callsFrom(number: string, limit: number) {
      const rows = ofNumber.all(JSON.stringify({ from: number }).slice(1, -1), limit);
      return rows.map((row) => row.call_id as string);
    },
    /** Lines of the journal that contain one of these texts, in order. */
    journal(texts: readonly string[]) {
      if (texts.length === 0) return [];
      const where = texts.map(() => 'instr(lines, ?) > 0').join(' OR ');
      const rows = db.prepare(`SELECT lines FROM journal WHERE ${where} ORDER BY id`).all(...texts);
      return rows
        .flatMap(({ lines }) => (lines as string).split('\n'))
        .filter((line) => texts.some((text) => line.includes(text)));
    },
    /** At most so many lines of the journal that contain this text, the newest. */
    newestJournal(text: string, limit: number): string[] {
      const found: string[] = [];
      const rows = db.prepare('SELECT lines FROM journal WHERE instr(lines, ?) > 0 ORDER BY id DESC');
      for (const { lines } of rows.iterate(text)) {
        found.push(...(lines as string).split('\n').filter((line) => line.includes(text)));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
    /** All events that are there, in pages. */
    *ledgerEvents(): Generator<LedgerEvent[]> {
      let last = { callId: '', status: '' };
      for (let rows: LedgerRow[]; ; ) {
        rows = ledgerPage.all(last.callId, last.status, PAGE_ROWS) as LedgerRow[];
        if (rows.length === 0) return;
        const events = rows.map(({ state, ...event }) => ({ ...event, state: states[state] ?? 'waiting' }));
        yield events;
        last = events.at(-1) as LedgerEvent;
      }
    },
    /** All calls that are not reported, and why, in pages. */
    *unreportedCalls(): Generator<{ callId: string; why: string }[]> {
      for (let last = ''; ; ) {
        const rows = unreportedPage.all(last, PAGE_ROWS) as { callId: string; why: string }[];
        if (rows.length === 0) return;
        yield rows;
        last = rows.at(-1)?.callId ?? '';
      }
    },
    /** Ids of calls that have not ended. */
    openCalls: () =>
      db
        .prepare('SELECT id FROM open_call')
        .all()
        .map(({ id }) => id as string),
    /** What is stored of the call records of the past. */
    backfill: (): StoredBackfill => createBackfillTable(db).backfill(),
    counters: (): Counters => createCounterKeeper(db).read(),
    /** Sorted by endpoint. */
    trunks: (): StoredTrunk[] => createTrunkTable(db).trunks(),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

type LedgerRow = Omit<LedgerEvent, 'state'> & { readonly state: number };
