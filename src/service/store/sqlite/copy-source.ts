import type { SQLInputValue } from 'node:sqlite';
import { type CopiedRow, type CopiedTable, history } from '../shared/copied-tables.ts';
import { migrations } from './migrations.ts';
import { openForReading } from './open.ts';

/** What `service copy` reads of a SQLite file, beside the service that runs on it. */
export type CopySource = ReturnType<typeof openCopySource>;

/** @throws if there is no file, or it is not of this version. */
export function openCopySource(file: string) {
  const db = openForReading(file);
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version !== migrations.length) {
    db.close();
    throw new Error(
      `${file} is of schema ${version}, this program knows ${migrations.length}: let a service of this version run on it first`,
    );
  }
  const read = (sql: string, ...values: SQLInputValue[]): CopiedRow[] =>
    db
      .prepare(sql)
      .all(...values)
      .map((row) => {
        // The id of no call that was ever taken: PostgreSQL's text cannot hold it, and keeps the payload alone.
        const odd = typeof row.call_id === 'string' && row.call_id.includes('\0');
        return { ...row, ...(odd && { call_id: null }) } as CopiedRow;
      });

  return {
    /** The next rows with a higher id. */
    after: ({ name, columns }: CopiedTable, id: number, max: number): CopiedRow[] =>
      read(`SELECT ${columns.join(', ')} FROM ${name} WHERE id > ? ORDER BY id LIMIT ?`, id, max),
    withIds: ({ name, columns }: CopiedTable, ids: readonly number[]): CopiedRow[] =>
      read(
        `SELECT ${columns.join(', ')} FROM ${name} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
        JSON.stringify(ids),
      ),
    all: ({ name, columns, key }: CopiedTable): CopiedRow[] =>
      read(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`),
    /** How much history each account has, and where it begins. */
    historyByAccount: (): CopiedRow[] =>
      read(
        `SELECT a.id AS account, (SELECT count(*) FROM ${history.name} WHERE account_id = a.id) AS entries,
           o.created_at AS at, o.id AS id
         FROM accounts a LEFT JOIN ${history.name} o ON o.id = (SELECT id FROM ${history.name}
           WHERE account_id = a.id ORDER BY created_at, id LIMIT 1) ORDER BY a.id`,
      ),
    count: ({ name }: CopiedTable): number => read(`SELECT count(*) AS n FROM ${name}`)[0]?.n as number,
    directoryVersion: (): number => read('SELECT version FROM directory')[0]?.version as number,
    close: () => db.close(),
  };
}
