import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate } from '../../../storage/migrate.ts';
import { callReader } from '../shared/call-reader.ts';
import { callerRows } from '../shared/caller-rows.ts';
import type { Statements, Value } from '../shared/statements.ts';
import { webhookRows } from '../shared/webhook-rows.ts';
import { migrations } from './migrations.ts';
import { statementRunner } from './statement-runner.ts';

/** Statements that also note how they are run. */
function planned() {
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
    firstLine: (text: string) => text,
    lockingRows: '',
    along: (index: string) => `INDEXED BY ${index}`,
  };
  const statements: Statements = { read, lookup: read, write: read, ...sql };
  return { db, statements, plans };
}

/** Who has the number of a call: a row each. */
const whoCalls = [
  'SEARCH n USING PRIMARY KEY (account_id=? AND number=?) LEFT-JOIN',
  'SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
  'SEARCH s USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
];

test('open and missed calls are found by their own indexes, however many calls are over', async () => {
  const { statements, plans } = planned();
  const calls = callReader(statements, 10);
  await calls.open(1, 10);
  await callerRows(statements).missed(1, { since: 0, until: 9 }, 10);
  assert.deepEqual(plans, [
    'SEARCH c USING INDEX calls_open (account_id=?)',
    ...whoCalls,
    'SEARCH c USING INDEX calls_missed (account_id=? AND completed_at>? AND completed_at<?)',
    ...whoCalls,
    'SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH a USING INDEX calls_by_number (account_id=? AND number=? AND started_at>?)',
  ]);
});

const noChanges = { here: '', goesOn: () => false, changed: '', values: () => [] };

test('the deliveries that wait are counted by an index, however many were made', async () => {
  const { statements, plans } = planned();
  const { waiting } = webhookRows(statements, noChanges);
  assert.equal(await waiting(null), 0);
  assert.equal(await waiting(1), 0);
  const found = plans.filter((plan) => `${plan}`.includes('webhook_deliveries'));
  const byState =
    /^SEARCH webhook_deliveries USING( COVERING)? INDEX webhook_deliveries_by_state \(webhook_id=\? AND state=\?\)$/;
  assert.equal(found.length, 2);
  for (const plan of found) assert.match(`${plan}`, byState);
});

test('the deliveries of a webhook that is removed are deleted before it, in steps', async () => {
  const { db, statements } = planned();
  const { add, addTest, remove, list } = webhookRows(statements, noChanges);
  db.exec("INSERT INTO accounts (id, uid, name) VALUES (1, 'a', 'A')");
  await add({ uid: 'w', account: 1, url: 'https://a.example', events: ['call.ended'], since: 0 });
  for (let n = 0; n < 1001; n += 1) await addTest(1, n);
  db.exec(`CREATE TRIGGER at_once BEFORE DELETE ON webhooks WHEN EXISTS (SELECT 1 FROM webhook_deliveries)
    BEGIN SELECT RAISE (ABORT, 'all at once'); END`);
  await remove(1);
  assert.deepEqual(await list(null), []);
});
