import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parseJson } from '../../shared/process/parse-json.ts';
import { createTransact } from '../../shared/storage/open-database.ts';
import { assertKnown } from './reader.ts';
import { type CounterKeeper, createCounterKeeper } from './tables/counters.ts';
import { databasePath } from './tables/database.ts';
import { createEventReader, eventColumns, type StoredEvent, type StoredRow } from './tables/history.ts';
import { createLedger } from './tables/ledger.ts';
import { deadState, deliveredState, slots } from './tables/outcomes.ts';
import { createRequeuer } from './tables/requeue.ts';
import { createTrunkTable } from './tables/trunks.ts';

/** How long to wait for the bridge's lock, ms; under full load it holds it for a fraction of this. */
const busyTimeoutMs = 10_000;

/** The `from` of an event whose number was forgotten: the API accepts it, and it belongs to no caller. */
const FORGOTTEN = '0';

/** These read everything; nothing is locked meanwhile. */
const namingSql = {
  events: 'SELECT seq AS id, state, body AS text FROM event',
  journal: 'SELECT id, lines AS text FROM journal',
  unreported: 'SELECT rowid AS id, why AS text FROM unreported',
} as const;

export const operatorSql = {
  dead: `SELECT ${eventColumns} FROM event WHERE seq = ? AND state = ${deadState}`,
} as const;

export type Operator = NonNullable<ReturnType<typeof openOperator>>;

/**
 * Opens a folder's database for changes that operators make, whether its bridge runs or not: they share the file with
 * its thread, one transaction at a time; the dispatcher finds them within 5 s. Undefined when there is none. Throws
 * StorageRefused, in one line.
 * `now`: Unix ms.
 */
export function openOperator(directory: string, now: () => number = Date.now) {
  const path = databasePath(directory);
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // As the bridge's own: what it says is done is on the disk.
    db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    assertKnown(db, path);
  } catch (error) {
    db.close();
    throw error;
  }

  const inOne = createTransact(db);
  /** Reads the counters inside the transaction: the bridge may have changed them. */
  const transact = <T>(work: (counters: CounterKeeper) => T): T =>
    inOne(() => {
      const counters = createCounterKeeper(db);
      const result = work(counters);
      counters.flush();
      return result;
    });

  const requeuer = createRequeuer(db);
  const trunks = createTrunkTable(db);
  const ledger = createLedger(db);
  const dead = db.prepare(operatorSql.dead);
  const toEvent = createEventReader(db);
  const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
  const forget = db.prepare('DELETE FROM event WHERE seq = ?');

  return {
    /** Makes these dead letters wait again, like new events without attempts; returns how many. */
    resend: (seqs: readonly number[]) => transact((counters) => requeuer.resend(seqs, counters, now())),
    /**
     * Makes delivered events wait again that are missing at the far side. Returns how many; events that wait or are dead
     * letters do not change.
     */
    sendAgain: (seqs: readonly number[]) =>
      transact((counters) => requeuer.sendAgain(seqs, counters, now()).length),
    /** Deletes these dead letters, and returns them. `check` sees them first, and may throw to keep all. */
    discard: (seqs: readonly number[], check: (events: readonly StoredEvent[]) => void): StoredEvent[] =>
      transact((counters) => {
        const found = [...new Set(seqs)]
          .flatMap((seq) => (dead.get(seq) as StoredRow | undefined) ?? [])
          .map(toEvent);
        check(found);
        for (const { seq, callId } of found) {
          ledger.writeLedger([callId, now(), 'an operator discarded it'], '');
          forgetAttempts.run(seq * slots, seq * slots + slots);
          forget.run(seq);
          counters.discard();
        }
        return found;
      }),
    /**
     * Removes a caller's number from delivered events, whose `from` becomes `0`, and from their other fields and the journal,
     * which are written `masked`. Undelivered events are only counted.
     */
    forgetNumber(
      number: string,
      masked: (text: string) => string,
    ): {
      readonly events: number;
      readonly journal: number;
      readonly undelivered: number;
      /** False if somebody who reads the database keeps what was removed in the log before it. */
      readonly isPurged: boolean;
    } {
      const naming = <Row extends TextRow>(sql: string) =>
        (db.prepare(sql).iterate() as IteratorObject<Row>)
          .filter(({ text }) => masked(text) !== text)
          .toArray();
      const events = naming<EventRow>(namingSql.events);
      const delivered = events.filter(({ state }) => state === deliveredState);
      const journal = naming(namingSql.journal);
      const unreported = naming(namingSql.unreported);
      const setBody = db.prepare(`UPDATE event SET body = ? WHERE seq = ? AND state = ${deliveredState}`);
      const setLines = db.prepare('UPDATE journal SET lines = ? WHERE id = ?');
      const setWhy = db.prepare('UPDATE unreported SET why = ? WHERE rowid = ?');
      inOne(() => {
        for (const { id, text } of delivered) {
          const event = parseJson(text) as { from?: unknown };
          const isCaller = event.from === number;
          setBody.run(masked(JSON.stringify({ ...event, ...(isCaller && { from: FORGOTTEN }) })), id);
        }
        for (const { id, text } of journal) setLines.run(masked(text), id);
        for (const { id, text } of unreported) setWhy.run(masked(text), id);
      });
      // The log before the database still has what was there.
      const purge = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return {
        events: delivered.length,
        journal: journal.length,
        undelivered: events.length - delivered.length,
        isPurged: purge?.busy === 0,
      };
    },
    /** Makes this endpoint a trunk, without any evidence; `state` is its state if it is not known yet. */
    addTrunk: trunks.addTrunk,
    /** Deletes what is known of it as a trunk; false if nothing is. */
    forgetTrunk: trunks.forgetTrunk,
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

type EventRow = TextRow & { readonly state: number };
type TextRow = { readonly id: number; readonly text: string };
