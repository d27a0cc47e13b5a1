import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, createDeliveryLab, ok } from '../../../test/tools/fakes/delivery-lab.ts';
import { callStatuses } from '../api/contract/call-status.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

for (const [name, ms] of [
  ['an hour forward', 60 * minute],
  ['an hour back', -60 * minute],
  ['a day forward', day],
  ['a day back', -day],
  ['back to 1970', -Date.UTC(2026, 10, 20)],
] as const) {
  test(`the clock is set ${name}: nothing is sent early, nothing waits over a minute, the order stays`, async (t) => {
    const lab = createDeliveryLab(t);
    const failing = new Set<string>();
    for (let n = 0; n < 60; n++) failing.add(`c-${n}`);
    lab.reply(({ callId }) => (failing.has(callId) ? answer(500) : ok));
    lab.dispatcher.start();
    for (let n = 0; n < 60; n++) {
      lab.offer(`c-${n}`, ...callStatuses);
      // A good call now and then: no outage.
      if (n % 10 === 0) lab.offer(`good-${n}`, 'ringing');
    }
    await lab.pass(20_000, 100);
    const quiet = lab.sent.length;
    lab.jump(ms);
    // Tried after 1, 3, 7 and 15 s; next after 31 s.
    await lab.pass(8_000, 100);
    assert.equal(lab.sent.length, quiet, 'no flood');
    lab.offer('new', 'ringing');
    await lab.pass(10);
    assert.equal(lab.book.calls.get('new')?.state, 'ringing');
    failing.clear();
    await lab.pass(minute + 1_000, 100);
    assert.equal(lab.queue.rows.filter(({ state }) => state === 'waiting').length, 0);
    assert.equal(lab.book.counts.inverted, 0);
    const gaps = [...lab.book.calls.keys()].map((id) => {
      const times = lab.sent.filter(({ event }) => event.callId === id).map(({ at }) => at);
      return Math.max(...times.map((at, n) => at - (times[n - 1] ?? at)));
    });
    assert.ok(Math.max(...gaps) <= minute + 1_000, `${Math.max(...gaps)} ms`);
  });
}

test('a wait on disk that a wrong clock made long is cut to a minute', async (t) => {
  const lab = createDeliveryLab(t);
  lab.take('a', 'ringing');
  await lab.queue.record([
    {
      seq: 1,
      callId: 'a',
      outcome: 'retry',
      at: 0,
      nextAt: Date.now() + 300 * day,
      counted: true,
      durationMs: 1,
    },
  ]);
  lab.dispatcher.start();
  await lab.pass(minute, 100);
  assert.equal(lab.book.calls.get('a')?.state, 'ringing');
});

test('events over the age limit are parked, but not because the clock was set', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => answer(401));
  lab.take('old', 'ringing');
  lab.jump(10 * day);
  lab.dispatcher.start();
  lab.offer('young', 'ringing');
  lab.jump(300 * day);
  await lab.pass(11 * minute, 1_000);
  assert.deepEqual(
    lab.queue.rows.map(({ state }) => state),
    ['waiting', 'waiting'],
  );
  lab.jump(-300 * day);
  await lab.pass(5 * day, minute);
  assert.deepEqual(
    lab.queue.rows.map(({ state }) => state),
    ['dead', 'waiting'],
  );
  assert.deepEqual(
    lab.lines
      .filter(({ code }) => code === 'delivery.expired')
      .map(({ fields }) => [fields.count, fields.age]),
    [[1, '14 days']],
  );
});
