import { readFileSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { messageOf } from '../../../shared/process/parse-json.ts';
import { backUpBefore } from '../../../shared/storage/backup.ts';
import { lacks, migrate, type Schema } from '../../../shared/storage/migrate.ts';
import { openDurable, openForReading as openReading } from '../../../shared/storage/open-database.ts';
import { StorageRefused, storageErrorKind } from '../../../shared/storage/storage-error.ts';
import { rowsOfRemovedAccounts, type Value } from '../statements.ts';
import { backupFiles, backupProgram } from './backup-of.ts';

/** The WAL stays near 32 MB. */
const durable = { cacheKiB: 32_768, checkpointPages: 8_000 } as const;

/** Opens the database for writing, makes it if needed, and refuses if a commit would not be durable. */
export function openForWriting(file: string): DatabaseSync {
  try {
    return openOurs(file);
  } catch (error) {
    const kind = storageErrorKind(error);
    const why = messageOf(error);
    if (kind === 'full')
      throw new StorageRefused(`no room on the disk of ${file} (${why}): make room there first`);
    if (kind === 'io') throw new StorageRefused(`${file} cannot be used (${why}): its disk fails or is full`);
    if (kind !== 'corrupt') throw error;
    throw new StorageRefused(
      `${file} is damaged (${why}): restore a backup, with pbx-bridge service restore FILE --replace`,
    );
  }
}

function openOurs(file: string): DatabaseSync {
  const db = openDurable(file, durable);
  try {
    // What is deleted, or forgotten, is not left in the file.
    db.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    migrate(db, serviceSchema, () => backUpBefore(file, { program: backupProgram, files: backupFiles }));
    const lacking = lacks(db, serviceSchema, serviceSchema.steps.length);
    if (lacking !== undefined)
      throw new StorageRefused(
        `${file} lacks the ${lacking}: restore a backup (pbx-bridge service restore FILE)`,
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

const sqlOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The first step is the schema of the first release. */
export const serviceSchema: Schema = {
  steps: [
    { name: '1.0.0', sql: sqlOf('./schema.sql') },
    { name: 'rows-of-accounts', sql: sqlOf('./step-2.sql'), deletes: rowsOfRemovedAccounts },
    { name: 'site-tokens', sql: sqlOf('./step-3.sql') },
    { name: 'closed-calls', sql: sqlOf('./step-4.sql') },
    { name: 'answered-by-number', sql: sqlOf('./step-5.sql') },
    { name: 'customers-language-blocked', sql: sqlOf('./step-6.sql') },
    { name: 'past-calls', sql: sqlOf('./step-7.sql') },
    { name: 'who-had-the-caller', sql: sqlOf('./step-8.sql') },
    { name: 'call-backs-seen', sql: sqlOf('./step-9.sql') },
    { name: 'certificates', sql: sqlOf('./step-10.sql') },
    { name: 'data-for-programs', sql: sqlOf('./step-11.sql') },
    { name: 'call-backs-due', sql: sqlOf('./step-12.sql') },
    { name: 'notes-and-promises', sql: sqlOf('./step-13.sql') },
    { name: 'phone-book', sql: sqlOf('./step-14.sql') },
    { name: 'notifications', sql: sqlOf('./step-15.sql') },
    { name: 'webhook-shapes', sql: sqlOf('./step-16.sql') },
    { name: 'numbers-kept', sql: sqlOf('./step-17.sql') },
  ],
  ifOlder: 'save customers as CSV with that version, then start with another SERVICE_STATE_DIR',
};

/** Runs a statement of store/statements.ts, and returns its rows. There are few texts: all stay prepared. */
export function statementRunner(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  return (sql: string, values: readonly Value[]): unknown[] => {
    const statement = prepared.get(sql) ?? db.prepare(sql.replace(/\$(?=\d)/g, '?'));
    prepared.set(sql, statement);
    return statement.all(...values.map(bound));
  };
}

/** SQLite would compare a fraction with an integer column. PostgreSQL refuses it, so both do. */
function bound(value: Value): SQLInputValue {
  if (typeof value === 'number' && !Number.isInteger(value))
    throw new TypeError(`A statement takes whole numbers, not ${value}.`);
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Reads of a row or two by an index, on the service's own thread. They take microseconds; the way to a thread and back,
 * behind other queries, would cost more. Those of one turn of the event loop see one state of the database, since
 * beginning and ending a read takes as long as a lookup.
 */
export function openLookups(file: string) {
  // Every commit empties the cache: a large one would only hold memory.
  const db = openForReading(file, 4_096);
  const run = statementRunner(db);
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')];

  function endRead(): void {
    if (db.isOpen && db.isTransaction) end.run();
  }
  return {
    rows(sql: string, values: readonly Value[]): unknown[] {
      if (!db.isTransaction) {
        begin.run();
        setImmediate(endRead);
      }
      return run(sql, values);
    },
    /** What is read from now on is as it is now. */
    endRead,
    close(): void {
      endRead();
      db.close();
    },
  };
}
