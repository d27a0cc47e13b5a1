import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBudget, makeFairQueue, makeRateLimit } from './budget.ts';

test('each has so many at a time, and again when they are returned, once', () => {
  const budget = makeBudget(2, 'streams');
  const [first] = [budget.take('a'), budget.take('a')];
  assert.throws(() => budget.take('a'), { statusCode: 429, message: /^Too many streams at a time \(2\)/ });
  budget.take('b');
  first();
  first();
  budget.take('a');
  assert.throws(() => budget.take('a'), { statusCode: 429 });
});

test('a clock that is set back begins a new window, and no longer one', () => {
  const limit = makeRateLimit();
  const day = 86_400_000;
  const take = (now: number) => limit.take('account', 1, 2, now).allowed;
  assert.deepEqual([take(day), take(day), take(day)], [true, true, false]);
  assert.equal(take(day + 59_999), false, 'within its minute');
  const back = limit.take('account', 1, 2, 1_000);
  assert.deepEqual(back, { allowed: true, remaining: 1, resetAt: 61_000 });
  assert.equal(limit.lately('account', 1, 1_000), 4);
  assert.deepEqual([take(1_000), take(60_999), take(61_000)], [true, false, true]);
});

/** A queue whose jobs end when `end` says so; `begun` has the clients of all jobs that have started. */
function setUp(limits: { running: number; waitingOfOne: number; waiting: number }) {
  const queue = makeFairQueue({ ...limits, busy: 'Try again.' });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (client: string, count = 1) => {
    for (let n = 0; n < count; n += 1)
      queue(client, () => {
        begun.push(client);
        return new Promise<void>((end) => ends.push(end));
      }).catch(({ statusCode }) => refused.push(`${client} ${statusCode}`));
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
  assert.deepEqual([...new Set(refused)], ['flood 503']);
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
  assert.deepEqual(refused, ['b 503']);
  add('d', 3);
  await end(0);
  assert.deepEqual(refused.toSorted(), ['b 503', 'b 503', 'd 503', 'd 503']);
  await end(7);
  assert.deepEqual(begun, ['running', 'a', 'b', 'c', 'd', 'a', 'b']);
});
