import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readBackupInfo } from '../../src/shared/storage/backup.ts';
import { freePort } from '../tools/free-port.ts';
import { createOffice, eventsOf, heldAtTheEnd, playDay } from '../tools/program/pair.ts';
import { type Program, runProgram, temporaryFolder } from '../tools/program/program.ts';
import { command } from '../tools/service/commands.ts';
import { until } from '../tools/until.ts';

/** This tree as its next version: a copy with a step more for each database, and with another number. */
const next = mkdtempSync(join(tmpdir(), 'pbx-bridge-next-'));
const NEXT = '9.9.9';
const cli = { now: undefined, next: join(next, 'src/cli.ts') };

before(() => {
  for (const name of ['src', 'config', 'package.json']) cpSync(name, join(next, name), { recursive: true });
  symlinkSync(realpathSync('node_modules'), join(next, 'node_modules'));
  const about = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync(join(next, 'package.json'), JSON.stringify({ ...about, version: NEXT }));
  for (const [file, schema, table] of [
    ['src/bridge/outbox/tables/migrations.ts', 'outboxSchema', 'event'],
    ['src/service/store/sqlite/open.ts', 'serviceSchema', 'calls'],
  ] as const)
    appendFileSync(
      join(next, file),
      `(${schema}.steps as unknown[]).push({ name: 'later', sql: 'ALTER TABLE ${table} ADD COLUMN later TEXT' });\n`,
    );
});
after(() => rmSync(next, { recursive: true }));

const backupsIn = (stateDir: string) => readdirSync(join(stateDir, 'backups'));

test('a bridge goes to the next version and back while its events wait: none is lost, a backup was made', async (t) => {
  const day = { seed: 5, calls: 24, talkMs: 500 } as const;
  const office = await createOffice(day);
  t.after(office.close);
  const bridge = await office.addBridge('bridge');
  bridge.toApi.pull();
  await playDay(office).over;
  const waiting = async () => (await bridge.status()).outbox.waiting;
  await until('all events to wait', async () => (await waiting()) === eventsOf(office));
  for (const version of [cli.next, cli.now, cli.next, cli.now]) {
    await bridge.program().end();
    await bridge.start(version);
    assert.equal(await waiting(), eventsOf(office));
  }
  assert.deepEqual(backupsIn(bridge.stateDir), [`before-${NEXT}-of-outbox.db`]);
  bridge.toApi.putBack();
  await heldAtTheEnd(office);
  await bridge.atRest();
  assert.equal(office.fakeApi.counts().moved, eventsOf(office));
});

test('a service goes to the next version and back: what each has taken is there', async (t) => {
  const stateDir = temporaryFolder(t);
  const port = await freePort();
  const env = { SERVICE_STATE_DIR: stateDir, SERVICE_LISTEN: `127.0.0.1:${port}` };
  let token = '';
  const post = async (program: Program, id: string) => {
    await program.says(new RegExp(`127.0.0.1:${port}`));
    token ||= /API_TOKEN=(\S+)/.exec(await command({ stateDir }, 'token'))?.[1] as string;
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/voice/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id, direction: 'inbound', status: 'ringing', from: '+4930901820' }),
    });
    assert.equal(response.status, 200);
  };
  const said: boolean[] = [];
  for (const [n, version] of [cli.now, cli.next, cli.now, cli.next].entries()) {
    const program = runProgram(['service'], { env, cwd: stateDir, ...(version && { cli: version }) });
    await post(program, `call-${n}`);
    await program.end();
    said.push(program.output().includes(`backed up to ${stateDir}/backups/before-${NEXT}-of-service.db`));
  }
  assert.deepEqual(said, [false, true, false, false]);
  const [backup = '', ...others] = backupsIn(stateDir);
  assert.deepEqual([backup, others], [`before-${NEXT}-of-service.db`, []]);
  assert.equal(readBackupInfo(join(stateDir, 'backups', backup)).program, 'service');
});
