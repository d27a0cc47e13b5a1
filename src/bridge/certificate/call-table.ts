import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type CallStatus, callStatuses } from '../../shared/api/contract/call-status.ts';
import { beganAt } from '../calls/open-call.ts';
import type { LedgerEvent } from '../outbox/reader.ts';
import { type Books, type CallSeen, differenceOf, type Found } from './difference.ts';

type Row = {
  readonly id: string;
  readonly record: 'inbound' | 'other' | null;
  readonly record_why: string | null;
  readonly stage: number | null;
  readonly event: CallSeen['event'] | null;
  readonly queued_at: number | null;
  readonly is_open: number;
  readonly unreported: string | null;
  readonly api: CallStatus | null;
};

export type CallTable = ReturnType<typeof createCallTable>;

/** Joins what the three books say of each call, in a temporary file, so that the memory does not grow with the calls. */
export function createCallTable() {
  const db = new DatabaseSync('');
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE call (
      id TEXT PRIMARY KEY, record TEXT, record_why TEXT, is_cut INTEGER NOT NULL DEFAULT 0,
      stage INTEGER, event TEXT, queued_at INTEGER, is_open INTEGER NOT NULL DEFAULT 0, unreported TEXT, api TEXT
    ) STRICT, WITHOUT ROWID`);
  const insert = (columns: string, update: string) => {
    const places = columns.replace(/\w+/g, '?');
    const sql = `INSERT INTO call (id, ${columns}) VALUES (?, ${places}) ON CONFLICT (id) DO UPDATE SET ${update}`;
    const statement = db.prepare(sql);
    return (rows: readonly SQLInputValue[][]): void => {
      db.exec('BEGIN');
      for (const row of rows) statement.run(...row);
      db.exec('COMMIT');
    };
  };
  const addRecords = insert(
    'record, record_why, is_cut',
    'record = excluded.record, record_why = excluded.record_why',
  );
  const addEvents = insert(
    'stage, event, queued_at',
    `stage = excluded.stage, event = excluded.event, queued_at = excluded.queued_at
     WHERE stage IS NULL OR excluded.stage > stage`,
  );
  const addOpen = insert('is_open', 'is_open = 1');
  const addUnreported = insert('unreported', 'unreported = excluded.unreported');
  const addApi = insert('api', 'api = excluded.api');

  /** Records whose column has cut off the last digits of their ids, without anything else about their calls. */
  const cut = db.prepare(
    'SELECT id, record, record_why FROM call WHERE is_cut AND stage IS NULL AND api IS NULL AND unreported IS NULL AND NOT is_open',
  );
  const whole = db.prepare(
    `SELECT id FROM call WHERE id > ? AND id < ? || ':' AND record IS NULL ORDER BY id LIMIT 1`,
  );
  const remove = db.prepare('DELETE FROM call WHERE id = ?');

  return {
    /** `isCut`: its column has no room for a longer id. */
    addRecords: (
      rows: readonly { id: string; record: 'inbound' | 'other'; why?: string; isCut: boolean }[],
    ): void => addRecords(rows.map(({ id, record, why, isCut }) => [id, record, why ?? null, Number(isCut)])),
    addEvents: (events: readonly LedgerEvent[]): void =>
      addEvents(
        events.map(({ callId, status, state, queuedAt }) => [
          callId,
          callStatuses.indexOf(status),
          state,
          queuedAt,
        ]),
      ),
    addOpen: (ids: readonly string[]): void => addOpen(ids.map((id) => [id, 1])),
    addUnreported: (rows: readonly { readonly callId: string; readonly why: string }[]): void =>
      addUnreported(rows.map(({ callId, why }) => [callId, why])),
    addApi: (calls: readonly { readonly id: string; readonly status: CallStatus }[]): void =>
      addApi(calls.map(({ id, status }) => [id, status])),

    /** Gives records whose ids were cut off to the calls that they are of. */
    joinCutIds(): void {
      for (const { id, record, record_why } of cut.all() as Row[]) {
        const found = whole.get(id, id) as Pick<Row, 'id'> | undefined;
        if (found === undefined) continue;
        remove.run(id);
        addRecords([[found.id, record, record_why, 0]]);
      }
    },

    /** How many calls each book has: inbound ones by the records, reported ones by the ledger. */
    counts: () =>
      db
        .prepare(
          `SELECT count(*) FILTER (WHERE record = 'inbound') AS records, count(stage) AS bridge, count(api) AS api FROM call`,
        )
        .get() as { records: number; bridge: number; api: number },

    /** What the ids have before their seconds: `pbx-`, or `pbx-systemname-`. */
    heads: (): string[] =>
      db
        .prepare(`SELECT DISTINCT rtrim(rtrim(rtrim(id, '0123456789'), '.'), '0123456789') AS head FROM call`)
        .all()
        .map(({ head }) => head as string),

    /** The calls about which the books differ, by id. */
    *differences(books: Books): Generator<Found & { readonly id: string }> {
      for (const row of db.prepare('SELECT * FROM call ORDER BY id').iterate() as Iterable<Row>) {
        const found = differenceOf(callOf(row), books);
        if (found !== undefined) yield { id: row.id, ...found };
      }
    },
    [Symbol.dispose]: () => db.close(),
  };
}

const callOf = (row: Row): CallSeen => ({
  began: beganAt({ uniqueid: row.id }),
  record: row.record ?? undefined,
  recordWhy: row.record_why ?? undefined,
  event: row.event ?? undefined,
  isCompleted: row.stage === callStatuses.indexOf('completed'),
  queuedAt: row.queued_at ?? undefined,
  isOpen: row.is_open === 1,
  unreported: row.unreported ?? undefined,
  api: row.api ?? undefined,
});
