import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatches, type Outcome } from './batches.ts';

type Write = {
  readonly items: readonly string[];
  settle(outcomes: readonly Outcome<string>[]): void;
  fail(error: Error): void;
};

function harness(max: number) {
  const writes: Write[] = [];
  const begun: ((write: Write) => void)[] = [];
  const batches = createBatches<string, string>(max, (items) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Outcome<string>[]>();
    const write = { items, settle: resolve, fail: reject };
    const next = begun.shift();
    if (next === undefined) writes.push(write);
    else next(write);
    return promise;
  });
  /** The next batch that is written, when it is. */
  const next = () => {
    const write = writes.shift();
    return write === undefined
      ? new Promise<Write>((resolve) => begun.push(resolve))
      : Promise.resolve(write);
  };
  return { batches, next };
}

const all = ({ items, settle }: Write) => settle(items.map((item) => ({ value: item })));

test('what comes while a batch is under way is the next one, and no batch is larger than allowed', async () => {
  const { batches, next } = harness(3);
  const first = ['a', 'b'].map((item) => batches.add(item));
  const one = await next();
  assert.deepEqual(one.items, ['a', 'b']);
  const later = ['c', 'd', 'e', 'f'].map((item) => batches.add(item));
  all(one);
  assert.deepEqual(await Promise.all(first), ['a', 'b']);
  const two = await next();
  assert.deepEqual(two.items, ['c', 'd', 'e']);
  all(two);
  const three = await next();
  assert.deepEqual(three.items, ['f']);
  all(three);
  assert.deepEqual(await Promise.all(later), ['c', 'd', 'e', 'f']);
});

test('what must be written again goes before whatever came later, and drained() waits for it', async () => {
  const { batches, next } = harness(3);
  const a = batches.add('a');
  const one = await next();
  const b = batches.add('b');
  const drained = batches.drained().then(() => 'drained');
  one.settle(['again']);
  const two = await next();
  assert.deepEqual(two.items, ['a', 'b']);
  assert.equal(await Promise.race([drained, Promise.resolve('not yet')]), 'not yet');
  two.settle([{ value: 'A' }, { error: new Error('no') }]);
  assert.equal(await a, 'A');
  await assert.rejects(b, /no/);
  assert.equal(await drained, 'drained');
});
