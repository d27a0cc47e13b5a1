import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, createHashQueue, knownUser } from './hash-queue.ts';

/** Somebody at an address of four parts. */
const at = (address: string): Client => {
  const parts = address.split('.');
  return { line: 'strangers', names: [2, 3, 4].map((length) => parts.slice(0, length).join('.')) };
};

/** A queue whose jobs end when `end` says so. */
function setUp(limits: { running: number; waiting: number }) {
  const queue = createHashQueue(limits);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    refused,
    add(client: Client, times = 1) {
      const name = client.names.at(-1) ?? '';
      for (let n = 0; n < times; n += 1)
        queue(client, () => {
          begun.push(name);
          return new Promise<void>((end) => ends.push(end));
        }).catch(({ statusCode }) => refused.push(`${name} ${statusCode}`));
    },
    async end(count = 1) {
      for (let n = 0; n < count; n += 1) {
        await settled();
        ends.shift()?.();
      }
      await settled();
    },
  };
}

test('a client with many attempts does not keep another waiting, also from the same network', async () => {
  const { add, end, begun, refused } = setUp({ running: 2, waiting: 200 });
  add(at('192.0.2.1'), 100);
  add(at('192.0.2.2'));
  await end();
  assert.deepEqual(begun, ['192.0.2.1', '192.0.2.1', '192.0.2.2']);
  await end(100);
  assert.deepEqual([begun.length, refused], [101, []]);
  add(at('192.0.2.1'));
  await end();
  assert.equal(begun.length, 102, 'and then it is idle');
});

test('a newcomer has a turn next, however many addresses of others wait', async () => {
  const { add, end, begun, refused } = setUp({ running: 2, waiting: 200 });
  for (let n = 0; n < 1000; n += 1) add(at(`198.51.${n >> 8}.${n & 255}`));
  await end();
  assert.equal(refused.length, 798);
  add(at('203.0.113.9'));
  await end();
  assert.equal(begun.at(-1), '203.0.113.9');
  // A second attempt of an address counts, also if the first was refused: another of its network goes first.
  add(at('203.0.113.9'));
  add(at('203.0.113.7'));
  await end(2);
  assert.deepEqual(begun.slice(-2), ['203.0.113.7', '203.0.113.9']);
});

test('attempts from as many networks as there are places do not keep a newcomer out', async () => {
  const { add, end, begun, refused } = setUp({ running: 2, waiting: 200 });
  const everywhere = () => {
    for (let n = 0; n < 300; n += 1) add(at(`${1 + (n >> 8)}.${n & 255}.0.1`));
  };
  everywhere();
  await end();
  everywhere(); // those that were refused, and others again
  add(at('203.0.113.9'));
  await end(200);
  assert.ok(begun.includes('203.0.113.9'));
  assert.ok(!refused.includes('203.0.113.9 503'));
});

test('a known browser has every other turn, whatever strangers do', async () => {
  const { add, end, begun, refused } = setUp({ running: 1, waiting: 200 });
  for (let n = 0; n < 1000; n += 1) add(at(`${1 + (n % 223)}.${n & 255}.0.${n >> 8}`));
  add(knownUser('ann'), 3);
  add(knownUser('bob'));
  await end(7);
  assert.deepEqual(
    begun.map((name) => (name.includes('.') ? 'stranger' : name)),
    ['stranger', 'bob', 'stranger', 'ann', 'stranger', 'ann', 'stranger', 'ann'],
  );
  assert.ok(refused.every((name) => name.includes('.')));
});

test('known users do not keep each other or strangers out', async () => {
  const { add, end, begun, refused } = setUp({ running: 1, waiting: 5 });
  add(knownUser('ann'), 20);
  add(at('203.0.113.9'));
  add(knownUser('bob'));
  await end(3);
  assert.deepEqual(begun.slice(0, 3).toSorted(), ['203.0.113.9', 'ann', 'bob']);
  assert.deepEqual(new Set(refused), new Set(['ann 503']));
});
