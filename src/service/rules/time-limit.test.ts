import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInForce, isOpen, latestBegin } from './time-limit.ts';

const minute = 60_000;

test('a window is open until its end, and not while the clock is before its beginning', () => {
  const open = [0, 10, 59, 60, 61].map((now) => isOpen(60, 50, now));
  assert.deepEqual(open, [false, true, true, false, false]);
});

test('what is stored may have been begun by a process whose clock is 5 minutes ahead, and no further', () => {
  const now = 1_700_000_000_000;
  const limit = 15 * minute;
  const inForce = [-15, -1, 0, 5].map((ahead) => isInForce(now + ahead * minute + limit, limit, now));
  assert.deepEqual(inForce, [false, true, true, true]);
  assert.equal(isInForce(latestBegin(now) + limit, limit, now), true);
  assert.equal(isInForce(latestBegin(now) + limit + 1, limit, now), false);
  assert.equal(isInForce(Number.NaN, limit, now), false);
});
