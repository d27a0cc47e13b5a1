import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBudget, createRateLimit } from './budget.ts';

test('each has a limit at a time, and what is returned can be taken again, once', () => {
  const budget = createBudget(2, 'streams');
  const [first] = [budget.take('a'), budget.take('a')];
  assert.throws(() => budget.take('a'), { statusCode: 429, message: /^Too many streams at a time \(2\)/ });
  budget.take('b');
  first();
  first();
  budget.take('a');
  assert.throws(() => budget.take('a'), { statusCode: 429 });
});

test('a clock that is set back begins a new window, and no longer one', () => {
  const limit = createRateLimit();
  const day = 86_400_000;
  const take = (now: number) => limit.take('account', 1, 2, now).allowed;
  assert.deepEqual([take(day), take(day), take(day)], [true, true, false]);
  assert.equal(take(day + 59_999), false, 'within its minute');
  const back = limit.take('account', 1, 2, 1_000);
  assert.deepEqual(back, { allowed: true, remaining: 1, resetAt: 61_000 });
  assert.equal(limit.recentPeak('account', 1, 1_000), 4);
  assert.equal(limit.recentPeak('account bridge', 1, 1_000), 0);
  assert.deepEqual([take(1_000), take(60_999), take(61_000)], [true, false, true]);
});
