import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { storageErrorKind } from '../../shared/storage/storage-error.ts';
import { type Chunk, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { columnsToRead, type Row, recordOf } from './cdr-table.ts';

/** The last row that was read: its number, and its call, by which a new table is recognised. */
const position = z.object({ row: z.number().int(), uniqueid: z.string() });
type SqlitePosition = z.infer<typeof position>;

const beginning: SqlitePosition = { row: 0, uniqueid: '' };

/** Rows read at once: a millisecond or two, in which Asterisk cannot write its next record. */
const pageRows = 500;

/** While Asterisk writes, the database cannot be read; then it is read again after a pause, ms. */
const maxAttempts = 20;
const pauseMs = 25;

const columnsTodo =
  'Add it to `columns` and `values` in cdr_sqlite3_custom.conf (config/asterisk/cdr_sqlite3_custom.conf has all), then: asterisk -rx "module reload cdr_sqlite3_custom.so". An old table gets no new columns: ALTER TABLE cdr ADD COLUMN.';

type Table = { readonly name: string; readonly columns: readonly string[] };

/**
 * A database of cdr_sqlite3_custom. Its rows are numbered as they are written, by Asterisk's own AcctId, so that a number
 * is a position. It is opened for each read, so that a file that replaces it is noticed, and nothing stays locked.
 */
export function createSqliteSource(path: string): RecordSource<SqlitePosition> {
  /** The result of `read`; undefined if there is no file, or no table in it. */
  async function inDatabase<T>(read: (db: DatabaseSync, table: Table) => T): Promise<T | undefined> {
    for (let nth = 1; ; nth++) {
      try {
        return readOnce(read);
      } catch (error) {
        if (storageErrorKind(error) !== 'busy' || nth === maxAttempts) throw error;
        await setTimeout(pauseMs);
      }
    }
  }

  function readOnce<T>(read: (db: DatabaseSync, table: Table) => T): T | undefined {
    if (!existsSync(path)) return undefined;
    const db = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    try {
      const table = tableOf(db);
      return table && read(db, table);
    } finally {
      db.close();
    }
  }

  function absent(): never {
    throw new RecordsRefused(
      'not there yet, or without a table',
      'Asterisk makes it when cdr_sqlite3_custom is loaded (asterisk -rx "cdr show status"). Or correct CDR_SOURCE.',
      { mayCome: true },
    );
  }

  return {
    name: path,
    positionOf: (value) => position.safeParse(value).data,
    end: async () => (await inDatabase(lastRow)) ?? beginning,
    beginning: async () => ({ position: beginning, unread: [] }),
    read: async (from) => (await inDatabase((db, table) => readPage(db, table, from))) ?? absent(),
    idWidth: () => Number.POSITIVE_INFINITY,

    async probe() {
      const last = (await inDatabase(lastRow)) ?? absent();
      return last.row === 0 ? 'can be read; it is empty' : `can be read, ${last.row} records so far`;
    },
    async close() {},
  };
}

/** The table `cdr`, or the only one there is. */
function tableOf(db: DatabaseSync): Table | undefined {
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const all = names.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  const name = all.includes('cdr') ? 'cdr' : all[0];
  if (name === undefined) return undefined;
  if (name !== 'cdr' && all.length > 1)
    throw new RecordsRefused(
      `it has ${all.length} tables, and none is called cdr`,
      'Set `table = cdr` in cdr_sqlite3_custom.conf.',
    );
  const there = db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(name)
    .map((column) => String(column.name));
  return { name: quoted(name), columns: columnsToRead(there, `table ${name}`, columnsTodo) };
}

function lastRow(db: DatabaseSync, { name }: Table): SqlitePosition {
  const last = db.prepare(`SELECT rowid AS row, uniqueid FROM ${name} ORDER BY rowid DESC LIMIT 1`).get();
  return last === undefined ? beginning : { row: Number(last.row), uniqueid: String(last.uniqueid) };
}

function readPage(db: DatabaseSync, table: Table, from: SqlitePosition): Chunk<SqlitePosition> {
  const restarted = isNewTable(db, table, from);
  const start = restarted ? beginning : from;
  const columns = table.columns.map(quoted).join();
  const sql = `SELECT rowid AS row, ${columns} FROM ${table.name} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  const rows = db.prepare(sql).all(start.row, pageRows) as Row[];
  let next = start;
  const entries = rows.map((row) => {
    const entry = { record: recordOf(row), from: next };
    next = { row: Number(row.row), uniqueid: String(row.uniqueid) };
    return entry;
  });
  return { entries, next, atEnd: rows.length < pageRows, restarted };
}

/** True if the row read last is another one, or the table ends before it. Rows may be deleted. */
function isNewTable(db: DatabaseSync, table: Table, { row, uniqueid }: SqlitePosition): boolean {
  const there = db.prepare(`SELECT uniqueid FROM ${table.name} WHERE rowid = ?`).get(row);
  return there === undefined ? lastRow(db, table).row < row : String(there.uniqueid) !== uniqueid;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
