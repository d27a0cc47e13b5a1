import { openSync, readFileSync, writeSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { threadId } from 'node:worker_threads';
import type { Noted } from './statements.ts';

/**
 * To be imported before a program that uses SQLite, in each of its threads (`--import`): notes every statement that is run
 * in the file STATEMENTS, a line each, before its rows are returned. Almost nothing is cached, so the work of a statement
 * is the pages that it reads: the bytes that its thread reads meanwhile.
 */
const PAGE = 4096;
const file = openSync(process.env.STATEMENTS as string, 'a');
const { prototype: database } = DatabaseSync;
const { prototype: statement } = StatementSync;
const prepare = database.prepare;
const all = statement.all;
const plans = new Map<string, { id: string; plan: string[] | undefined }>();

const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/thread-self/io', 'utf8'))?.[1]);

database.prepare = function watched(this: DatabaseSync, sql: string, ...more) {
  if (!plans.has(sql) && /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql)) {
    const explained = Reflect.apply(all, Reflect.apply(prepare, this, [`EXPLAIN QUERY PLAN ${sql}`]), []);
    const plan = explained.map(({ detail }: { detail: string }) => detail);
    plans.set(sql, { id: `${threadId}.${plans.size}`, plan });
  }
  return Reflect.apply(prepare, this, [sql, ...more]);
};

const exec = database.exec;
database.exec = function watched(this: DatabaseSync, sql: string) {
  Reflect.apply(exec, this, [sql.replace(/cache_size = -\d+/, 'cache_size = 0')]);
};

for (const name of ['all', 'get', 'run'] as const) {
  const original = statement[name];
  statement[name] = function watched(this: StatementSync, ...values: never[]) {
    const known = plans.get(this.sourceSQL);
    if (known === undefined) return Reflect.apply(original, this, values);
    const before = bytesRead();
    const result = Reflect.apply(original, this, values);
    const pages = Math.round((bytesRead() - before) / PAGE);
    const noted: Noted = {
      id: known.id,
      work: pages,
      ...(known.plan && { sql: this.sourceSQL, plan: known.plan }),
    };
    writeSync(file, `${JSON.stringify(noted)}\n`);
    known.plan = undefined;
    return result;
  } as never;
}
