import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate } from '../../../storage/migrate.ts';
import { callReader } from '../shared/call-reader.ts';
import { callerRows } from '../shared/caller-rows.ts';
import type { Statements, Value } from '../shared/statements.ts';
import { migrations } from './migrations.ts';
import { statementRunner } from './statement-runner.ts';

test('open and missed calls are found by their own indexes, however many calls are over', async () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations);
  const run = statementRunner(db);
  const plans: unknown[] = [];
  const read = async <Row>(sql: string, ...values: Value[]) => {
    for (const row of run(`EXPLAIN QUERY PLAN ${sql}`, values))
      plans.push((row as { detail: string }).detail);
    return run(sql, values) as Row[];
  };
  const sql = {
    contains: (text: string, part: string) => `instr(${text}, ${part}) > 0`,
    folded: (text: string) => text,
    lockingRows: '',
    along: (index: string) => `INDEXED BY ${index}`,
  };
  const statements: Statements = { read, lookup: read, write: read, ...sql };
  const calls = callReader(statements, 10);
  await calls.open(1, 10);
  await callerRows(statements).missed(1, { since: 0, until: 9 }, 10);
  assert.deepEqual(plans, [
    'SEARCH c USING INDEX calls_open (account_id=?)',
    'SEARCH c USING INDEX calls_missed (account_id=? AND completed_at>? AND completed_at<?)',
    'SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH a USING INDEX calls_by_number (account_id=? AND number=? AND started_at>?)',
  ]);
});
