import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Occupant, runningPid } from '../../storage/instance-lock.ts';
import { migrate, schemaOf, versionOf } from '../../storage/migrate.ts';
import { openDurable } from '../../storage/open-database.ts';
import { BrokenInvariant } from '../../storage/trouble.ts';
import { migrations, schemaVersion } from './migrations.ts';

/** Who works on a folder of ours. */
export const occupant: Occupant = { name: 'outbox', who: 'pbx-bridge' };

/** The WAL stays near 16 MiB. */
const durable = { cacheKiB: 8_192, checkpointPages: 4_000 } as const;

export function databasePath(directory: string): string {
  return join(directory, 'outbox.db');
}

/** The bridge that works on this folder; undefined if none does, as far as can be seen. */
export function runningBridge(directory: string): number | undefined {
  return runningPid(directory, occupant.name);
}

/**
 * Opens (or makes) the database, durable and of our version.
 * Throws StorageRefused when that cannot be, SQLite's own error or BrokenInvariant when the file is damaged.
 */
export function openDatabase(path: string): DatabaseSync {
  const db = openDurable(path, durable);
  try {
    bringUpToDate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function bringUpToDate(db: DatabaseSync): void {
  const version = versionOf(db);
  const found = schemaOf(db);
  // A flipped bit in the version number alone: the schema tells.
  if (version > schemaVersion && found.join() === schemaAt(schemaVersion).join()) {
    db.exec(`PRAGMA user_version = ${schemaVersion}`);
  }
  // Tables that others have added, for a replica or for statistics, are nobody's damage.
  if (version <= schemaVersion && !schemaAt(version).every((one) => found.includes(one))) {
    throw new BrokenInvariant(`the schema is not that of version ${version}`);
  }
  migrate(db, migrations);
}

function schemaAt(version: number): string[] {
  const db = new DatabaseSync(':memory:');
  try {
    migrate(db, migrations, version);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
