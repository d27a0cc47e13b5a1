import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from './fair-queue.ts';

/** A queue whose jobs end when `end` says so; `begun` has the clients of all jobs that have started. */
function setUp(limits: { running: number; waitingOfOne: number; waiting: number }) {
  const queue = createFairQueue(limits);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (client: string, count = 1, signal?: AbortSignal) => {
    const job = () => {
      begun.push(client);
      return new Promise<void>((end) => ends.push(end));
    };
    for (let n = 0; n < count; n += 1)
      queue(client, job, signal).catch((error) => refused.push(`${client} ${error.statusCode ?? error}`));
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      await settled();
      ends.shift()?.();
    }
    await settled();
  };
  return { add, end, begun, refused };
}

test('a client with many jobs does not keep another waiting', async () => {
  const { add, end, begun, refused } = setUp({ running: 2, waitingOfOne: 30, waiting: 100 });
  add('flood', 60);
  add('owner');
  await end(3);
  assert.deepEqual(begun.slice(0, 5), ['flood', 'flood', 'flood', 'owner', 'flood']);
  assert.equal(refused.length, 28, 'beyond two that run and 30 that wait');
  assert.deepEqual([...new Set(refused)], ['flood 429']);
  await end(40);
  assert.equal(begun.length, 33);
  add('owner');
  await end(1);
  assert.equal(begun.length, 34, 'and then it is idle');
});

test('when too many wait, the client with most of them gives one up', async () => {
  const { add, end, begun, refused } = setUp({ running: 1, waitingOfOne: 5, waiting: 6 });
  add('running');
  add('a', 2);
  add('b', 4);
  add('c');
  await end(0);
  assert.deepEqual(refused, ['b 429']);
  add('d', 3);
  await end(0);
  assert.deepEqual(refused.toSorted(), ['b 429', 'b 429', 'd 429', 'd 429']);
  await end(7);
  assert.deepEqual(begun, ['running', 'a', 'b', 'c', 'd', 'a', 'b']);
});

test('who leaves gives up its turn, and makes room for others', async () => {
  const { add, end, begun, refused } = setUp({ running: 1, waitingOfOne: 3, waiting: 3 });
  const left = new AbortController();
  add('running', 1, left.signal);
  add('gone', 3, left.signal);
  left.abort('left');
  add('late', 1, left.signal);
  add('a', 2);
  add('b');
  await end(0);
  assert.deepEqual(refused.toSorted(), ['gone left', 'gone left', 'gone left', 'late left']);
  await end(4);
  assert.deepEqual(begun, ['running', 'a', 'b', 'a'], 'what has begun goes on');
  add('a');
  await end(1);
  assert.equal(begun.length, 5);
});
