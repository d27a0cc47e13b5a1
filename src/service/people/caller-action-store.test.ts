import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openForWriting, statementRunner } from '../store/sqlite/open.ts';
import type { Value } from '../store/statements.ts';
import { createActionLogStore } from './caller-action-store.ts';
import { createMissedCallerStore } from './missed-caller-store.ts';

/** The actions of an empty account on SQLite, and how the statements that have run find their rows. */
function planned(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'actions-'));
  const db = openForWriting(join(folder, 'service.db'));
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = statementRunner(db);
  const plans: string[] = [];
  const read = async <Row>(sql: string, ...values: Value[]) => {
    const steps = run(`EXPLAIN QUERY PLAN ${sql}`, values) as { detail: string }[];
    plans.push(...steps.map(({ detail }) => detail).filter((detail) => / [aop] |ORDER BY/.test(detail)));
    return run(sql, values) as Row[];
  };
  const statements = { read, write: read, along: (index: string) => `INDEXED BY ${index}` };
  return {
    log: createActionLogStore(statements),
    missed: createMissedCallerStore(statements, (work) => work()),
    plans: () => plans.splice(0),
  };
}

test('notes are found by indexes that have nothing else, however much else was done', async (t) => {
  const { log, plans } = planned(t);
  const query = { numbers: null, since: null, before: null, limit: 9 };
  await log.notes(1, query);
  await log.notes(1, { ...query, since: 5, before: { at: 9, id: 3 } });
  assert.deepEqual(
    new Set(plans().map((plan) => plan.replace(/ \(.*/, ''))),
    new Set(['SEARCH a USING INDEX notes_by_time']),
  );
  await log.notes(1, { ...query, numbers: ['110', '112'] });
  assert.match(
    plans().join('; '),
    /^SEARCH a USING INDEX notes_by_number \(account_id=\? AND number=\? AND at>\?/,
  );
  await log.newestNotes(1, ['110', '112'], 5);
  assert.match(
    plans().join('; '),
    /SEARCH o USING COVERING INDEX notes_by_number \(account_id=\? AND number=\? AND at>\?\)$/,
  );
});

test('promises are found by the time at which they are due, and by number', async (t) => {
  const { missed, plans } = planned(t);
  for (const among of [undefined, ['110']]) {
    await missed.promises(1, { since: 9, due: 9, among });
    const found = plans().join('; ');
    assert.match(found, /SEARCH p USING COVERING INDEX promises_by_due \(account_id=\? AND due>\?\)/);
    assert.match(found, /SEARCH a USING COVERING INDEX promises_by_number \(account_id=\? AND number=\?\)/);
  }
});
