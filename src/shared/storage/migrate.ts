import { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from './storage-error.ts';
import {
  nextWriter,
  ofBeforeRelease,
  type Step,
  sayDeleted,
  stepsOf,
  type Writer,
  writerValues,
  writtenBy,
} from './written-by.ts';

/** In SQLite's own header since 1.0.0: if a database says so and has no `written_by`, it is damaged. */
const RELEASED = 1000;

/** The steps of a kind of database, and what to do with one from before the first release. */
export type Schema = { readonly steps: readonly Step[]; readonly ifOlder: string };

/**
 * How many of the steps a database has; 0: it is new. Throws StorageRefused if this program cannot live with it, and
 * BrokenInvariant if it is damaged.
 */
export function stepsIn(db: DatabaseSync, { steps, ifOlder }: Schema): number {
  return stepsOf(writersOf(db, ifOlder), steps, nameOf(db));
}

/**
 * Brings a database up to date, in one transaction, and notes in it that this version has written it. `before` is
 * called before a database that has data is changed. Throws as `stepsIn`.
 */
export function migrate(db: DatabaseSync, schema: Schema, before?: () => void): void {
  const { steps, ifOlder } = schema;
  const found = writersOf(db, ifOlder);
  const had = stepsOf(found, steps, nameOf(db));
  if (nextWriter(found, steps, had) === undefined) return;
  if (had > 0 && had < steps.length) before?.();
  const deleted: { what: string; rows: number }[] = [];
  db.exec('BEGIN IMMEDIATE');
  try {
    // Looked at once more inside the transaction, when no other process can migrate.
    const writers = writersOf(db, ifOlder);
    const done = stepsOf(writers, steps, nameOf(db));
    const writer = nextWriter(writers, steps, done);
    if (writer !== undefined) {
      if (writers.length === 0) db.exec(`${writtenBy.create}; PRAGMA user_version = ${RELEASED}`);
      for (const { sql, deletes } of steps.slice(done)) {
        if (deletes) deleted.push({ ...deletes, rows: Number(db.prepare(deletes.count).get()?.rows) });
        applyStep(db, sql);
      }
      db.prepare(writtenBy.add.replaceAll(/\$\d/g, '?')).run(...writerValues(writer));
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
  sayDeleted(nameOf(db), deleted);
}

/** A step may change the definition of a table in place, which SQLite's defensive mode forbids. */
function applyStep(db: DatabaseSync, sql: string): void {
  db.enableDefensive(false);
  try {
    db.exec(sql);
  } finally {
    db.enableDefensive(true);
  }
}

/**
 * What a database lacks of the tables, columns, indexes and foreign keys that its steps have made; undefined if it lacks
 * nothing. It may have more: a newer program has added it, or somebody for a replica or for statistics.
 */
export function lacks(db: DatabaseSync, { steps }: Schema, done: number): string | undefined {
  const whole = new DatabaseSync(':memory:');
  try {
    for (const { sql } of steps.slice(0, done)) applyStep(whole, sql);
    const there = new Set(partsOf(db));
    return partsOf(whole).find((part) => !there.has(part));
  } finally {
    whole.close();
  }
}

/** `table event seq INTEGER`, `index event_next on event`, `foreign key calls account_id accounts`. */
function partsOf(db: DatabaseSync): string[] {
  const rows = db
    .prepare(
      `SELECT format('%s %s %s %s %s', s.type, s.name, s.tbl_name, p.name, p.type) AS part
       FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) p ON s.type = 'table'
       UNION ALL SELECT format('foreign key %s %s %s', s.name, f."from", f."table")
       FROM sqlite_schema s JOIN pragma_foreign_key_list(s.name) f WHERE s.type = 'table'`,
    )
    .all();
  return rows.map(({ part }) => part as string);
}

const nameOf = (db: DatabaseSync) => db.location() ?? 'the database';

/** The programs that have written a database; none if it is new. */
function writersOf(db: DatabaseSync, ifOlder: string): Writer[] {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'written_by'").get() !== undefined) {
    const columns = db.prepare("SELECT name FROM pragma_table_info('written_by')").all();
    for (const needed of ['at', 'version', 'steps', 'needs'])
      if (!columns.some(({ name }) => name === needed))
        throw new BrokenInvariant(`the table written_by has no column ${needed}`);
    const writers = db.prepare(writtenBy.read).all() as Writer[];
    if (writers.length === 0) throw new BrokenInvariant('the table written_by is empty');
    return writers;
  }
  const { user_version: mark } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (mark === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return [];
  if (mark < RELEASED) throw ofBeforeRelease(nameOf(db), ifOlder);
  throw new BrokenInvariant('there is no table written_by');
}
