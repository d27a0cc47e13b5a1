import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { batchOf, keepingLog, opened, temporaryFolder } from './outbox.fixture.ts';
import { openOutbox } from './outbox.ts';

const log = keepingLog();
const appender = new URL('./appender.fixture.ts', import.meta.url).pathname;

/** A process that works on the folder. */
async function otherProcess(t: TestContext, directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [appender, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('instance lock: a second process is refused, and told by whom', async (t) => {
  const directory = temporaryFolder(t);
  const child = await otherProcess(t, directory);
  await assert.rejects(openOutbox({ directory }, { log }), {
    name: 'OutboxRefused',
    message: `another pbx-bridge (process ${child.pid}) already works on ${directory}: stop it first`,
  });
});

test('instance lock: a second outbox in the same process is refused too', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await assert.rejects(openOutbox({ directory }, { log }), /already works on/);
  await first.append(batchOf('a:ringing'));
});

test('instance lock: a killed process leaves nothing that is in the way', async (t) => {
  const directory = temporaryFolder(t);
  const child = await otherProcess(t, directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await opened(t, { directory });
});

test('instance lock: a damaged lock file is made anew', async (t) => {
  const directory = temporaryFolder(t);
  writeFileSync(
    join(directory, 'outbox.lock'),
    'not a database, but long enough to look like one'.repeat(100),
  );
  await opened(t, { directory });
  await assert.rejects(openOutbox({ directory }, { log }), /already works on/);
});
