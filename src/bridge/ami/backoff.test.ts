import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerDeadline, reconnectDelay } from './backoff.ts';
import type { AmiFailure } from './failure.ts';

const lost: AmiFailure = { kind: 'lost', detail: 'closed' };

for (const [failures, least, most] of [
  [0, 0, 0],
  [1, 125, 250],
  [2, 250, 500],
  [5, 2000, 4000],
  [6, 4000, 8000],
  [7, 5000, 10_000],
  [2000, 5000, 10_000],
] as const) {
  test(`after ${failures} failures the next attempt is made in ${least} to ${most} ms`, () => {
    assert.equal(reconnectDelay(lost, failures, 0), least);
    assert.ok(reconnectDelay(lost, failures, 1 - Number.EPSILON) <= most);
    assert.ok(reconnectDelay(lost, failures, 0.999) >= most * 0.999);
  });
}

test('what only a setting can mend is tried slowly from the first, and never more slowly than every 10 s', () => {
  const failures: AmiFailure[] = [
    { kind: 'login-refused', detail: '' },
    { kind: 'tls', check: 'name', detail: '' },
    { kind: 'no-reporting-class', detail: '' },
    { kind: 'no-call-class' },
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...failures),
      fc.nat(),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (...given) => {
        const delay = reconnectDelay(...given);
        assert.ok(delay >= 7500 && delay <= 10_000);
      },
    ),
  );
});

test('each attempt without an answer gives the next one twice as long, up to a minute', () => {
  const deadlines = [0, 1, 2, 3, 4, 5, 2000].map((silences) => answerDeadline(5000, silences));
  assert.deepEqual(deadlines, [5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  assert.equal(answerDeadline(90_000, 1), 90_000, 'a setting that is longer stays');
});
