import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Log } from '../log/log.ts';
import { runUntilStopped, startInOrder } from './lifecycle.ts';

function recorder() {
  const said: string[] = [];
  const log: Log = { say: (code) => said.push(code), child: () => log };
  return { said, log };
}

describe('parts', () => {
  const part = (name: string, did: string[]) => ({
    name,
    async start() {
      did.push(`start ${name}`);
    },
    async stop() {
      did.push(`stop ${name}`);
    },
  });

  test('that fail to stop do not keep the others from it', async () => {
    const did: string[] = [];
    const { said, log } = recorder();
    const stubborn = { ...part('b', did), stop: () => Promise.reject(new Error('no')) };
    await (await startInOrder([part('a', did), stubborn], log))();
    assert.deepEqual([did, said], [['start a', 'start b', 'stop a'], ['program.stop-failed']]);
  });
});

describe('a program', () => {
  test('that fails ends with 1, after its stop', async () => {
    const { said, log } = recorder();
    let stopped = false;
    const code = await runUntilStopped(async (fail) => {
      setImmediate(() => fail(new Error('the disk')));
      return {
        async stop() {
          stopped = true;
        },
      };
    }, log);
    assert.deepEqual([code, stopped, said], [1, true, ['program.failed']]);
  });

  test('that has to stop while it starts does not wait for the start', async () => {
    const { said, log } = recorder();
    const running = runUntilStopped(() => new Promise(() => {}), log);
    // Not emitted: the test runner listens too.
    process.listeners('SIGTERM').at(-1)?.('SIGTERM');
    assert.equal(await running, 0);
    assert.deepEqual(said, ['program.stopped']);
  });
});
