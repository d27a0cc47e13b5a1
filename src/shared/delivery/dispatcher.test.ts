import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createDeliveryLab,
  ok,
  startDeliveryLab,
  startUnix,
} from '../../../test/tools/fakes/delivery-lab.ts';
import { callStatuses } from '../api/contract/call-status.ts';
import type { DeliveryLimits } from './limits.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const priority = { concurrency: 2, turnMs: 600_000 };
const small: Partial<DeliveryLimits> = {
  priorities: { fresh: priority, backlog: priority, retry: priority },
};

test('the events of a call go one at a time, in order, each after the answer to the one before', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 100, result: ok }));
  lab.offer('a', ...callStatuses);
  await lab.pass(1_000);
  assert.deepEqual(
    lab.sent.map(({ event, at }) => [event.status, at]),
    [
      ['ringing', 0],
      ['answered', 100],
      ['completed', 200],
    ],
  );
  assert.deepEqual(lab.book.calls.get('a')?.received, [...callStatuses]);
});

test('calls do not wait for each other', async (t) => {
  const lab = startDeliveryLab(t, (event) => (event.callId === 'slow' ? { afterMs: 9_000, result: ok } : ok));
  lab.offer('slow', 'ringing');
  lab.offer('quick', ...callStatuses);
  await lab.pass(10);
  assert.deepEqual(lab.book.calls.get('quick')?.received, [...callStatuses]);
});

test('a fresh event is sent at once, without a query', async (t) => {
  const lab = startDeliveryLab(t);
  await lab.pass(10);
  assert.equal(lab.queue.asked.nextDue, 1, 'only retries have a time');
  const before = lab.queue.asked.due;
  lab.offer('a', ...callStatuses);
  await lab.pass(0);
  assert.equal(lab.sent.length, 3);
  assert.equal(lab.queue.asked.due, before);
  assert.deepEqual(lab.dispatcher.status(), {
    state: 'ok',
    since: startUnix,
    lastDeliveredAt: startUnix + 10,
    inFlight: 0,
    unrecorded: 0,
    delivered: 3,
    failedAttempts: 0,
    deadLetters: 0,
  });
});

test('an event that is offered twice is sent once', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 100, result: ok }));
  const events = lab.take('a', 'ringing');
  lab.dispatcher.offer(events);
  lab.dispatcher.offer(events);
  await lab.pass(500);
  assert.equal(lab.sent.length, 1);
});

test('among fresh calls that wait, the newest goes first', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 100, result: ok }));
  for (let n = 0; n < 99; n++) lab.offer(`c-${n}`, 'ringing');
  await lab.pass(150);
  assert.deepEqual(
    lab.sent.slice(62, 67).map(({ event }) => event.callId),
    ['c-62', 'c-63', 'c-98', 'c-97', 'c-96'],
  );
});

test('fresh calls go ahead of an old backlog; the backlog goes oldest first', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => ({ afterMs: 1_000, result: ok }));
  for (let n = 0; n < 500; n++) lab.take(`old-${n}`, 'ringing');
  lab.jump(day);
  lab.dispatcher.start();
  await lab.pass(10);
  lab.offer('new', 'ringing');
  await lab.pass(10);
  const calls = lab.sent.map(({ event }) => event.callId);
  const ahead = calls.indexOf('new');
  assert.ok(ahead > 0 && ahead < 40, `behind ${ahead} of 500`);
  await lab.pass(30_000, 500);
  const old = lab.sent.map(({ event }) => event.callId).filter((id) => id.startsWith('old-'));
  assert.deepEqual(
    old,
    Array.from({ length: 500 }, (_, n) => `old-${n}`),
  );
});

test('whatever hangs, no more requests are under way than the limit says', async (t) => {
  const hasty = { ...priority, turnMs: 100 };
  const limits = { inFlight: 10, priorities: { fresh: hasty, backlog: hasty, retry: hasty } };
  const lab = createDeliveryLab(t, { limits });
  lab.reply(() => 'hang');
  for (let n = 0; n < 50; n++) lab.take(`old-${n}`, 'ringing');
  lab.jump(day);
  lab.dispatcher.start();
  await lab.pass(700, 50);
  assert.equal(lab.inFlight(), 10, 'what the disk has more is read as soon as the first are known to hang');
  for (let n = 0; n < 50; n++) {
    lab.offer(`new-${n}`, 'ringing');
    await lab.pass(50);
    assert.ok(lab.inFlight() <= 10, `${lab.inFlight()} under way`);
  }
  assert.equal(lab.inFlight(), 10);
});

test('stop lets running requests end and records them; the rest stays on disk; a second stop is harmless', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 300, result: ok }), { limits: small });
  for (let n = 0; n < 20; n++) lab.offer(`c-${n}`, ...callStatuses);
  await lab.pass(100);
  let done = 0;
  const count = () => done++;
  void lab.dispatcher.stop().then(count);
  void lab.dispatcher.stop().then(count);
  await lab.pass(100);
  assert.equal(done, 0);
  await lab.pass(200);
  assert.equal(done, 2);
  assert.equal(lab.sent.length, 2);
  assert.equal(lab.queue.rows.filter(({ state }) => state === 'delivered').length, 2);
  lab.offer('late', 'ringing');
  lab.dispatcher.poke();
  await lab.pass(minute, 1_000);
  assert.equal(lab.sent.length, 2);
});

test('stop does not wait when nothing is under way', async (t) => {
  const lab = startDeliveryLab(t);
  lab.offer('a', 'ringing');
  await lab.pass(10);
  let done = false;
  void lab.dispatcher.stop().then(() => {
    done = true;
  });
  await lab.pass(0);
  const doneAtOnce = done;
  await lab.pass(5_000, 1_000);
  assert.ok(doneAtOnce);
});

test('stop waits for a request while an earlier outcome cannot be recorded', async (t) => {
  const lab = startDeliveryLab(t);
  lab.queue.refuse(({ callId }) => callId === 'a');
  lab.offer('a', 'ringing');
  await lab.pass(10);
  lab.reply(() => ({ afterMs: 300, result: ok }));
  lab.offer('b', 'ringing');
  await lab.pass(10);
  void lab.dispatcher.stop();
  await lab.pass(5_000);
  assert.deepEqual(
    lab.queue.results.map(({ callId }) => callId),
    ['b'],
  );
});

test('stop does not wait for a request that hangs, and does not record what it never saw', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 20_000, result: ok }));
  lab.offer('a', 'ringing');
  await lab.pass(10);
  let done = false;
  void lab.dispatcher.stop(1_000).then(() => {
    done = true;
  });
  await lab.pass(990);
  assert.equal(done, false);
  await lab.pass(20);
  assert.equal(done, true);
  await lab.pass(30_000, 1_000);
  assert.equal(lab.queue.results.length, 0);
  assert.equal(lab.dispatcher.status().delivered, 0);
  assert.deepEqual(lab.lines, []);
});
