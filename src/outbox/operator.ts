import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databasePath } from './database.ts';
import { createHistory, type ToldEvent } from './history.ts';
import { slots } from './outcomes.ts';
import { assertKnown } from './reader.ts';
import { createTallyKeeper, type TallyKeeper } from './tally.ts';

/** A bridge under full load holds the database for a fraction of this, ms. */
const busyTimeoutMs = 10_000;

/**
 * What operators change in an outbox, whether its bridge runs or not: the file is shared with its thread, one
 * transaction at a time, and the dispatcher looks for what waits every 5 s.
 */
export type Operator = {
  /** Makes these dead letters wait again, with no attempts counted; gives how many. */
  resend(seqs: readonly number[]): number;
  /**
   * Makes the event of a delivered call wait again: it is missing at the far side. Gives how many; an event that
   * waits or is a dead letter is left as it is.
   */
  sendAgain(seqs: readonly number[]): number;
  /** Forgets these dead letters for ever; gives those that it forgot. `before` sees them first, and may throw. */
  discard(seqs: readonly number[], before: (events: readonly ToldEvent[]) => void): ToldEvent[];
  close(): void;
};

/** Opens a folder's database to change it; undefined when there is none. Throws OutboxRefused, in one line. */
export function openOperator(directory: string): Operator | undefined {
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

  /** The counters are read inside the transaction: the bridge may have moved on a moment ago. */
  function transact<T>(work: (tally: TallyKeeper) => T): T {
    db.exec('BEGIN IMMEDIATE');
    try {
      const tally = createTallyKeeper(db);
      const result = work(tally);
      tally.flush();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  return {
    resend: (seqs) => transact((tally) => createHistory(db, tally).resend(seqs)),
    sendAgain: (seqs) =>
      transact((tally) => {
        const park = db.prepare('UPDATE event SET state = 2 WHERE seq = ? AND state = 1');
        const parked = seqs.filter((seq) => park.run(seq).changes === 1);
        for (const _ of parked) tally.move('delivered', 'dead');
        return createHistory(db, tally).resend(parked);
      }),
    discard: (seqs, before) =>
      transact((tally) => {
        const history = createHistory(db, tally);
        const wanted = new Set(seqs);
        const found = seqs
          .flatMap((seq) => history.deadLetters(seq - 1, 1))
          .filter(({ seq }) => wanted.has(seq));
        before(found);
        const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
        const forget = db.prepare('DELETE FROM event WHERE seq = ?');
        for (const { seq } of found) {
          forgetAttempts.run(seq * slots, seq * slots + slots);
          forget.run(seq);
          tally.discard();
        }
        return found;
      }),
    close: () => db.close(),
  };
}
