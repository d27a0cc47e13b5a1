import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRateLimit } from './rate-limit.ts';

test('a window starts with the first request, counts per integration, and restarts after a minute', () => {
  const limit = makeRateLimit(2);
  const take = (integration: number, now: number) => {
    const { allowed, remaining, resetAt } = limit.take(integration, now);
    return [allowed, remaining, resetAt];
  };
  assert.deepEqual(take(1, 1000), [true, 1, 61_000]);
  assert.deepEqual(take(1, 2000), [true, 0, 61_000]);
  assert.deepEqual(take(1, 60_999), [false, 0, 61_000]);
  assert.deepEqual(take(2, 60_999), [true, 1, 120_999]);
  assert.deepEqual(take(1, 61_000), [true, 1, 121_000]);
});
