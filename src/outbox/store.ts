import type { DatabaseSync } from 'node:sqlite';
import { createHistory } from './history.ts';
import { createIntake } from './intake.ts';
import { createJournal } from './journal.ts';
import { createLanes } from './lanes.ts';
import { createOutcomes } from './outcomes.ts';
import { createTallyKeeper } from './tally.ts';

/** Everything that can be asked of an open database, synchronously: the worker's side of the outbox. */
export type Store = ReturnType<typeof createStore>;

/** What can be asked of it by name, across the threads. */
export type StoreOps = Store['ops'];
export type StoreOp = keyof StoreOps;

/** One question. */
export type Ask = {
  readonly [K in StoreOp]: { readonly op: K; readonly args: Parameters<StoreOps[K]> };
}[StoreOp];

export function createStore(db: DatabaseSync) {
  const tally = createTallyKeeper(db);
  const { writeLines, pruneJournal } = createJournal(db);
  const ops = {
    ...createIntake(db, tally, writeLines),
    pruneJournal,
    ...createLanes(db),
    ...createOutcomes(db, tally),
    ...createHistory(db),
    tally: () => tally.read(),
  };
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');

  return {
    ops,
    /** Runs `work` in one transaction: when it returns, all of it is on disk, and when it throws, none of it. */
    transact<T>(work: () => T): T {
      begin.run();
      try {
        const result = work();
        tally.flush();
        commit.run();
        tally.committed();
        return result;
      } catch (error) {
        // SQLite has already rolled back after some errors (a full disk).
        if (db.isTransaction) db.exec('ROLLBACK');
        tally.rolledBack();
        throw error;
      }
    },
  };
}
