import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate } from '../../../shared/storage/migrate.ts';
import { operatorSql } from '../operator.ts';
import { prioritySql } from './due-events.ts';
import { historySql } from './history.ts';
import { intakeSql } from './intake.ts';
import { ledgerSql } from './ledger.ts';
import { outboxSchema } from './migrations.ts';
import { outcomeSql } from './outcomes.ts';
import { requeueSql } from './requeue.ts';

// With millions of waiting rows a statement that scans or sorts would hold up everything behind it.
const direct = /^(SEARCH event |SEARCH attempt |SCAN j VIRTUAL TABLE|SEARCH [etu] )/;

/** These sort the events of one call, which are three at most. */
const ofOneCall = ['nextOfCall', 'ofCall'];

const db = new DatabaseSync(':memory:');
migrate(db, outboxSchema);

for (const [name, sql] of Object.entries({
  ...intakeSql,
  ...ledgerSql,
  ...prioritySql,
  ...outcomeSql,
  ...historySql,
  ...operatorSql,
  ...requeueSql,
})) {
  test(`outbox: the statement ${name} goes straight to its rows`, () => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const steps = plan.map(({ detail }) => String(detail));
    assert.notEqual(steps.length, 0);
    assert.deepEqual(
      steps.filter((step) => !direct.test(step)),
      ofOneCall.includes(name) ? ['USE TEMP B-TREE FOR ORDER BY'] : [],
    );
  });
}
