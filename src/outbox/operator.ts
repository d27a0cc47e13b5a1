import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createTransact } from '../storage/transact.ts';
import { assertKnown } from './reader.ts';
import { type CounterKeeper, createCounterKeeper } from './tables/counters.ts';
import { databasePath } from './tables/database.ts';
import { createEventReader, eventColumns, type StoredEvent, type StoredRow } from './tables/history.ts';
import { deadState, slots } from './tables/outcomes.ts';
import { createReviver } from './tables/revive.ts';
import { createTrunkTable } from './tables/trunks.ts';

/** A bridge under full load holds the database for a fraction of this, ms. */
const busyTimeoutMs = 10_000;

/**
 * What operators change in an outbox, whether its bridge runs or not: the file is shared with its thread, one
 * transaction at a time, and the dispatcher looks for what waits every 5 s.
 */
export type Operator = {
  /** Makes these dead letters wait again, as young as new ones and with no attempts counted; gives how many. */
  resend(seqs: readonly number[]): number;
  /**
   * Makes the event of a delivered call wait again: it is missing at the far side. Gives how many; an event that
   * waits or is a dead letter is left as it is.
   */
  sendAgain(seqs: readonly number[]): number;
  /** Forgets these dead letters for ever; gives those that it forgot. `before` sees them first, and may throw. */
  discard(seqs: readonly number[], before: (events: readonly StoredEvent[]) => void): StoredEvent[];
  /** Says that this endpoint is a trunk, whatever is heard of it; `state` is its state if it is not known yet. */
  addTrunk(endpoint: string, state: string): void;
  /** Deletes what is known of it as a trunk; false if nothing is. */
  forgetTrunk(endpoint: string): boolean;
  close(): void;
};

export const operatorSql = {
  dead: `SELECT ${eventColumns} FROM event WHERE seq = ? AND state = ${deadState}`,
} as const;

/**
 * Opens a folder's database to change it; undefined when there is none. Throws StorageRefused, in one line.
 * `now`: Unix ms.
 */
export function openOperator(directory: string, now: () => number = Date.now): Operator | undefined {
  const path = databasePath(directory);
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    // As the bridge's own: what it says is done is on the disk.
    db.exec('PRAGMA synchronous = FULL');
    assertKnown(db, path);
  } catch (error) {
    db.close();
    throw error;
  }

  const inOne = createTransact(db);
  /** The counters are read inside the transaction: the bridge may have moved on a moment ago. */
  const transact = <T>(work: (counters: CounterKeeper) => T): T =>
    inOne(() => {
      const counters = createCounterKeeper(db);
      const result = work(counters);
      counters.flush();
      return result;
    });

  const reviver = createReviver(db);
  const trunks = createTrunkTable(db);
  const dead = db.prepare(operatorSql.dead);
  const toEvent = createEventReader(db);
  const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
  const forget = db.prepare('DELETE FROM event WHERE seq = ?');

  return {
    resend: (seqs) => transact((counters) => reviver.resend(seqs, counters, now())),
    sendAgain: (seqs) => transact((counters) => reviver.sendAgain(seqs, counters, now()).length),
    discard: (seqs, before) =>
      transact((counters) => {
        const found = [...new Set(seqs)]
          .flatMap((seq) => (dead.get(seq) as StoredRow | undefined) ?? [])
          .map(toEvent);
        before(found);
        for (const { seq } of found) {
          forgetAttempts.run(seq * slots, seq * slots + slots);
          forget.run(seq);
          counters.discard();
        }
        return found;
      }),
    addTrunk: trunks.addTrunk,
    forgetTrunk: trunks.forgetTrunk,
    close: () => db.close(),
  };
}
