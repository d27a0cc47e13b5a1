import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Classified } from './classify.ts';
import { type Flow, flowing, nextFlow } from './flow.ts';
import { longestWaitMs } from './queue.ts';

const delivered: Classified = { verdict: 'delivered', reason: '' };
const reject: Classified = { verdict: 'reject', reason: '422' };
const retry: Classified = { verdict: 'retry', reason: '500' };
const retryLater: Classified = { verdict: 'retry', reason: '503', retryAfterMs: 30_000 };
const noConnection: Classified = { verdict: 'retry', reason: 'refused', noConnection: true };
const pause: Classified = { verdict: 'pause', reason: '401' };
const hold: Classified = { verdict: 'hold', reason: '429', retryAfterMs: 30_000 };

const paused: Flow = {
  state: 'paused',
  since: 100,
  reason: '401',
  attempts: 2,
  nextTryAt: 900,
  named: false,
  reachable: true,
};
const held: Flow = { ...paused, state: 'held', reason: '429' };
const out: Flow = { ...paused, state: 'outage', reason: '500' };
const gone: Flow = { ...out, reason: 'refused', reachable: false };
const stumbling: Flow = { state: 'ok', since: 100, failures: 19, succeededAt: 500 };
const nearlyGone: Flow = { state: 'ok', since: 100, failures: 2, succeededAt: 500 };

/** One attempt at 1000 ms, begun at 990, with the longest waits. What is not named stays as it was. */
const table: readonly [from: Flow, attempt: Classified, probe: boolean, to: Partial<Flow>][] = [
  [flowing(100), delivered, false, { state: 'ok', since: 100, succeededAt: 1000 }],
  [stumbling, delivered, false, { state: 'ok', since: 100, failures: 0, succeededAt: 1000 }],
  [stumbling, reject, false, { state: 'ok', failures: 0 }],
  [flowing(100), retry, false, { state: 'ok', failures: 1 }],
  [stumbling, retry, false, { state: 'outage', since: 1000, attempts: 1, nextTryAt: 2000, reachable: true }],
  // It began at the same moment as the state, or when the last success ended.
  [flowing(990), retry, false, { state: 'ok', failures: 1 }],
  [flowing(100), noConnection, false, { state: 'ok', failures: 1 }],
  [nearlyGone, noConnection, false, { state: 'outage', reason: 'refused', reachable: false }],
  [nearlyGone, retry, false, { state: 'ok', failures: 3 }],
  [flowing(100), pause, false, { state: 'paused', since: 1000, reason: '401', attempts: 1, nextTryAt: 2000 }],
  [flowing(100), hold, false, { state: 'held', since: 1000, attempts: 1, nextTryAt: 31_000 }],

  [paused, delivered, true, { state: 'ok', since: 1000, failures: 0 }],
  [paused, reject, true, { state: 'ok', since: 1000 }],
  [paused, pause, true, { state: 'paused', since: 100, attempts: 3, nextTryAt: 5000 }],
  [paused, retry, true, { state: 'paused', since: 100, reason: '401', attempts: 3, nextTryAt: 5000 }],
  [paused, hold, true, { state: 'held', since: 1000, attempts: 1, nextTryAt: 31_000 }],

  [held, delivered, true, { state: 'ok', since: 1000 }],
  [held, hold, true, { state: 'held', since: 100, attempts: 3, nextTryAt: 31_000 }],
  [
    { ...held, attempts: 6 },
    { ...hold, retryAfterMs: 2_000 },
    true,
    { state: 'held', attempts: 7, nextTryAt: 3_000 },
  ],
  [{ ...held, attempts: 6 }, { verdict: 'hold', reason: '429' }, true, { state: 'held', nextTryAt: 61_000 }],
  [held, { ...hold, retryAfterMs: 0 }, true, { state: 'held', attempts: 3, nextTryAt: 5_000 }],
  [{ ...held, attempts: 6 }, { ...hold, retryAfterMs: 999 }, true, { state: 'held', nextTryAt: 61_000 }],
  [{ ...held, attempts: 6 }, { ...hold, retryAfterMs: 1_000 }, true, { state: 'held', nextTryAt: 2_000 }],
  [held, retry, true, { state: 'ok', since: 1000, failures: 1 }],
  [held, pause, true, { state: 'paused', since: 1000, attempts: 1 }],

  [out, delivered, true, { state: 'ok', since: 1000 }],
  [out, delivered, false, { state: 'ok', since: 1000 }],
  [out, retry, true, { state: 'outage', since: 100, attempts: 3, nextTryAt: 5000, reachable: true }],
  [out, retry, false, { state: 'outage', since: 100, attempts: 2, nextTryAt: 900, reachable: true }],
  [out, retryLater, false, { state: 'outage', since: 100, attempts: 2, nextTryAt: 31_000, named: true }],
  [out, { ...retryLater, retryAfterMs: 1 }, true, { state: 'outage', named: true }],
  [out, { ...retryLater, retryAfterMs: 1 }, false, { state: 'outage', named: true }],
  [out, retryLater, true, { state: 'outage', attempts: 3, nextTryAt: 31_000, named: true }],
  [
    { ...out, nextTryAt: 50_000, named: true },
    retryLater,
    false,
    { state: 'outage', nextTryAt: 50_000, named: true },
  ],
  [{ ...out, named: true }, retry, true, { state: 'outage', nextTryAt: 5000, named: false }],
  [stumbling, retryLater, false, { state: 'outage', attempts: 1, nextTryAt: 31_000, named: true }],
  [out, noConnection, false, { state: 'outage', attempts: 2, nextTryAt: 900, reachable: false }],
  [out, noConnection, true, { state: 'outage', attempts: 3, reachable: false, reason: 'refused' }],
  [gone, retry, true, { state: 'outage', attempts: 3, reachable: true, reason: '500' }],
  [gone, pause, true, { state: 'paused', since: 1000, attempts: 1 }],
  [gone, hold, true, { state: 'held', since: 1000 }],
];

