import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { askAboutDeliveries, fillBacklog } from '../../../../test/integration/webhook-backlog.ts';
import { migrate } from '../../../storage/migrate.ts';
import { everyCall } from '../call-store.ts';
import { callReader } from '../shared/call-reader.ts';
import { callerRows } from '../shared/caller-rows.ts';
import { makeSerialise } from '../shared/serialise.ts';
import type { Statements, Value } from '../shared/statements.ts';
import { webhookRows } from '../shared/webhook-rows.ts';
import { migrations } from './migrations.ts';
import { statementRunner } from './statement-runner.ts';
import { trimmer } from './trimmer.ts';

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
  const callers = callerRows(statements, makeSerialise());
  await callers.missed(1, { since: 0, until: 9 }, 10);
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

test('missed callers are found by the missed calls of the span, however many calls are over', async () => {
  const { db, statements, plans } = planned();
  db.exec(`WITH n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 1000)
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, completed_at, missed)
    SELECT 1, 1, at, 'completed', at % 100, at % 100, at, at, at % 5 = 0 FROM n; ANALYZE`);
  const callers = callerRows(statements, makeSerialise());
  const found = await callers.missedCallers(1, 900);
  assert.equal(found.length, 20);
  const ofCalls = plans.filter((plan) => / (calls|[acnr]) /.test(`${plan}`));
  const walk = 'SEARCH calls USING INDEX calls_missed (account_id=? AND completed_at>?)';
  const byNumber = 'SEARCH a USING INDEX calls_by_number (account_id=? AND number=? AND started_at>?)';
  assert.deepEqual(ofCalls.toSorted(), [
    byNumber,
    byNumber,
    'SEARCH c USING INTEGER PRIMARY KEY (rowid=?)',
    walk,
    'SEARCH n USING INDEX calls_missed (account_id=? AND completed_at=?)',
    'SEARCH n USING PRIMARY KEY (account_id=? AND number=?) LEFT-JOIN',
    'SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
  ]);
});

test('the calls of a customer are found by each number, those of a segment in the order of time', async () => {
  const { statements, plans } = planned();
  const { slice } = callReader(statements, 10);
  const query = { account: 1, towards: 'older', from: null, limit: 5 } as const;
  const named = { digits: null, words: ['ann'], extensions: ['ann'] };
  await slice({ ...query, filter: { ...everyCall, customer: { is: '7' } }, numbers: ['110', '112'] });
  await slice({ ...query, filter: { ...everyCall, search: named }, numbers: ['110'] });
  await slice({ ...query, filter: { ...everyCall, segment: 'Gold' }, numbers: null });
  await slice({ ...query, filter: { ...everyCall, search: named }, numbers: null });
  const byNumber = ['SEARCH c USING INDEX calls_by_number (account_id=? AND number=?)', ...whoCalls];
  const byTime = [
    'SEARCH c USING COVERING INDEX calls_by_time (account_id=?)',
    'SEARCH c USING INDEX calls_by_time (account_id=?)',
    ...whoCalls,
  ];
  assert.deepEqual(plans, [
    ...byNumber,
    ...byNumber,
    ...byNumber,
    'SEARCH c USING INDEX calls_by_extension (account_id=? AND caller_id=?)',
    ...whoCalls,
    ...byTime,
    ...byTime,
  ]);
});

test('who gets another segment has only the kept figures read, and the calls of the numbers by index', () => {
  const { db } = planned();
  const planOf = (sql: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail as string);
  const triggers = db
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%kept_figures%'")
    .all()
    .map(
      ({ sql }) =>
        /BEGIN([^;]+)/.exec(sql as string)?.[1]?.replace(/\b(old|new)\.(?:account_|customer_)?\w+/g, '?') ??
        '',
    );
  assert.equal(triggers.length, 3);
  for (const sql of triggers)
    assert.deepEqual(
      planOf(sql).filter(
        (plan) => !/SUBQUERY/.test(plan) && !/SEARCH (calls|c|n|kept_figures) USING.* INDEX /.test(plan),
      ),
      [],
      sql,
    );
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

test('an attempt that does not count is none of the attempts, and a note that is not there is not removed', async () => {
  const { db, statements } = planned();
  const { add, addTest, record } = webhookRows(statements, noChanges);
  db.exec("INSERT INTO accounts (id, uid, name) VALUES (1, 'a', 'A')");
  await add({ uid: 'w', account: 1, url: 'https://a.example', events: ['call.ended'], since: 0 });
  await addTest(1, 0);
  const result = { seq: 1, callId: '', outcome: 'retry', at: 1, nextAt: 2, durationMs: 1 } as const;
  const counts = () => ({ ...db.prepare('SELECT tries, attempts FROM webhook_deliveries').get() });
  await record(1, { ...result, counted: false }, null);
  assert.deepEqual(counts(), { tries: 1, attempts: 0 });
  await record(1, { ...result, counted: true }, null);
  assert.deepEqual(counts(), { tries: 2, attempts: 1 });

  const callers = callerRows(statements, makeSerialise());
  const note = { number: '110', at: 1, user: 'Ann' };
  await callers.act(1, { ...note, kind: 'note', text: 'x' });
  assert.equal(await callers.removeNote(1, { ...note, at: 2 }), false);
  assert.equal(await callers.removeNote(1, note), true);
});

test('the history of every account is trimmed, in whatever order they come', () => {
  const { db } = planned();
  db.exec(`INSERT INTO history (account_id, integration_id, created_at, method, path, request, status, duration)
    VALUES (1, 1, 9, 'GET', '/', '', 200, 0), (2, 2, 1, 'GET', '/', '', 200, 0);
    INSERT OR REPLACE INTO history_counts VALUES (1, 1), (2, 1)`);
  const removed: [number, number][] = [];
  const trim = trimmer(db, (account, rows) => removed.push([account, rows]));
  assert.deepEqual([trim({ before: 5 }), trim({ before: 5 }), removed], [1, 0, [[2, 1]]]);
});
