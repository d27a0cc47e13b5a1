import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openForWriting, statementRunner } from '../store/sqlite/open.ts';
import type { Statements, Value } from '../store/statements.ts';
import { createMissedCallerStore } from './missed-caller-store.ts';

const CALLS = 30_000;

/** An account with `count` missed calls, call `n` from the number that is the SQL `number`; and the rows that are read. */
function flooded(t: TestContext, number: string) {
  const folder = mkdtempSync(join(tmpdir(), 'callers-'));
  const db = openForWriting(join(folder, 'service.db'));
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  db.exec(`INSERT INTO accounts (uid, name) VALUES ('a', 'A');
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${CALLS})
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, completed_at, missed)
      SELECT 1, 1, 'c' || n, 'completed', '', ${number}, n, n, 1 FROM numbers`);
  const run = statementRunner(db);
  let rows = 0;
  const read = async <Row>(sql: string, ...values: Value[]) => {
    const found = run(sql, values) as Row[];
    rows += found.length;
    return found;
  };
  const along = (index: string) => `INDEXED BY ${index}`;
  const callers = createMissedCallerStore({ read, along } as Statements, (work) => work());
  return { callers, rows: () => rows };
}

const calls = ({ calls }: { readonly calls: readonly { readonly count: number }[] }) =>
  calls.reduce((sum, { count }) => sum + count, 0);

test('of a flood of missed calls from different numbers, only the newest are read', async (t) => {
  const { callers, rows } = flooded(t, `'+4930' || (1000000 + n)`);
  const missed = await callers.missedCallers(1, 0);
  assert.equal(missed.more, true);
  assert.deepEqual(
    missed.callers.map(({ call }) => call.startedAt).sort((a, b) => b - a),
    Array.from({ length: 4_000 }, (_, n) => CALLS - n),
  );
  assert.ok(rows() <= 2 * 4_000, `${rows()} rows`);
});

test('missed calls of a few numbers are read up to a limit; each number has its newest', async (t) => {
  const { callers, rows } = flooded(t, `'+4930' || (1000000 + n % 500)`);
  const missed = await callers.missedCallers(1, 0);
  assert.deepEqual([missed.callers.length, missed.more], [500, true]);
  assert.ok(missed.callers.every(({ call }) => call.startedAt > CALLS - 500));
  assert.ok(rows() <= 20_000 + 2_000 + 500, `${rows()} rows`);
});

test('all missed calls of a robot are counted, few are read, and none hides who called before it', async (t) => {
  const { callers, rows } = flooded(t, `CASE n WHEN 5 THEN '+4930112' ELSE '+49301' END`);
  const missed = await callers.missedCallers(1, 0);
  assert.deepEqual(
    Object.fromEntries(
      missed.callers.map((caller) => [caller.call.number, [caller.call.startedAt, calls(caller)]]),
    ),
    { '+49301': [CALLS, CALLS - 1], '+4930112': [5, 1] },
  );
  assert.equal(missed.more, false);
  assert.ok(rows() < CALLS / 15, `${rows()} rows`);
  const [robot] = (await callers.missedCallers(1, 0, '+49301')).callers;
  assert.deepEqual(robot && [calls(robot), robot.calls.at(-1)?.since], [CALLS - 1, 1]);
});
