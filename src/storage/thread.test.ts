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

test('calls are answered, each with its own value, nothing or refusal', async (t) => {
  const { thread } = await start(t);
  const answers = await Promise.allSettled([
    thread.call('double', 21),
    thread.call('nothing'),
    thread.call('refuse'),
    thread.call('double', 4),
  ]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
    [42, undefined, 'refused', 8],
  );
});

test('a thread that cannot open its database does not start, and says whether a rule forbade it', async () => {
  await assert.rejects(startThread(script, 'no start'), { name: 'Error', message: 'cannot open' });
  await assert.rejects(startThread(script, 'refused'), {
    name: 'StorageRefused',
    message: 'not on this disk',
  });
});

test('a thread that ends by itself is told, and everything asked of it is refused', async (t) => {
  for (const way of ['crash', 'die'] as const) {
    const { thread, failures } = await start(t);
    await thread.call(way).catch(() => {}); // its answer, or its end: whichever comes first
    const waiting = thread.call('nothing').catch((error: Error) => error);
    await thread.failed;
    assert.ok((await waiting) === undefined || (await waiting) instanceof Error);
    await assert.rejects(thread.call('nothing'), way === 'crash' ? /crashed/ : /ended with code 3/);
    assert.equal(failures.length, 1);
  }
});

test('closing lets calls end first; afterwards they are refused, and no failure is told', async (t) => {
  const { thread, failures } = await start(t);
  const last = thread.call('double', 1);
  await Promise.all([thread.close(), thread.close()]);
  assert.equal(await last, 2);
  await assert.rejects(thread.call('nothing'), /closed/);
  assert.deepEqual(failures, []);
});

test('so many calls may wait, and no more', async (t) => {
  const { thread } = await start(t);
  const calls = Array.from({ length: 20_000 }, () => thread.call('nothing'));
  await assert.rejects(thread.call('nothing'), /does not keep up/);
  await Promise.all(calls);
  assert.equal(await thread.call('double', 2), 4);
});
