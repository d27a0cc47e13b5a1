import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, schemaOf, schemaVersion, versionOf } from './migrations.ts';
import { BrokenInvariant } from './sqlite-trouble.ts';

/** A start that was refused; the message is one line for people. */
export class OutboxRefused extends Error {
  override readonly name = 'OutboxRefused';
}

/** Another program may hold the database for this long, ms (a command of the operator). */
const busyTimeoutMs = 5_000;

/** After this many pages of 4 KiB the WAL is copied into the database and begun anew: it stays near 16 MiB. */
const checkpointPages = 4_000;

export function databasePath(directory: string): string {
  return join(directory, 'outbox.db');
}

/** The folder, only for us. One that is there already keeps its mode: it may be shared on purpose. */
export function makeFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** A file only for us. SQLite gives the WAL the mode of its database, so the database must be there first. */
export function makeFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Opens (or makes) the database, durable and of our version.
 * Throws OutboxRefused when that cannot be, SQLite's own error or BrokenInvariant when the file is damaged.
 */
export function openDatabase(path: string): DatabaseSync {
  makeFile(path);
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA journal_size_limit = ${checkpointPages * 8192};
      PRAGMA cache_size = -8192`);
    assertDurable(db, path);
    assertVersion(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** FULL is what makes "taken" true after a power cut; with less, everything since the last checkpoint can go. */
export function assertDurable(db: DatabaseSync, path: string): void {
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (synchronous === 2 && mode === 'wal') return;
  throw new OutboxRefused(
    `${path} would not survive a power cut here (synchronous is ${synchronous}, journal_mode ${mode}; 2 and wal are needed)`,
  );
}

function assertVersion(db: DatabaseSync, path: string): void {
  const version = versionOf(db);
  const found = schemaOf(db);
  // Tables that others have added, for a replica or for statistics, are nobody's damage.
  if (version <= schemaVersion && schemaAt(version).every((one) => found.includes(one))) migrate(db);
  else if (version <= schemaVersion)
    throw new BrokenInvariant(`the schema is not that of version ${version}`);
  // A flipped bit in the version number alone: the schema tells.
  else if (found.join() === schemaAt(schemaVersion).join()) db.exec(`PRAGMA user_version = ${schemaVersion}`);
  else {
    throw new OutboxRefused(
      `${path} was written by a newer pbx-bridge (version ${version} of its tables, this one knows ${schemaVersion}): install that one again`,
    );
  }
}

function schemaAt(version: number): string[] {
  const db = new DatabaseSync(':memory:');
  try {
    migrate(db, version);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
