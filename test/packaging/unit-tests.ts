import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { outboxSchema } from '../../src/bridge/outbox/tables/migrations.ts';
import { longestWaitMs } from '../../src/shared/delivery/queue.ts';
import { systemClock } from '../../src/shared/process/clock.ts';
import { freePort } from '../tools/free-port.ts';
import { boot, type Container } from '../tools/packaging/container.ts';
import type { Machine } from '../tools/packaging/machine.ts';
import { type Packages, versions } from '../tools/packaging/packages.ts';
import { createPlayer } from '../tools/player/player.ts';
import { createStand, markerCall, type Stand } from '../tools/program/stand.ts';
import { until as waitUntil } from '../tools/until.ts';

const unit = 'pbx-bridge.service';

/**
 * The real unit under a real systemd, on a played PBX and an API: they share the network of this machine.
 * Thorough: also what does not depend on the version of systemd.
 */
export async function unitTests(
  t: TestContext,
  packages: Packages,
  machine: Machine,
  container: Container,
  { thorough }: { thorough: boolean },
): Promise<void> {
  const { run, property, until } = container;
  const stand = await createStand(t);
  for (const name of ['now', 'next'] as const) copyFileSync(packages[name], machine.at(`root/${name}.deb`));
  const system = (...args: string[]) => succeeds(container, 'systemctl', ...args);
  const settings = settingsFile(machine, 'bridge', stand);
  /** Waits until the journal has it: what a unit has said, journald writes down later. */
  const untilNoted = async (wanted: RegExp, ...which: string[]) => {
    const journal = async () => (await run('journalctl', '--no-pager', ...which)).output;
    const isNoted = async () => wanted.test(await journal());
    await waitUntil(`${wanted} is in the journal`, isNoted, { state: journal, everyMs: 500 });
  };
  const untilSaid = (wanted: RegExp) => untilNoted(wanted, '-t', 'pbx-bridge', '-o', 'cat');

  await t.test('is skipped before it is configured, and fails once with half of its settings', async () => {
    await succeeds(container, 'dpkg', '-i', '/root/now.deb');
    assert.equal(await property(unit, 'ActiveState'), 'inactive');
    // As at a boot of a machine that has the package for the service only.
    await run('systemctl', 'start', unit);
    assert.equal(await property(unit, 'ActiveState'), 'inactive');
    assert.equal(await property(unit, 'Result'), 'exec-condition');
    assert.equal(await property(unit, 'NRestarts'), '0');
    assert.equal((await run('systemctl', 'is-failed', unit)).output, 'inactive\n');
    await untilNoted(/pbx-bridge is not configured: run pbx-bridge setup/, '-u', unit, '-p', 'info');
    assert.doesNotMatch((await run('journalctl', '-u', unit, '-p', 'warning')).output, /not configured/);
    settings({ API_TOKEN: undefined });
    assert.notEqual((await run('systemctl', 'start', unit)).code, 0);
    assert.equal(await property(unit, 'ExecMainStatus'), '78');
    assert.equal(await property(unit, 'ActiveState'), 'failed');
    assert.equal(await property(unit, 'NRestarts'), '0');
    // What is printed before there is a log has a priority too.
    await untilNoted(/API_TOKEN: /, '-u', unit, '-p', 'err');
  });

  await t.test('starts with Asterisk away, says so, and is ready when its channels were read', async () => {
    settings({});
    // So that a hang is found in this test's time; a busy machine must not look like one.
    mkdirSync(machine.at(`etc/systemd/system/${unit}.d`));
    writeFileSync(machine.at(`etc/systemd/system/${unit}.d/test.conf`), '[Service]\nWatchdogSec=15\n');
    await system('daemon-reload');
    await stand.pbx.crash();
    await system('start', '--no-block', unit);
    await until(unit, 'StatusText', /not connected to Asterisk at 127\.0\.0\.1:\d+: nothing answers there/);
    assert.equal(await property(unit, 'ActiveState'), 'activating');
    await stand.pbx.listen();
    await until(unit, 'ActiveState', 'active');
    await until(unit, 'StatusText', /^Asterisk .* 0 waiting$/);
  });

  await t.test('reports a call, and nobody else can read its state', async () => {
    await tellsACall(stand);
    const readable = await run('find', '/var/lib/pbx-bridge', '-perm', '/o=rwx');
    assert.equal(readable.output, '');
    const { output } = await run('stat', '-c', '%U %a', '/var/lib/pbx-bridge/bridge');
    assert.equal(output, 'pbx-bridge 700\n');
    assert.equal(await property(unit, 'LimitNOFILE'), '8192');
    assert.notDeepEqual(readdirSync(machine.at('var/cache/pbx-bridge')), [], 'nothing is kept compiled');
  });

  await t.test('is reloaded in place', async () => {
    const pid = await property(unit, 'MainPID');
    settings({ LOG_LEVEL: 'debug' });
    await system('reload', unit);
    await until(unit, 'ActiveState', 'active');
    assert.equal(await property(unit, 'MainPID'), pid);
    await untilSaid(/^settings reloaded; .*LOG_LEVEL.* \[program\.reloaded\]$/m);
    await tellsACall(stand);
  });

  await t.test(
    'is started again after a crash or an end that nobody wanted, and after a hang by the watchdog',
    async () => {
      // TERM: it ends in good order, although the unit was not stopped.
      for (const [signal, count] of [
        ['KILL', '1'],
        ['TERM', '2'],
        ['STOP', '3'],
      ] as const) {
        const pid = await property(unit, 'MainPID');
        await system('kill', '--kill-who=main', `--signal=${signal}`, unit);
        await until(unit, 'NRestarts', count);
        await until(unit, 'ActiveState', 'active');
        assert.notEqual(await property(unit, 'MainPID'), pid);
        await tellsACall(stand);
      }
      await untilNoted(/Watchdog timeout/, '-u', unit);
    },
  );

  await t.test('a start that waiting cannot help returns at once, and says why', async () => {
    const account = { username: 'bridge', secret: 'sesame', clock: systemClock };
    const withoutRight = createPlayer({ ...account, port: await freePort(), write: [] });
    t.after(() => withoutRight.close());
    const { port } = await withoutRight.listen();
    const status = ['127.0.0.1', await freePort()].join(':');
    for (const [wrong, says] of [
      [
        { AMI_SECRET: 'wrong' },
        /login refused \(Authentication failed\)\. Compare AMI_USERNAME and AMI_SECRET/,
      ],
      [{ AMI_PORT: String(port) }, /lacks write class "reporting" .*\. Add write = reporting to the user/],
      [{ AMI_TLS: 'on' }, /TLS: no TLS handshake .*\. The certificate of the manager/],
    ] as const) {
      settings({ ...wrong, STATUS_LISTEN: status });
      // As in an unattended script.
      const script = 'systemctl restart pbx-bridge; pbx-bridge status';
      const { code, output } = await run('bash', '-ec', `${script} < /dev/null`);
      const said = await run('journalctl', '--no-pager', '-n', '20', '-u', unit);
      assert.equal(code, 2, `${output}${said.output}`);
      assert.match(await property(unit, 'StatusText'), says);
      assert.equal(await property(unit, 'ActiveState'), 'active');
    }
    settings({});
    await restartUnit(container, unit);
    await until(unit, 'StatusText', /^Asterisk /);
  });

  await t.test(
    'a program that is started again and again: status says so, and where the reason is',
    async () => {
      const status = async () => (await run('pbx-bridge', 'status')).output.replace(/\n +/g, ' ');
      settings({ STATUS_LISTEN: `127.0.0.1:${await freePort()}` });
      await system('stop', unit);
      assert.match(await status(), /not running; start it with systemctl start pbx-bridge/);
      await succeeds(container, 'chown', 'root', '/var/lib/pbx-bridge/bridge/outbox.db');
      await system('start', '--no-block', unit);
      await until(unit, 'NRestarts', /[1-9]/);
      const isSaid = async () =>
        /\d+ (times|restarts).*journalctl -u pbx-bridge -p warning/.test(await status());
      await waitUntil('status names the restarts', isSaid, { state: status, everyMs: 1_000 });
      assert.match((await run('pbx-bridge', 'check')).output, /user pbx-bridge may not write to outbox\.db/);
      await succeeds(container, 'chown', 'pbx-bridge', '/var/lib/pbx-bridge/bridge/outbox.db');
      settings({});
      await restartUnit(container, unit);
      await until(unit, 'StatusText', /^Asterisk /);
    },
  );

  if (!thorough) return;

  await t.test('takes its token from a credential', async () => {
    settings({ API_TOKEN: undefined });
    writeFileSync(machine.at('root/token'), 'a-token\n', { mode: 0o600 });
    const dropIn = machine.at(`etc/systemd/system/${unit}.d/credential.conf`);
    writeFileSync(dropIn, '[Service]\nLoadCredential=API_TOKEN:/root/token\n');
    await system('daemon-reload');
    await restartUnit(container, unit);
    await tellsACall(stand);
    writeFileSync(dropIn, '');
    settings({});
    await system('daemon-reload');
    await restartUnit(container, unit);
  });

  await t.test(
    'an upgrade that changes the database, and the way back: calls in progress and the queue go on',
    async () => {
      stand.fakeApi.inject(() => ({ kind: 'status', status: 503 }));
      const reported: string[] = [];
      for (const [name, version] of [
        ['next', versions.next],
        ['now', versions.now],
      ] as const) {
        const {
          id,
          frames: [begins = '', ends = ''],
        } = markerCall();
        const waiting = (more: number) =>
          until(unit, 'StatusText', new RegExp(` ${reported.length * 2 + more} waiting$`));
        stand.pbx.send(begins);
        await waiting(1);
        const pid = await property(unit, 'MainPID');
        await succeeds(container, 'dpkg', '-i', `/root/${name}.deb`);
        await until(unit, 'MainPID', new RegExp(`^(?!${pid}$)[1-9]`));
        await until(unit, 'ActiveState', 'active');
        await waiting(1);
        await untilSaid(new RegExp(`pbx-bridge ${version.replaceAll('.', '\\.')} started`));
        stand.pbx.send(ends);
        await waiting(2);
        reported.push(id);
      }
      const steps = outboxSchema.steps.length;
      const backups = 'var/lib/pbx-bridge/bridge/backups';
      assert.deepEqual(readdirSync(machine.at(backups)), [`before-${versions.next}-of-outbox.db`]);
      const writers = new DatabaseSync(machine.at('var/lib/pbx-bridge/bridge/outbox.db'), { readOnly: true });
      t.after(() => writers.close());
      assert.deepEqual(
        writers
          .prepare('SELECT version, steps FROM written_by ORDER BY at')
          .all()
          .map((row) => Object.values(row)),
        [
          [versions.now, steps],
          [versions.next, steps + 1],
          [versions.now, steps + 1],
        ],
      );
      stand.fakeApi.inject(undefined);
      // Tries one again at once; the others have a wait of their own, which grows while a busy machine takes its time.
      await system('reload', unit);
      const arrived = () => reported.every((id) => stand.fakeApi.calls().get(id)?.received.length === 2);
      await stand.fakeApi.waitFor(arrived, longestWaitMs + 30_000);
    },
  );

  await t.test('a second PBX and the service run beside it', async () => {
    // The folder's group becomes the file's, so that the bridge can read it.
    settingsFile(machine, 'berlin', stand)({ PBX_ID: 'berlin', AGI_LISTEN: 'off', STATUS_LISTEN: 'off' });
    await system('start', 'pbx-bridge@berlin.service');
    await until('pbx-bridge@berlin.service', 'StatusText', /^Asterisk /);
    const serviceSettings = (text: string) =>
      writeFileSync(machine.at('etc/pbx-bridge-service/service.env'), text);
    serviceSettings(`DATABASE_URL=postgres://nobody@127.0.0.1:${await freePort()}/none\n`);
    assert.equal((await run('systemctl', 'start', 'pbx-bridge-service.service')).code, 1);
    const refused = /the database of DATABASE_URL cannot be used: .*ECONNREFUSED/;
    await untilNoted(refused, '-u', 'pbx-bridge-service', '-p', 'err');
    serviceSettings('SERVICE_LISTEN=127.0.0.1:0\n');
    await system('restart', 'pbx-bridge-service.service');
    await until('pbx-bridge-service.service', 'StatusText', /^listening at http:\/\/127\.0\.0\.1:\d+$/);
    assert.match((await succeeds(container, 'pbx-bridge', 'service', 'token')).output, /API_TOKEN=\S+/);
    await untilNoted(/ is listening at .* \[service\.started\]$/m, '-t', 'pbx-bridge-service', '-o', 'cat');
    const { output } = await run('ls', '/var/lib/pbx-bridge');
    assert.deepEqual(output.trim().split('\n'), ['backups', 'berlin', 'bridge']);
    const owners = await run('sh', '-c', 'cd /var/lib/pbx-bridge-service; stat -c "%U %a" . service-secret');
    assert.equal(owners.output, 'pbx-bridge-service 700\npbx-bridge-service 600\n');
    assert.equal(await property('pbx-bridge-service.service', 'User'), 'pbx-bridge-service');
    assert.equal(await property('pbx-bridge-service.service', 'WatchdogUSec'), '1min');
  });

  await t.test('stops at once and in good order, and a removal stops all', async () => {
    await system('stop', unit);
    assert.equal(await property(unit, 'Result'), 'success');
    assert.equal(await property(unit, 'ExecMainStatus'), '0');
    await untilSaid(/^stopped \[program\.stopped\]\n[^\n]*$/m);
    await system('start', unit);
    await succeeds(container, 'dpkg', '--purge', 'pbx-bridge');
    const { output } = await run(
      'systemctl',
      'list-units',
      '--plain',
      '--no-legend',
      '--state=active',
      'pbx-bridge*',
    );
    assert.equal(output, '');
  });
}

