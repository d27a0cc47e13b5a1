import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryQueue } from '../../../test/tools/fakes/memory-queue.ts';
import { keepingLog } from '../../bridge/outbox/outbox.fixture.ts';
import type { CallStatus } from '../api/contract/call-status.ts';
import type { Recorded } from './compare.ts';
import { HistoryUnreadable } from './history-reader.ts';
import type { Priority } from './queue.ts';
import { standBy } from './standby.ts';

const start = 1_795_000_000_000;
const query = { freshSince: start, limit: 100, except: [] };

/** A bridge that stands by with 10 s, and an API to which another has reported so much. */
function scene(reported: Readonly<Record<string, CallStatus[]>> = {}) {
  let clock = start;
  const looks: string[][] = [];
  let unreadable = false;
  const queue = createMemoryQueue();
  const standby = standBy({
    queue,
    delayMs: 10_000,
    reader: {
      async find(events): Promise<Recorded> {
        looks.push(events.map(({ callId, status }) => `${callId} ${status}`));
        if (unreadable) throw new HistoryUnreadable('HTTP 500');
        return {
          recorded: new Map(Object.entries(reported).map(([id, all]) => [id, new Set(all)])),
          unread: new Set(),
        };
      },
    },
    log: keepingLog(),
    now: () => clock,
  });
  return {
    queue,
    looks,
    breakHistory() {
      unreadable = true;
    },
    take: (callId: string, status: CallStatus) => queue.append([{ callId, status, queuedAt: clock }]),
    pass(ms: number) {
      clock += ms;
    },
    async due(priority: Priority = 'backlog') {
      const nextEvents = await standby.due({ ...query, priority, now: clock });
      return nextEvents.map(({ callId, status }) => `${callId} ${status}`);
    },
    waiting: () => queue.waiting(),
  };
}

test('nothing is given out while the other has its time, and the history is not read', async () => {
  const it = scene();
  it.take('a', 'ringing');
  // At once, by a clock that was set back a little, and shortly before the end.
  for (const ms of [0, -900, 9_900]) {
    it.pass(ms);
    assert.deepEqual([await it.due('fresh'), await it.due()], [[], []]);
  }
  assert.deepEqual(it.looks, []);
});

test('what the other has reported counts as delivered without being sent, with all that comes after it', async () => {
  const it = scene({ a: ['ringing', 'answered', 'completed'] });
  for (const status of ['ringing', 'answered', 'completed'] as const) it.take('a', status);
  it.pass(10_001);
  assert.deepEqual(await it.due(), []);
  assert.equal(await it.waiting(), 0);
});

test('what it has not reported is sent, from the first such event on', async () => {
  const it = scene({ a: ['ringing'] });
  for (const status of ['ringing', 'completed'] as const) it.take('a', status);
  it.take('b', 'ringing');
  it.pass(10_001);
  assert.deepEqual((await it.due()).sort(), ['a completed', 'b ringing']);
});

test('an earlier state that the API would discard is not sent', async () => {
  const it = scene({ a: ['completed'] });
  it.take('a', 'ringing');
  it.pass(10_001);
  assert.deepEqual(await it.due(), []);
  assert.equal(await it.waiting(), 0);
});

test('a history that cannot be read: all is sent', async () => {
  const it = scene({ a: ['ringing'] });
  it.breakHistory();
  it.take('a', 'ringing');
  it.pass(10_001);
  assert.deepEqual(await it.due(), ['a ringing']);
});

test('what this bridge has tried before is tried again, without a look at the history', async () => {
  const it = scene();
  it.take('a', 'ringing');
  it.pass(10_001);
  await it.queue.record([
    { seq: 1, callId: 'a', outcome: 'retry', at: start, counted: true, nextAt: start, durationMs: 1 },
  ]);
  assert.deepEqual(await it.due('retry'), ['a ringing']);
  assert.deepEqual(it.looks, []);
});
