import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { watchFiles } from './watch-files.ts';

test('a test file that does not end is killed, and nobody else', async () => {
  const endless = ['-e', 'for (;;);', '--'];
  const stuck = spawn(process.execPath, [...endless, 'stuck.test.ts'], { stdio: 'ignore' });
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)', '--', 'other'], {
    stdio: 'ignore',
  });
  const watch = watchFiles({ longestMs: 50, everyMs: 10 });
  try {
    const [, signal] = await once(stuck, 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.deepEqual([other.exitCode, other.signalCode], [null, null]);
  } finally {
    watch.stop();
    stuck.kill('SIGKILL');
    other.kill('SIGKILL');
  }
});
