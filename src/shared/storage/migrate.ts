import { DatabaseSync } from 'node:sqlite';
import { StorageRefused } from './storage-error.ts';

/** The number of migrations applied to a database. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

/**
 * Migrates a database to version `to`, in one transaction: step i leads from version i to i + 1. Released steps are
 * never edited; a later step corrects them. Throws StorageRefused if a newer program has written the database.
 */
export function migrate(db: DatabaseSync, steps: readonly string[], to = steps.length): void {
  if (versionOf(db) === to) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Checked inside the transaction, when no other process can migrate.
    refuseNewer(db, steps);
    const version = versionOf(db);
    for (const step of steps.slice(version, to)) db.exec(step);
    if (version < to) db.exec(`PRAGMA user_version = ${to}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Throws StorageRefused if a newer program has written the database. */
export function refuseNewer(db: DatabaseSync, steps: readonly string[]): void {
  const version = versionOf(db);
  if (version <= steps.length) return;
  throw new StorageRefused(
    `${db.location() ?? 'the database'} was written by a newer pbx-bridge (schema version ${version}, this one knows ${steps.length}): install that version`,
  );
}

/** The statements of the schema in a fixed order, without SQLite's internal tables. */
export function schemaOf(db: DatabaseSync): string[] {
  const rows = db
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY type, name`,
    )
    .all();
  return rows.map(({ sql }) => `${sql};`);
}

/** The schema that the steps up to version `to` make. */
export function schemaOfSteps(steps: readonly string[], to = steps.length): string[] {
  const db = new DatabaseSync(':memory:');
  try {
    migrate(db, steps, to);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
