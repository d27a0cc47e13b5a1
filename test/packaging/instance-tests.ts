import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { parseEnvFile } from '../../src/cli/config/env-file.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import type { Container } from '../tools/packaging/container.ts';
import type { Machine, Said } from '../tools/packaging/machine.ts';
import { type Packages, versions } from '../tools/packaging/packages.ts';
import { createStand } from '../tools/program/stand.ts';
import { until as waitUntil } from '../tools/until.ts';

const firms = ['firm-a', 'firm-b'] as const;
const unitOf = (firm: string) => `pbx-bridge@${firm}.service`;

/** Two firms on one PBX, each with a bridge and an account of its own, under the units of the package. */
export async function instanceTests(
  t: TestContext,
  packages: Packages,
  machine: Machine,
  container: Container,
): Promise<void> {
  const { run, property, until } = container;
  const { pbx, fakeApi, env } = await createStand(t);
  const otherApi = await startFakeApi({ token: 'b-token' });
  t.after(() => otherApi.close());
  const apis = { 'firm-a': fakeApi, 'firm-b': otherApi };
  for (const name of ['now', 'next'] as const) copyFileSync(packages[name], machine.at(`root/${name}.deb`));
  const states = () => Promise.all(firms.map((firm) => property(unitOf(firm), 'ActiveState')));
  const settingsOf = (firm: string) =>
    parseEnvFile(readFileSync(machine.at(`etc/pbx-bridge/${firm}.env`), 'utf8'));
  const { AMI_PORT = '', AMI_USERNAME, AMI_SECRET } = env;
  const setup = (firm: string, ...settings: string[]) =>
    run('pbx-bridge', 'setup', '--instance', firm, ...settings);

  await t.test('setup makes them, with ports of their own, and starts them', async () => {
    await succeeds(run('dpkg', '-i', '/root/now.deb'));
    const ami = [`AMI_PORT=${AMI_PORT}`, `AMI_USERNAME=${AMI_USERNAME}`, `AMI_SECRET=${AMI_SECRET}`];
    for (const [firm, number, token] of [
      ['firm-a', '+4930123*', 'a-token'],
      ['firm-b', '+4930456*', 'b-token'],
    ] as const) {
      const api = [`API_BASE_URL=${apis[firm].baseUrl}`, `API_TOKEN=${token}`, 'DEFAULT_COUNTRY=DE'];
      const rules = `REPORT_RULES=report called ${number}, ignore *`;
      const { output } = await succeeds(setup(firm, ...ami, ...api, rules));
      assert.match(output, new RegExp(`explain NUMBER --instance ${firm}$`, 'm'));
    }
    assert.deepEqual(await states(), ['active', 'active']);
    for (const firm of firms) {
      assert.equal((await run('systemctl', 'is-enabled', unitOf(firm))).output, 'enabled\n');
      const file = await run('stat', '-c', '%U:%G %a', `/etc/pbx-bridge/${firm}.env`);
      assert.equal(file.output, 'root:pbx-bridge 640\n');
      const state = await run('stat', '-c', '%U:%G %a', `/var/lib/pbx-bridge/${firm}`);
      assert.equal(state.output, 'pbx-bridge:pbx-bridge 700\n');
    }
    const ports = firms.flatMap((firm) => [settingsOf(firm).AGI_LISTEN, settingsOf(firm).STATUS_LISTEN]);
    assert.equal(new Set(ports).size, 4, ports.join(' '));
    const { code, output } = await setup('firm-b', `STATUS_LISTEN=${ports[1]}`);
    assert.equal(code, 78);
    assert.match(output, /^STATUS_LISTEN: \S+ is also STATUS_LISTEN of \/etc\/pbx-bridge\/firm-a\.env; /);
  });

  await t.test('each reports the calls of its firm only, and check says so', async () => {
    for (const [nth, Exten] of ['0301234', '0304567', '0309999'].entries()) {
      const Uniqueid = `1700000000.${nth}`;
      const call = { Channel: `PJSIP/isp-${nth}`, CallerIDNum: '0301111111', Uniqueid, Linkedid: Uniqueid };
      pbx.send(amiEvent('Newchannel', { ...call, Exten }));
      pbx.send(amiEvent('Hangup', call));
    }
    for (const [nth, firm] of firms.entries()) {
      const { calls, waitFor } = apis[firm];
      await waitFor(() => calls().get(`${firm}-1700000000.${nth}`)?.received.length === 2, 30_000);
      assert.equal(calls().size, 1);
    }
    const { output } = await succeeds(run('pbx-bridge', 'check', '--instance', 'firm-b'));
    assert.match(output, /calls to \+49309999 are reported by none of firm-b, firm-a$/m);
    assert.doesNotMatch(output, /are reported by firm|FAIL/);
    const journal = async () =>
      (await run('journalctl', '--no-pager', '-t', 'pbx-bridge@firm-a', '-o', 'cat')).output;
    await waitUntil(
      'the log has a tag of its own',
      async () => /call firm-a-\S+0\.0\b/.test(await journal()),
      {
        state: journal,
      },
    );
  });

  await t.test('status shows all of them, and commands one of them', async () => {
    const all = await succeeds(run('pbx-bridge', 'status', '--all'));
    assert.match(all.output, /^\+ firm-a .*\n\+ firm-b .*\n$/m);
    assert.doesNotMatch(all.output, /^. bridge +-/m);
    for (const command of [
      'pbx-bridge status --instance firm-b',
      'PBX_BRIDGE_INSTANCE=firm-b pbx-bridge status',
    ])
      assert.match((await succeeds(run('sh', '-c', command))).output, /, as firm-b, running for /);
    await succeeds(run('systemctl', 'stop', unitOf('firm-b')));
    const { code, output } = await run('pbx-bridge', 'status', '--all');
    assert.equal(code, 2, output);
    assert.match(output, /^! firm-b .*\n +.*start it with\s+systemctl\s+start\s+pbx-bridge@firm-b/m);
    await succeeds(run('systemctl', 'start', unitOf('firm-b')));
  });

  await t.test(
    'an upgrade restarts them; a removal stops them, and an installation starts them',
    async () => {
      const pids = await Promise.all(firms.map((firm) => property(unitOf(firm), 'MainPID')));
      await succeeds(run('dpkg', '-i', '/root/next.deb'));
      for (const [nth, firm] of firms.entries()) {
        await until(unitOf(firm), 'MainPID', new RegExp(`^(?!${pids[nth]}$)[1-9]`));
        await until(unitOf(firm), 'ActiveState', 'active');
      }
      const { output } = await succeeds(run('pbx-bridge', 'status', '--all', '--json'));
      const status = JSON.parse(output) as Record<string, { version: string }>;
      assert.deepEqual(
        Object.entries(status).map(([name, { version }]) => [name, version]),
        firms.map((firm) => [firm, versions.next]),
      );
      await succeeds(run('dpkg', '--remove', 'pbx-bridge'));
      assert.deepEqual(await states(), ['inactive', 'inactive']);
      await succeeds(run('dpkg', '-i', '/root/next.deb'));
      for (const firm of firms) await until(unitOf(firm), 'ActiveState', 'active');
      assert.equal(await property('pbx-bridge.service', 'ActiveState'), 'inactive');
    },
  );

  await t.test('one firm leaves; a purge leaves nothing of the other', async () => {
    await succeeds(run('systemctl', 'disable', '--now', unitOf('firm-a')));
    await succeeds(run('rm', '-r', '/etc/pbx-bridge/firm-a.env', '/var/lib/pbx-bridge/firm-a'));
    assert.match(
      (await succeeds(run('pbx-bridge', 'status', '--all'))).output,
      /^ {2}bridge .*\n\+ firm-b .*\n$/,
    );
    await succeeds(run('dpkg', '--purge', 'pbx-bridge'));
    assert.equal(await property(unitOf('firm-b'), 'ActiveState'), 'inactive');
    const link = `etc/systemd/system/multi-user.target.wants/${unitOf('firm-b')}`;
    assert.deepEqual(
      ['etc/pbx-bridge', link].map((path) => existsSync(machine.at(path))),
      [false, false],
    );
  });
}

async function succeeds(said: Promise<Said>): Promise<Said> {
  const { code, output } = await said;
  assert.equal(code, 0, output);
  return { code, output };
}
