import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff } from './outcome.ts';

const ceilings = [
  [0, 1_000],
  [1, 1_000],
  [2, 2_000],
  [3, 4_000],
  [4, 8_000],
  [5, 16_000],
  [6, 32_000],
  [7, 60_000],
  [8, 60_000],
  [1_000, 60_000],
  [Number.MAX_SAFE_INTEGER, 60_000],
] as const;

for (const [failures, ceiling] of ceilings) {
  test(`after ${failures} failures: 0 to ${ceiling} ms`, () => {
    const waits = [1, 0.5, 0].map((random) => backoff(failures, () => random));
    assert.deepEqual(waits, [ceiling, ceiling / 2, 0]);
  });
}
