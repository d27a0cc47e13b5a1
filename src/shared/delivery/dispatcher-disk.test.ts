import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { answer, ok, startDeliveryLab } from '../../../test/tools/fakes/delivery-lab.ts';
import { callStatuses } from '../api/contract/call-status.ts';
import type { DeliveryLimits } from './limits.ts';

const priority = { concurrency: 2, turnMs: 600_000 };
const small: Partial<DeliveryLimits> = {
  priorities: { fresh: priority, backlog: priority, retry: priority },
};

test('what is never offered is found on disk', async (t) => {
  const lab = startDeliveryLab(t);
  await lab.pass(10);
  lab.take('a', ...callStatuses);
  await lab.pass(5_000, 100);
  assert.equal(lab.book.calls.get('a')?.state, 'completed');
});

test('more than memory holds: the rest is left on disk and found there', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 10, result: ok }), { limits: small });
  for (let n = 0; n < 100; n++) lab.offer(`c-${n}`, ...callStatuses);
  await lab.pass(2_000);
  assert.equal(lab.book.counts.moved, 300);
  assert.equal(lab.book.counts.inverted + lab.book.counts.repeated, 0);
});

test('a head that is offered before its predecessor is recorded is not lost', async (t) => {
  const lab = startDeliveryLab(t);
  await lab.pass(10);
  const [ringing] = lab.take('a', 'ringing');
  assert.ok(ringing);
  const record = lab.queue.record;
  lab.queue.record = async (batch) => {
    const nextEvents = await record(batch);
    // The next event is taken and offered while the record of the first is on its way back.
    if (batch.some(({ seq }) => seq === ringing.seq)) lab.offer('a', 'answered');
    return nextEvents;
  };
  lab.dispatcher.offer([ringing]);
  await lab.pass(10);
  assert.deepEqual(lab.book.calls.get('a')?.received, ['ringing', 'answered']);
});

test('an event that was tried, then overtaken by one that is sent again, is sent when the queue says that it is due', async (t) => {
  const lab = startDeliveryLab(t, ({ status }) => answer(status === 'ringing' ? 422 : 500));
  lab.offer('a', 'ringing', 'answered');
  await lab.pass(3_500, 100);
  lab.reply(() => ok);
  lab.queue.requeue(1);
  lab.dispatcher.poke();
  await lab.pass(1_000, 100);
  // It was tried after 3 s, and is due a second later.
  const sent = lab.sent.slice(-2).map(({ event, at }) => [event.status, at]);
  assert.deepEqual(sent, [
    ['ringing', 3_500],
    ['answered', 4_000],
  ]);
});

test('what waits while the disk cannot be read is sent later', async (t) => {
  const lab = startDeliveryLab(t, () => ({ afterMs: 400, result: ok }), { limits: small });
  for (const call of ['a', 'b', 'c']) lab.offer(call, 'ringing');
  const { due } = lab.queue;
  lab.queue.due = () => Promise.reject(new Error('the disk is gone'));
  await lab.pass(500);
  assert.equal(lab.lines.filter(({ code }) => code === 'delivery.queue-failed').length, 1);
  lab.queue.due = due;
  await lab.pass(10_000, 100);
  assert.deepEqual([...lab.book.calls.keys()], ['a', 'b', 'c']);
});

test('what is sent and recorded while the disk is read is not sent again', async (t) => {
  const lab = startDeliveryLab(t);
  await lab.pass(10);
  const events = lab.take('a', 'ringing');
  const { due } = lab.queue;
  lab.queue.due = async (query) => {
    const found = await due(query);
    // As on a server whose answers overtake each other.
    lab.dispatcher.offer(events.splice(0));
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    return found;
  };
  lab.dispatcher.poke();
  await lab.pass(100);
  assert.equal(lab.queue.rows[0]?.state, 'delivered');
  assert.equal(lab.sent.length, 1);
});

test('a disk that records nothing does not hold up the next try', async (t) => {
  const lab = startDeliveryLab(t, () => answer(401));
  await lab.pass(10);
  lab.queue.refuse(() => true);
  lab.offer('a', 'ringing');
  lab.take('b', 'ringing');
  await lab.pass(1_500);
  assert.deepEqual(
    lab.sent.map(({ event, at }) => [event.callId, at]),
    [
      ['a', 10],
      ['b', 1_010],
    ],
  );
});

test('a disk that fails when old events are looked for is logged', async (t) => {
  const lab = startDeliveryLab(t, () => ok, { limits: { expireEveryMs: 1_000 } });
  lab.queue.expire = () => Promise.reject(new Error('the disk is gone'));
  await lab.pass(5_100, 100);
  assert.deepEqual(
    lab.lines.map(({ code }) => code),
    ['delivery.queue-failed'],
  );
});

test('one outcome that is refused for ever does not hold up those of other calls', async (t) => {
  const lab = startDeliveryLab(t);
  lab.queue.refuse(({ callId }) => callId === 'c-3');
  for (let n = 0; n < 10; n++) lab.offer(`c-${n}`, ...callStatuses);
  await lab.pass(100);
  assert.equal(lab.sent.length, 28, 'all of nine calls, and the first of one');
  assert.equal(lab.dispatcher.status().unrecorded, 1);
  assert.equal(lab.lines.filter(({ code }) => code === 'delivery.not-recorded').length, 1);
  await lab.pass(5_000, 100);
  lab.offer('later', ...callStatuses);
  await lab.pass(100);
  assert.equal(lab.book.calls.get('later')?.state, 'completed');

  lab.reply(() => answer(401));
  lab.offer('new', 'ringing');
  await lab.pass(100);
  lab.reply(() => ok);
  lab.dispatcher.retry();
  await lab.pass(100);
  assert.equal(lab.book.calls.get('new')?.state, 'ringing', 'a new token is tried all the same');

  lab.queue.refuse(() => false);
  await lab.pass(1_100);
  assert.equal(lab.dispatcher.status().unrecorded, 0);
  assert.equal(lab.book.calls.get('c-3')?.state, 'completed');
  assert.equal(lab.book.counts.repeated, 0);
});

test('too many outcomes unrecorded: nothing more is sent until they are', async (t) => {
  const lab = startDeliveryLab(t, () => ok, { limits: { unrecorded: 50 } });
  lab.queue.refuse(() => true);
  for (let n = 0; n < 50; n++) lab.offer(`c-${n}`, 'ringing');
  await lab.pass(10);
  for (let n = 50; n < 100; n++) lab.offer(`c-${n}`, 'ringing');
  await lab.pass(100);
  assert.equal(lab.sent.length, 50);
  lab.queue.refuse(() => false);
  await lab.pass(10_000);
  assert.equal(lab.book.counts.moved, 100);
});
