import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { askAboutDeliveries, fillBacklog } from '../../../../test/integration/webhook-backlog.ts';
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
    folded: (text: string) => text,
    lockingRows: '',
    along: (index: string) => `INDEXED BY ${index}`,
  };
  const statements: Statements = { read, lookup: read, write: read, ...sql };
  return { db, statements, plans };
}

test('open and missed calls are found by their own indexes, however many calls are over', async () => {
  const { statements, plans } = planned();
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

const noChanges = { here: '', goesOn: () => false, changed: '', values: () => [] };

test('with 25,000 deliveries in each of ten webhooks, what is asked about one reads its own by an index', async () => {
  const { db, statements, plans } = planned();
  db.exec(`INSERT INTO accounts (id, uid, name) VALUES (1, 'a', 'A');
    INSERT INTO integrations (id, uid, account_id, name, created_at) VALUES (1, 'i', 1, 'I', 0)`);
  const now = Date.UTC(2026, 10, 24);
  const webhooks = webhookRows(statements, noChanges);
  const backlog = await fillBacklog(webhooks, (sql) => db.exec(sql), now);
  assert.equal(await webhooks.waiting(null), 3 * 25_002);
  plans.length = 0;
  await askAboutDeliveries(webhooks, backlog, now);
  const ofDeliveries = [...new Set(plans as string[])].filter((plan) =>
    / (d|b|webhook_deliveries)( |$)/.test(plan),
  );
  assert.deepEqual(ofDeliveries.sort(), [
    // The oldest 1000 by their ids, to delete those that are too old.
    'SCAN webhook_deliveries',
    // The earlier deliveries of one call.
    'SEARCH b USING INDEX sqlite_autoindex_webhook_deliveries_1 (call_row=? AND webhook_id=?)',
    // The next one of a call.
    'SEARCH d USING INDEX sqlite_autoindex_webhook_deliveries_1 (call_row=? AND webhook_id=?)',
    // A webhook's page, newest first.
    'SEARCH d USING INDEX webhook_deliveries_by_id (webhook_id=? AND rowid<?)',
    'SEARCH d USING INDEX webhook_deliveries_by_id (webhook_id=?)',
    'SEARCH d USING INDEX webhook_deliveries_by_state (webhook_id=? AND state=? AND queued_at<?)',
    'SEARCH d USING INDEX webhook_deliveries_by_state (webhook_id=? AND state=? AND queued_at>?)',
    'SEARCH d USING INDEX webhook_deliveries_by_state (webhook_id=? AND state=?)',
    'SEARCH d USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH webhook_deliveries USING COVERING INDEX sqlite_autoindex_webhook_deliveries_1 (call_row=?)',
    'SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_state (webhook_id=? AND state=? AND queued_at<?)',
    'SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_by_state (webhook_id=? AND state=?)',
    'SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_state (webhook_id=? AND state=?)',
    'SEARCH webhook_deliveries USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
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
