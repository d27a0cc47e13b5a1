import type { DatabaseSync } from 'node:sqlite';

/** Hooks for counters that are written once per transaction. */
type TransactionHooks = {
  /** Writes the counters. */
  readonly beforeCommit?: () => void;
  readonly committed?: () => void;
  readonly rolledBack?: () => void;
};

/** Runs work in one transaction: all of it is on disk when it returns, none of it if it throws. */
export type Transact = <T>(work: () => T) => T;

export function createTransact(db: DatabaseSync, hooks: TransactionHooks = {}): Transact {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      hooks.beforeCommit?.();
      commit.run();
      hooks.committed?.();
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors (a full disk).
      if (db.isTransaction) db.exec('ROLLBACK');
      hooks.rolledBack?.();
      throw error;
    }
  };
}
