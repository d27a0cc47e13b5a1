import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lockFolder, runningPid } from './instance-lock.ts';

const holder = fileURLToPath(new URL('./lock-holder.fixture.ts', import.meta.url));
const lock = (directory: string) => lockFolder(directory, { name: 'test', who: 'program' }, process.pid);

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A process that works on the folder. */
async function otherProcess(t: TestContext, directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [holder, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => assert.fail(`it ended with ${code}, and holds nothing`));
  await Promise.race([once(child.stdout, 'data'), ended]);
  return child;
}

test('instance lock: it holds in the same process too, until it is let go', (t) => {
  const directory = temporaryFolder(t);
  const release = lock(directory);
  assert.throws(() => lock(directory), /already uses/);
  release();
  assert.equal(runningPid(directory, 'test'), undefined);
  lock(directory)();
});

test('instance lock: a killed process leaves nothing that is in the way', async (t) => {
  const directory = temporaryFolder(t);
  const child = await otherProcess(t, directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(runningPid(directory, 'test'), undefined);
  lock(directory)();
});

test('instance lock: a damaged lock file is replaced', (t) => {
  const directory = temporaryFolder(t);
  writeFileSync(join(directory, 'test.lock'), 'not a database, but long enough to look like one'.repeat(100));
  const release = lock(directory);
  assert.throws(() => lock(directory), /already uses/);
  release();
});
