import type { DatabaseSync } from 'node:sqlite';

/** What somebody who sums up over a transaction must do and know. */
export type TransactionHooks = {
  /** Writes what was summed up. */
  readonly beforeCommit?: () => void;
  readonly committed?: () => void;
  readonly rolledBack?: () => void;
};

/** Runs work in one transaction: when it returns, all of it is on disk, and when it throws, none of it. */
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
