import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createTransact } from '../../shared/storage/open-database.ts';
import { forgetNumber } from './forget-number.ts';
import { assertKnown } from './reader.ts';
import { createBackfillTable } from './tables/backfill.ts';
import { type CounterKeeper, createCounterKeeper } from './tables/counters.ts';
import { databasePath } from './tables/database.ts';
import { createEventReader, eventColumns, type StoredEvent, type StoredRow } from './tables/history.ts';
import { createLedger } from './tables/ledger.ts';
import { deadState, slots } from './tables/outcomes.ts';
import { createRequeuer } from './tables/requeue.ts';
import { createTrunkTable } from './tables/trunks.ts';

/** How long to wait for the bridge's lock, ms; under full load it holds it for a fraction of this. */
const busyTimeoutMs = 10_000;

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
  const db = openShared(path);
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
  const { backfill, saveBackfill } = createBackfillTable(db);
  const dead = db.prepare(operatorSql.dead);
  const toEvent = createEventReader(db);
  const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
  const forget = db.prepare('DELETE FROM event WHERE seq = ?');

  return {
    /** Makes these dead letters wait again, like new events without attempts; returns how many. */
    resend: (seqs: readonly number[]) => transact((counters) => requeuer.resend(seqs, counters, now())),
    /**
     * Makes delivered events wait again that are missing at the API. Returns how many; events that wait or are dead
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
    /** See forgetNumber. */
    forgetNumber: (number: string, masked: (text: string) => string) =>
      forgetNumber(db, inOne, number, masked),
    /** What is stored of the call records of the past. */
    backfill,
    /** What the bridge is to do with them; null: nothing more. */
    wishBackfill: (wish: string | null): void => saveBackfill('wish', wish),
    /** Makes this endpoint a trunk, without any evidence; `state` is its state if it is not known yet. */
    addTrunk: trunks.addTrunk,
    /** Deletes what is known of it as a trunk; false if nothing is. */
    forgetTrunk: trunks.forgetTrunk,
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

/** Opens it while the bridge runs. */
function openShared(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // As the bridge's own: what it says is done is on the disk.
    db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    assertKnown(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
