import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { keepingLog, opened, temporaryFolder } from '../outbox.fixture.ts';
import { startStorageThread } from './storage-thread.ts';

test('storage thread: when it dies, everything is rejected and the caller hears of it', async (t) => {
  const crashing = new URL('./crashing-worker.fixture.ts', import.meta.url);
  const options = { directory: temporaryFolder(t) };
  const thread = await startStorageThread(options, { log: keepingLog(), script: crashing });
  const [first, second] = [thread.ask('counters'), thread.ask('load')];
  await assert.rejects(first, /a page is on fire/);
  await assert.rejects(second, /a page is on fire/);
  assert.match((await thread.failed).message, /a page is on fire/);
  await assert.rejects(thread.ask('counters'), /a page is on fire/);
  await thread.close();
});

const faulty = new URL('../failing-disk.fixture.ts', import.meta.url).pathname;
const strace = spawnSync('strace', ['-V']).status === 0;

test('storage thread: what a failing disk refuses is held, and stored when it works again', {
  skip: strace ? false : 'needs strace, to make fsync fail',
}, async (t) => {
  const directory = temporaryFolder(t);
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:error=EIO:when=30..33`;
  const args = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject];
  const child = spawn('strace', [...args, process.execPath, faulty, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const { lines, queued, appended } = JSON.parse(output) as {
    lines: string[];
    queued: number;
    appended: number;
  };
  // More than once if only opening it afresh worked, and the next commit failed again.
  assert.match(lines.join(' '), /^(outbox\.failing outbox\.working ?)+$/);
  assert.equal(queued, appended);
  const outbox = await opened(t, { directory });
  assert.equal((await outbox.counters()).queued, appended);
});
