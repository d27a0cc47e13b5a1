import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { every } from './every.ts';

/** Work that ends when the test lets it, with a mock clock. */
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const failures: unknown[] = [];
  const works: PromiseWithResolvers<void>[] = [];
  const stop = every(
    1_000,
    () => {
      const work = Promise.withResolvers<void>();
      works.push(work);
      return work.promise;
    },
    (error) => failures.push(error),
  );
  return { stop, works, failures, pass: (ms: number) => t.mock.timers.tick(ms) };
}

test('a failure is reported and the work repeated; after the stop neither happens', async (t) => {
  const { works, failures, pass, stop } = scene(t);
  pass(1_000);
  works[0]?.reject('the disk is full');
  await turn();
  assert.deepEqual(failures, ['the disk is full']);
  pass(1_000);
  assert.equal(works.length, 2);
  stop();
  works[1]?.reject('closed');
  await turn();
  pass(5_000);
  assert.deepEqual([failures.length, works.length], [1, 2]);
});