/** Boots with an Asterisk that does not let the bridge in, and with one that is not there. */
export async function bootTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  const stand = await createStand(t);
  copyFileSync(packages.now, machine.at('root/now.deb'));
  const { code, output } = await machine.chroot('dpkg', '-i', '/root/now.deb');
  assert.equal(code, 0, output);
  for (const [wrong, says] of [
    [{ AMI_SECRET: 'wrong' }, /login refused \(Authentication failed\)\. Compare /],
    [
      { AMI_PORT: String(await freePort()) },
      /nothing answers there \(ECONNREFUSED\)\. Check that Asterisk is running/,
    ],
  ] as const) {
    settingsFile(machine, 'bridge', stand)(wrong);
    const container = await boot(machine);
    assert.ok(typeof container !== 'string', container as string);
    try {
      assert.equal(await container.property('multi-user.target', 'ActiveState'), 'active');
      assert.equal(await container.property(unit, 'ActiveState'), 'active');
      assert.match(await container.property(unit, 'StatusText'), says);
    } finally {
      await container.stop();
    }
  }
}

/** An unanswered call, which arrives at the API. */
export async function tellsACall(stand: Stand): Promise<void> {
  const { id, frames } = markerCall();
  for (const frame of frames) stand.pbx.send(frame);
  await stand.fakeApi.waitFor(() => stand.fakeApi.calls().get(id)?.received.length === 2, 30_000);
}

