import { closeSync, mkdirSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StorageRefused } from './refused.ts';

/** Another program may hold the database for this long, ms (a command of the operator). */
const busyTimeoutMs = 5_000;

export type DurableOptions = {
  /** Memory for pages. */
  readonly cacheKiB: number;
  /**
   * After so many pages of 4 KiB the WAL is copied into the database and begun anew. The commit that meets the limit
   * waits for that and for two more fsyncs, so it must be a rare one.
   */
  readonly checkpointPages: number;
};

/** The folder, only for us. One that is there already keeps its mode: it may be shared on purpose. */
export function makeFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** A file only for us. SQLite gives the WAL the mode of its database, so the database must be there first. */
export function makeFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Opens (or makes) a database whose commits survive a power cut.
 * Throws StorageRefused where that cannot be had, or SQLite's own error.
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

/** Opens a database that is there, for reading only: sees what is committed, and holds up no writer. */
export function openForReading(path: string, { cacheKiB = 2_048 } = {}): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  db.exec(`PRAGMA cache_size = -${cacheKiB}`);
  return db;
}

/** FULL is what makes "taken" true after a power cut; with less, everything since the last checkpoint can go. */
export function assertDurable(db: DatabaseSync, path: string): void {
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (synchronous === 2 && mode === 'wal') return;
  throw new StorageRefused(
    `${path} would not survive a power cut here (synchronous is ${synchronous}, journal_mode ${mode}; 2 and wal are needed)`,
  );
}
