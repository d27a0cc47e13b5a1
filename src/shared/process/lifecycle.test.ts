import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Log, silentLog } from '../log/log.ts';
import { partsOf, runUntilStopped, stopOnce } from './lifecycle.ts';

function recorder() {
  const said: string[] = [];
  const log: Log = { say: (code) => said.push(code), child: () => log };
  return { said, log };
}

describe('parts', () => {
  /** Starts parts by name; one that begins with `no` fails to start, one that ends with it fails to stop. */
  async function startAll(names: readonly string[], did: string[], log: Log): Promise<() => Promise<void>> {
    await using starting = new AsyncDisposableStack();
    const onStop = partsOf(starting, log);
    for (const name of names) {
      onStop(name, async () => {
        if (name.endsWith('no')) throw new Error('cannot stop');
        did.push(`stop ${name}`);
      });
      did.push(`start ${name}`);
      if (name.startsWith('no')) throw new Error(`${name} fails`);
    }
    return stopOnce(starting);
  }

  test('are stopped in reverse, once', async () => {
    const did: string[] = [];
    const stop = await startAll(['a', 'b'], did, silentLog);
    await Promise.all([stop(), stop()]);
    assert.deepEqual(did, ['start a', 'start b', 'stop b', 'stop a']);
  });

  test('that were started are stopped again when one after them fails', async () => {
    const did: string[] = [];
    await assert.rejects(startAll(['a', 'no b', 'c'], did, silentLog), /no b fails/);
    assert.deepEqual(did, ['start a', 'start no b', 'stop no b', 'stop a']);
  });

  test('that fail to stop do not keep the others from it', async () => {
    const did: string[] = [];
    const { said, log } = recorder();
    await (await startAll(['a', 'b no'], did, log))();
    assert.deepEqual([did, said], [['start a', 'start b no', 'stop a'], ['program.stop-failed']]);
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

  test('whose start fails passes the failure on', async () => {
    await assert.rejects(
      runUntilStopped(() => Promise.reject(new Error('port taken')), silentLog),
      /port taken/,
    );
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
