import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../process/test-clock.fixture.ts';
import { createRequestLimiter, type RequestLimiterOptions } from './request-limiter.ts';

/** A limiter, the requests that have begun, and what ends each. */
function setUp(options: Partial<RequestLimiterOptions> = {}) {
  const clock = createTestClock();
  const limiter = createRequestLimiter({ concurrency: 1, maxWaitMs: 100, maxWaiting: 10, ...options }, clock);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, urgent = true) =>
    limiter.run(urgent, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  const settle = () => new Promise(setImmediate);
  return { clock, run, end, begun, settle };
}

test('at most `maxWaiting` requests wait', async () => {
  const { run, end, begun, settle } = setUp({ maxWaiting: 2 });
  for (const name of ['a', 'b', 'c']) run(name);
  const refused = run('d');
  refused.raise();
  run('ahead', false);
  await settle();
  assert.equal(await refused.result, undefined);
  for (const name of ['a', 'b', 'c', 'ahead']) await end(name);
  assert.deepEqual(begun, ['a', 'b', 'c', 'ahead']);
});

test('a failed request frees its place and rejects only its own result', async () => {
  const { run, begun, settle } = setUp();
  const limiter = createRequestLimiter({ concurrency: 1, maxWaitMs: 1, maxWaiting: 1 }, createTestClock());
  const failing = limiter.run(true, () => Promise.reject(new Error('no')));
  const next = limiter.run(true, async () => 'next');
  await assert.rejects(failing.result, /no/);
  assert.equal(await next.result, 'next');
  run('a');
  await settle();
  assert.deepEqual(begun, ['a']);
});
