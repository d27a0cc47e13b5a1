import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { migrate, schemaOf, schemaOfSteps } from '../../../shared/storage/migrate.ts';
import { openDurable, openForReading as openReading } from '../../../shared/storage/open-database.ts';
import { StorageRefused } from '../../../shared/storage/storage-error.ts';

/** The WAL stays near 32 MB. */
const durable = { cacheKiB: 32_768, checkpointPages: 8_000 } as const;

/** Opens the database for writing, makes it if needed, and refuses if a commit would not be durable. */
export function openForWriting(file: string): DatabaseSync {
  const db = openDurable(file, durable);
  try {
    db.exec('PRAGMA foreign_keys = ON');
    migrate(db, migrations);
    const found = schemaOf(db);
    if (!schemaOfSteps(migrations).every((one) => found.includes(one)))
      throw new StorageRefused(
        `${file} was made by a pbx-bridge from before the first release, whose tables were others: save customers as CSV with that version, then start with another SERVICE_STATE_DIR`,
      );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens an existing database for reading only: sees what is committed, and never waits for the writer. */
export function openForReading(file: string, cacheKiB = 16_384): DatabaseSync {
  return openReading(file, { cacheKiB });
}

/** The service's steps for `migrate`. The first is the schema of the first release. */
export const migrations: readonly string[] = [readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')];