for (const [from, attempt, probe, to] of table) {
  const failures = from.state === 'ok' ? ` after ${from.failures} failures` : '';
  const gives = `${to.state}${'attempts' in to ? `, try ${to.attempts}` : ''}`;
  test(`${from.state}${failures} + ${probe ? 'probe' : 'attempt'}: ${attempt.reason || 'delivered'} -> ${gives}`, () => {
    const next = nextFlow(from, { classified: attempt, startedAt: 990, endedAt: 1000, probe }, () => 1);
    assert.deepEqual({ ...next, ...to }, next);
  });
}

test('an attempt that began before the state changed changes nothing', () => {
  for (const from of [paused, held, out, gone, flowing(100)]) {
    for (const classified of [delivered, reject, retry, noConnection, pause, hold]) {
      const attempt = { classified, startedAt: 99, endedAt: 1000, probe: false };
      assert.equal(
        nextFlow(from, attempt, () => 1),
        from,
      );
    }
  }
});

test('a failure that took longer than a success beside it is no sign of an outage', () => {
  const flow: Flow = { state: 'ok', since: 100, failures: 19, succeededAt: 995 };
  for (const classified of [retry, noConnection]) {
    assert.equal(
      nextFlow(flow, { classified, startedAt: 990, endedAt: 1000, probe: false }, () => 1),
      flow,
    );
  }
  const pausing = nextFlow(flow, { classified: pause, startedAt: 990, endedAt: 1000, probe: false }, () => 1);
  assert.equal(pausing.state, 'paused');
});

test('whatever happens: no wait is over a minute, and a success flows again', () => {
  const verdicts = fc.constantFrom(retry, noConnection, pause, hold, reject, delivered);
  fc.assert(
    fc.property(fc.array(fc.tuple(verdicts, fc.boolean()), { maxLength: 200 }), (attempts) => {
      let flow: Flow = flowing(0);
      let at = 0;
      for (const [classified, probe] of attempts) {
        at += 10;
        flow = nextFlow(flow, { classified, startedAt: at - 5, endedAt: at, probe }, () => 1);
        if (flow.state !== 'ok') assert.ok(flow.nextTryAt - at <= longestWaitMs && flow.since <= at);
      }
      flow = nextFlow(
        flow,
        { classified: delivered, startedAt: at + 1, endedAt: at + 2, probe: true },
        () => 1,
      );
      assert.equal(flow.state, 'ok');
    }),
  );
});
