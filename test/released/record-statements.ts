import { openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { threadId } from 'node:worker_threads';
import { Client } from 'pg';
import { CLOSE, type Recorded, valueToJson } from './statements.ts';

/**
 * Imported before a program (`--import`, which its threads inherit): appends every statement that succeeds to the file
 * STATEMENTS, in the order in which they end. On SQLite those on files named STATEMENTS_ON (there are others, which only
 * lock), on PostgreSQL all.
 */
const file = openSync(process.env.STATEMENTS as string, 'a');
const connections = new WeakMap<object, string>();
let count = 0;

/** The name of a connection, the same for all of its statements. */
function nameOf(connection: object): string {
  const known = connections.get(connection) ?? `${process.pid}.${threadId}.${++count}`;
  connections.set(connection, known);
  return known;
}

function record(connection: object, sql: string, values: readonly unknown[]): void {
  const line: Recorded = [nameOf(connection), sql, values.map(valueToJson)];
  writeSync(file, `${JSON.stringify(line)}\n`);
}

const databases = new WeakMap<StatementSync, DatabaseSync>();
const { prepare, exec, close } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function recorded(this: DatabaseSync, ...given) {
  const statement = prepare.apply(this, given);
  databases.set(statement, this);
  return statement;
};
function recordOn(db: DatabaseSync, sql: string, values: readonly unknown[]): void {
  if (basename(db.location() ?? '') === process.env.STATEMENTS_ON) record(db, sql, values);
}
DatabaseSync.prototype.exec = function recorded(this: DatabaseSync, sql) {
  exec.call(this, sql);
  recordOn(this, sql, []);
};
DatabaseSync.prototype.close = function recorded(this: DatabaseSync) {
  recordOn(this, CLOSE, []);
  close.call(this);
};
for (const name of ['all', 'get', 'run', 'iterate'] as const) {
  const original = StatementSync.prototype[name];
  StatementSync.prototype[name] = function recorded(this: StatementSync, ...values: never[]) {
    const result = Reflect.apply(original, this, values);
    recordOn(databases.get(this) as DatabaseSync, this.sourceSQL, values);
    return result;
  } as never;
}

type Query = { readonly text: string; readonly values?: readonly unknown[] };
const { query } = Client.prototype;
Client.prototype.query = function recorded(this: Client, given: string | Query, ...more: unknown[]) {
  const { text, values = (more[0] as readonly unknown[]) ?? [] } =
    typeof given === 'string' ? { text: given } : given;
  const result = Reflect.apply(query, this, [given, ...more]);
  return result.then((answer: unknown) => {
    record(this, text, values);
    return answer;
  });
} as never;
