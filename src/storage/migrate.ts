import type { DatabaseSync } from 'node:sqlite';
import { StorageRefused } from './refused.ts';

/** The number of steps that a database has behind it. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

/**
 * Brings a database up to version `to`, in one transaction: `steps` are its whole history, step i leads from version i
 * to i + 1. A step that was released is never edited, a later one corrects it.
 * Throws StorageRefused if a newer program has written it.
 */
export function migrate(db: DatabaseSync, steps: readonly string[], to = steps.length): void {
  if (versionOf(db) === to) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Only now nobody else can be at it.
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
    `${db.location() ?? 'the database'} was written by a newer pbx-bridge (version ${version} of its tables, this one knows ${steps.length}): install that one again`,
  );
}

/** The statements that make the schema, in a fixed order; without what SQLite makes for itself. */
export function schemaOf(db: DatabaseSync): string[] {
  const rows = db
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY type, name`,
    )
    .all();
  return rows.map(({ sql }) => `${sql};`);
}
