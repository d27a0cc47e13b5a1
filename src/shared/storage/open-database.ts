import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemUser } from '../process/denied.ts';
import { StorageRefused } from './storage-error.ts';

/** How long to wait for another process, such as an operator's command, ms. */
const busyTimeoutMs = 5_000;

type DurableOptions = {
  /** SQLite's page cache. */
  readonly cacheKiB: number;
  /**
   * Size of the WAL, in pages of 4 KiB, at which it is copied into the database and restarted. The commit that reaches
   * it waits for that and for two more fsyncs, so it should be rare.
   */
  readonly checkpointPages: number;
};

/**
 * Creates a directory that only this user can read. An existing one keeps its mode: it may be shared on purpose. Throws
 * StorageRefused if there is a file in its place.
 */
export function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTDIR'].includes(code)) throw error;
    throw new StorageRefused(
      `${directory} must be a folder, and a file is in its place: move it away, or name another folder`,
    );
  }
}

/**
 * Creates a file that only this user can read. SQLite gives the WAL the mode of the database, so that must exist first.
 * Throws StorageRefused if this user may not write to it.
 */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM'].includes(code)) throw error;
    const { username } = systemUser();
    throw new StorageRefused(
      `no access to ${path} (${code}): make the user of the program its owner, as root: chown -R ${username} ${dirname(path)}`,
    );
  }
}

/**
 * Opens or creates a database whose commits survive a power cut.
 * Throws StorageRefused if that is not possible here, or SQLite's error.
 */
export function openDurable(path: string, { cacheKiB, checkpointPages }: DurableOptions): DatabaseSync {
  makeFile(path);
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA journal_size_limit = ${checkpointPages * 8192};
      PRAGMA cache_size = -${cacheKiB}`);
    assertDurable(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens an existing database read-only: sees committed data, and blocks no writer. */
export function openForReading(path: string, { cacheKiB = 2_048 } = {}): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  db.exec(`PRAGMA cache_size = -${cacheKiB}`);
  return db;
}

/** Without synchronous=FULL, a power cut can lose everything since the last checkpoint. */
export function assertDurable(db: DatabaseSync, path: string): void {
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (synchronous === 2 && mode === 'wal') return;
  throw new StorageRefused(
    `${path} would not survive a power cut here (synchronous is ${synchronous}, journal_mode ${mode}; 2 and wal are needed)`,
  );
}

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
