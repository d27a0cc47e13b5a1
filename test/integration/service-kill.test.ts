import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { callers, event, options, prepare, stateFolder } from '../tools/service/harness.ts';
import { openCalls } from '../tools/service/stream.ts';

const CLIENTS = 50;
/** The process is killed after this number of answers of the run. */
const kills = [1, 37, 260, 1111];

test('kill -9 while 50 clients write: what got its 200 is there, with its history entry', async (t) => {
  const stateDir = stateFolder(t);
  const { a } = await prepare(stateDir);
  const acknowledged: string[] = [];
  for (const [run, after] of kills.entries()) {
    const child = fork(new URL('../tools/service/process.ts', import.meta.url), [stateDir]);
    const [url] = (await once(child, 'message')) as [string];
    const { post } = callers(url);
    let answers = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let n = 0; ; n += 1) {
          const id = `run-${run}-client-${client}-${n}`;
          const answer = await post(a.token, event({ id })).catch(() => undefined);
          if (answer === undefined) return; // killed while it waited: undecided
          assert.equal(answer.status, 200);
          acknowledged.push(id);
          answers += 1;
          if (answers === after) child.kill('SIGKILL');
        }
      }),
    );
    if (child.signalCode === null) await once(child, 'exit');
    assert.equal(child.signalCode, 'SIGKILL');
  }

  const service = await startService(options(stateDir), { log: silentLog });
  t.after(() => service.stop());
  const { history } = callers(service.url);
  const entries = await history(a.token);
  const recorded = new Set(entries.map(({ request }) => (JSON.parse(request) as { id: string }).id));
  const lost = acknowledged.filter((id) => !recorded.has(id));
  assert.deepEqual(lost, []);
  assert.ok(acknowledged.length >= kills.reduce((sum, after) => sum + after));
  const open = new Set((await openCalls(service.url, a.token)).map(({ id }) => id));
  assert.deepEqual(
    [...recorded].filter((id) => open.size < 500 && !open.has(id)),
    [],
    'an entry without its call',
  );
  assert.equal(open.size, Math.min(500, recorded.size));
});