/** Writes a file of settings as an editor would, keeping whose it is; `undefined` leaves one out. */
export function writeSettings(file: string, settings: Readonly<Record<string, string | undefined>>): void {
  const lines = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}\n`],
  );
  writeFileSync(file, lines.join(''), { mode: 0o640 });
}

/** The settings of a bridge at a stand, and how to write them with changes. */
export function settingsFile(machine: Machine, name: string, stand: Stand) {
  const file = machine.at(`etc/pbx-bridge/${name}.env`);
  return (changes: Record<string, string | undefined>): void => {
    const { STATE_DIR: _, ...env } = stand.env;
    writeSettings(file, { ...env, ...changes });
  };
}

/** `systemctl restart`, which must succeed. Gives the end of its journal. */
export async function restartUnit(container: Container, unit: string): Promise<string> {
  await container.run('systemctl', 'reset-failed', unit);
  const { code } = await container.run('systemctl', 'restart', unit);
  const { output } = await container.run('journalctl', '--no-pager', '-n', '20', '-o', 'cat', '-u', unit);
  assert.equal(code, 0, output);
  return output;
}

export async function succeeds(container: Container, command: string, ...args: string[]) {
  const said = await container.run(command, ...args);
  assert.equal(said.code, 0, said.output);
  return said;
}
