import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FixtureMethods } from './thread.fixture.ts';
import { startThread } from './thread.ts';

const script = new URL('./thread.fixture.ts', import.meta.url);

async function start(t: TestContext) {
  const thread = await startThread<FixtureMethods>(script, null);
  const failures: Error[] = [];
  void thread.failed.then((error) => failures.push(error));
  t.after(() => thread.close());
  return { thread, failures };
}

test('a thread that ends by itself is reported, and everything asked of it is refused', async (t) => {
  for (const way of ['crash', 'die'] as const) {
    const { thread, failures } = await start(t);
    await thread.request(way).catch(() => {}); // its answer, or its end: whichever comes first
    const waiting = thread.request('nothing').catch((error: Error) => error);
    await thread.failed;
    assert.ok((await waiting) === undefined || (await waiting) instanceof Error);
    await assert.rejects(thread.request('nothing'), way === 'crash' ? /crashed/ : /ended with code 3/);
    assert.equal(failures.length, 1);
  }
});

test('a limited number of requests may wait', async (t) => {
  const { thread } = await start(t);
  const requests = Array.from({ length: 20_000 }, () => thread.request('nothing'));
  await assert.rejects(thread.request('nothing'), /does not keep up/);
  await Promise.all(requests);
  assert.equal(await thread.request('double', 2), 4);
});

test('a request without an answer goes with the next one, in order, or by itself after a while', async (t) => {
  const { thread } = await start(t);
  const later = [thread.requestLater('together'), thread.requestLater('together')];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await Promise.all([...later, thread.request('together')]), [3, 3, 3]);
  assert.equal(await thread.requestLater('together'), 1);
});
