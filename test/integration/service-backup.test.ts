import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { runProgram } from '../tools/program/program.ts';
import { callers, event, options, stateFolder } from '../tools/service/harness.ts';

/** `pbx-bridge service …` on a state folder; gives what it says, and fails with that if it fails. */
async function command(stateDir: string, ...args: string[]): Promise<string> {
  const program = runProgram(['service', ...args], { env: { SERVICE_STATE_DIR: stateDir }, cwd: stateDir });
  const { code } = await program.ended;
  if (code !== 0) throw new Error(program.output());
  return program.output();
}

async function started(t: TestContext, stateDir: string) {
  const service = await startService(options(stateDir), { log: silentLog });
  t.after(() => service.stop());
  return service;
}

test('service backup: what was acknowledged before it is in it, while events keep coming; restored elsewhere it goes on', async (t) => {
  const folder = stateFolder(t);
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  const service = await started(t, here);
  const token = service.token();
  const { post } = callers(service.url);
  const report = async (n: number) => {
    assert.equal((await post(token, event({ id: `call-${n}`, from: '+4930901820' }))).status, 200);
  };
  let count = 0;
  let acknowledged = 0;
  let ended = false;
  const sender = async () => {
    while (!ended) {
      await report(count++);
      acknowledged++;
    }
  };
  const senders = Array.from({ length: 8 }, sender);
  for (let n = 0; n < 300; n++) await report(100_000 + n);
  const before = acknowledged + 300;
  const file = join(folder, 'service.backup');
  assert.match(await command(here, 'backup', file), /is a backup of the service/);
  ended = true;
  await Promise.all(senders);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await assert.rejects(command(here, 'backup', file), /exists: choose another file, or add --overwrite/);
  await assert.rejects(
    command(here, 'restore', file, '--replace'),
    /another service \(process \d+\) already uses/,
  );
  await service.stop();

  mkdirSync(there);
  await command(there, 'restore', file);
  const restored = await started(t, there);
  assert.equal(restored.token(), token, 'the bridges go on with the token that they have');
  const history = await callers(restored.url).history(token);
  assert.ok(history.length >= before, `${history.length} of ${before}`);
  assert.equal(
    (await callers(restored.url).post(token, event({ id: 'call-0', status: 'completed' }))).status,
    200,
  );
  await restored.stop();
});

test('service restore: not over data without --force; one that was cut off is ended by the next start', async (t) => {
  const folder = stateFolder(t);
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  const service = await started(t, here);
  const token = service.token();
  await service.stop();
  const file = join(folder, 'service.backup');
  await command(here, 'backup', file);
  const other = await started(t, there);
  const otherToken = other.token();
  await other.stop();
  await assert.rejects(command(there, 'restore', file), /already holds data; --replace keeps it/);
  assert.match(await command(there, 'restore', file, '--replace'), /old data kept as .*service.db.replaced-/);
  assert.equal(readdirSync(there).filter((name) => name.includes('.replaced-')).length, 2);
  assert.notEqual(token, otherToken);

  renameSync(join(there, 'service.db'), join(there, 'service.db.new'));
  writeFileSync(join(there, 'service.db'), '');
  const again = await started(t, there);
  assert.equal(again.token(), token);
  await assert.rejects(command(here, 'restore', join(here, 'service.db')), /is not a backup of pbx-bridge/);
});
