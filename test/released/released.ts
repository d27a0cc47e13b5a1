import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { CLOSE, type Recorded, statementsIn, valueFromJson } from './statements.ts';

const unpacked = (release: string, name: string) =>
  gunzipSync(readFileSync(fileURLToPath(new URL(`${release}/${name}.gz`, import.meta.url))));

/** A text file of a release, such as its dump. */
export const textOf = (release: string, name: string) =>
  readFileSync(new URL(`${release}/${name}`, import.meta.url), 'utf8');

/** Puts a database of a release into a folder of its own in `folder`; returns its path. */
export function unpack(release: string, name: string, folder: string): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, unpacked(release, name), { mode: 0o600 });
  return path;
}

/** What a release did to an empty database until it was the one that is kept. */
export const statementsOf = (release: string, name: string): Recorded[] =>
  statementsIn(unpacked(release, `${name}.statements.jsonl`).toString());

/**
 * Columns that are not compared after a later step: it may have 1.0.0's 0 for "of no account" as NULL, which a foreign key
 * needs.
 */
export const writtenOtherwise = /^audit\.account_id$/;

/** These columns without those that a pattern names, such as `calls.id`. */
export const without = (columns: ReadonlyMap<string, readonly string[]>, ...patterns: readonly RegExp[]) =>
  new Map(
    [...columns]
      .map(([table, names]): [string, string[]] => [
        table,
        names.filter((name) => !patterns.some((pattern) => pattern.test(`${table}.${name}`))),
      ])
      .filter(([, names]) => names.length > 0),
  );

/** The columns of the tables of a database, without who has written it. */
export function columnsIn(path: string): Map<string, string[]> {
  using db = new DatabaseSync(path, { readOnly: true });
  const rows = db
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'written_by'`,
    )
    .all() as { table: string; column: string }[];
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([table, columns]) => [table, columns.map(({ column }) => column)]));
}

/** The rows of these columns, in the order of their values. */
export function rowsIn(path: string, columns: ReadonlyMap<string, readonly string[]>) {
  using db = new DatabaseSync(path, { readOnly: true });
  return Object.fromEntries(
    [...columns].map(([table, names]) => {
      const order = names.map((_, at) => at + 1).join();
      return [table, db.prepare(`SELECT ${names.join()} FROM ${table} ORDER BY ${order}`).all()];
    }),
  );
}

/** Runs recorded statements on a database, each on the connection of its name. */
export function replayOn(path: string, statements: readonly Recorded[]): void {
  const connections = new Map<string, DatabaseSync>();
  try {
    for (const [name, sql, values] of statements) {
      const db = connections.get(name) ?? new DatabaseSync(path);
      connections.set(name, db);
      try {
        // A test needs no fsync.
        if (sql === CLOSE) {
          db.close();
          connections.delete(name);
        } else if (values.length === 0) db.exec(sql.replace('synchronous = FULL', 'synchronous = OFF'));
        else db.prepare(sql).all(...values.map((value) => valueFromJson(value) as SQLInputValue));
      } catch (error) {
        throw new Error(`${sql} ${JSON.stringify(values)}`, { cause: error });
      }
    }
  } finally {
    for (const db of connections.values()) db.close();
  }
}
