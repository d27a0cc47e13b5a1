import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Classified } from './classify.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

const retry: Classified = { verdict: 'retry', reason: '500' };

/** With the longest waits. */
const table: readonly [Classified, attempts: number, outage: boolean, Outcome][] = [
  [{ verdict: 'delivered', reason: '' }, 0, false, { outcome: 'delivered', counted: true, waitMs: 0 }],
  [{ verdict: 'pause', reason: '401' }, 0, false, { outcome: 'retry', counted: false, waitMs: 0 }],
  [
    { verdict: 'hold', reason: '429', retryAfterMs: 9_000 },
    5,
    false,
    { outcome: 'retry', counted: false, waitMs: 0 },
  ],
  [{ verdict: 'reject', reason: '422' }, 0, false, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [{ verdict: 'reject', reason: '422' }, 1, false, { outcome: 'retry', counted: true, waitMs: 2_000 }],
  [{ verdict: 'reject', reason: '422' }, 2, false, { outcome: 'dead', counted: true, waitMs: 0 }],
  [{ verdict: 'reject', reason: '422' }, 9, false, { outcome: 'dead', counted: true, waitMs: 0 }],
  [retry, 0, false, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [retry, 3, false, { outcome: 'retry', counted: true, waitMs: 8_000 }],
  [retry, 1_000, false, { outcome: 'retry', counted: true, waitMs: 60_000 }],
  [retry, 0, true, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [{ ...retry, retryAfterMs: 30_000 }, 0, false, { outcome: 'retry', counted: true, waitMs: 30_000 }],
  [{ ...retry, retryAfterMs: 100 }, 3, false, { outcome: 'retry', counted: true, waitMs: 8_000 }],
  [{ ...retry, noConnection: true }, 0, false, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [{ ...retry, noConnection: true }, 4, true, { outcome: 'retry', counted: false, waitMs: 0 }],
];

for (const [classified, attempts, outage, expected] of table) {
  const { verdict, noConnection, retryAfterMs } = classified;
  const what = [verdict, noConnection && 'no connection', retryAfterMs && `Retry-After ${retryAfterMs} ms`];
  const name = `${what.filter(Boolean).join(', ')} after ${attempts} attempts${outage ? ' in an outage' : ''}`;
  test(`${name}: ${expected.outcome}${expected.counted ? '' : ', not counted'}`, () => {
    const event = { seq: 1, callId: 'a', status: 'ringing', body: '{}', takenAt: 0, attempts } as const;
    assert.deepEqual(outcomeOf(event, classified, { outage, rejectTries: 3, random: () => 1 }), expected);
  });
}
