import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Classified } from './classify.ts';
import { type Outcome, outcomeOf, resultOf } from './outcome.ts';

const event = {
  ...({ seq: 1, callId: 'a', status: 'ringing', body: '{}' } as const),
  queuedAt: 0,
  attempts: 0,
  rejections: 0,
};
const retry: Classified = { verdict: 'retry', reason: '500' };

/** With the longest waits. */
const table: readonly [Classified, attempts: number, stopped: boolean, Outcome][] = [
  [{ verdict: 'delivered', reason: '' }, 0, false, { outcome: 'delivered', counted: true, waitMs: 0 }],
  [{ verdict: 'pause', reason: '401' }, 0, false, { outcome: 'retry', counted: false, waitMs: 0 }],
  [
    { verdict: 'hold', reason: '429', retryAfterMs: 9_000 },
    5,
    false,
    { outcome: 'retry', counted: false, waitMs: 0 },
  ],
  [retry, 0, false, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [retry, 3, false, { outcome: 'retry', counted: true, waitMs: 8_000 }],
  [retry, 1_000, false, { outcome: 'retry', counted: true, waitMs: 60_000 }],
  [retry, 0, true, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [{ ...retry, retryAfterMs: 30_000 }, 0, false, { outcome: 'retry', counted: true, waitMs: 30_000 }],
  [{ ...retry, retryAfterMs: 100 }, 3, false, { outcome: 'retry', counted: true, waitMs: 8_000 }],
  [{ ...retry, noConnection: true }, 0, false, { outcome: 'retry', counted: true, waitMs: 1_000 }],
  [{ ...retry, noConnection: true }, 4, true, { outcome: 'retry', counted: false, waitMs: 0 }],
];

for (const [classified, attempts, stopped, expected] of table) {
  const { verdict, noConnection, retryAfterMs } = classified;
  const what = [verdict, noConnection && 'no connection', retryAfterMs && `Retry-After ${retryAfterMs} ms`];
  const name = `${what.filter(Boolean).join(', ')} after ${attempts} attempts${stopped ? ' while the queue is stopped' : ''}`;
  test(`${name}: ${expected.outcome}${expected.counted ? '' : ', not counted'}`, () => {
    assert.deepEqual(
      outcomeOf({ ...event, attempts }, classified, { stopped, maxRejections: 3, random: () => 1 }),
      expected,
    );
  });
}

/** An event that the receiver will not have, with the longest waits. */
const rejections: readonly [attempts: number, rejections: number, Outcome][] = [
  [0, 0, { outcome: 'retry', counted: true, rejected: true, waitMs: 1_000 }],
  [1, 1, { outcome: 'retry', counted: true, rejected: true, waitMs: 2_000 }],
  [2, 2, { outcome: 'dead', counted: true, rejected: true, waitMs: 0 }],
  [2, 0, { outcome: 'retry', counted: true, rejected: true, waitMs: 4_000 }],
  [9, 1, { outcome: 'retry', counted: true, rejected: true, waitMs: 60_000 }],
  [9, 2, { outcome: 'dead', counted: true, rejected: true, waitMs: 0 }],
];

for (const [attempts, before, expected] of rejections) {
  test(`reject after ${attempts} attempts, ${before} of them rejected: ${expected.outcome}`, () => {
    const tried = { ...event, attempts, rejections: before };
    const circumstances = { stopped: false, maxRejections: 3, random: () => 1 };
    assert.deepEqual(outcomeOf(tried, { verdict: 'reject', reason: '422' }, circumstances), expected);
  });
}

test('what is stored of an attempt: the status of an answer, and when a retry is due', () => {
  const retried: Outcome = { outcome: 'retry', counted: true, waitMs: 99.6 };
  const when = { reason: 'why', at: 5, queueTime: 1_000 };
  const failed = { kind: 'failed', error: 'refused', detail: '', durationMs: 2 } as const;
  const stored = { seq: 1, callId: 'a', outcome: 'retry', at: 5, counted: true, durationMs: 2 };
  const why = { error: 'why', nextAt: 1_100 };
  assert.deepEqual(resultOf(event, retried, { result: failed, ...when }), { ...stored, ...why });
  const answered = { kind: 'answer', status: 500, contentType: '', body: '', truncated: false } as const;
  assert.deepEqual(resultOf(event, retried, { result: { ...answered, durationMs: 2 }, ...when }), {
    ...stored,
    ...why,
    httpStatus: 500,
  });
  const delivered: Outcome = { outcome: 'delivered', counted: true, waitMs: 0 };
  assert.deepEqual(resultOf(event, delivered, { result: { ...answered, durationMs: 2 }, ...when }), {
    ...stored,
    outcome: 'delivered',
    httpStatus: 500,
  });
});
