import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counters } from './outbox/tables/counters.ts';
import { createQueueReader } from './status.ts';

const counters: Counters = { queued: 3, delivered: 1, waiting: 2, dead: 0, lost: 0 };

/** An outbox that answers only on request. */
function silentOutbox() {
  const waiting: ((counters: Counters) => void)[] = [];
  return {
    waiting,
    counters: () => new Promise<Counters>((resolve) => waiting.push(resolve)),
    oldestWaiting: async () => 7,
  };
}

test('queue: while the disk does not answer, the last figures are given, and it is asked once', async () => {
  const outbox = silentOutbox();
  const read = createQueueReader(outbox, 5);
  await assert.rejects(read(), /does not answer/);
  await assert.rejects(read(), /does not answer/);
  assert.equal(outbox.waiting.length, 1);
  outbox.waiting[0]?.(counters);
  assert.deepEqual(await read(), { ...counters, oldestWaitingAt: 7 });
  assert.deepEqual(await read(), { ...counters, oldestWaitingAt: 7 });
  assert.equal(outbox.waiting.length, 2);
  outbox.waiting[1]?.({ ...counters, queued: 4, waiting: 3 });
  assert.equal((await read()).queued, 4);
});

test('queue: an outbox that has ended is no disk that is slow', async () => {
  const ended = async () => {
    throw new Error('the outbox is closed');
  };
  const read = createQueueReader({ counters: ended, oldestWaiting: ended }, 60_000);
  await assert.rejects(read(), /closed/);
  await assert.rejects(read(), /closed/);
});
