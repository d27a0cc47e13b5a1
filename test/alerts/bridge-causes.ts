import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { askAgi } from '../../src/bridge/agi/agi-client.fixture.ts';
import { requestText } from '../../src/bridge/agi/agi-request.fixture.ts';
import { healthyAnswer, serveActions, startServer } from '../../src/bridge/ami/link.fixture.ts';
import { systemClock } from '../../src/shared/process/clock.ts';
import { createCertificate } from '../tools/certificate.ts';
import { installPackages } from '../tools/debian.ts';
import { connectedUnseen } from '../tools/fakes/connected-unseen.ts';
import { always, type Fault } from '../tools/fakes/fake-api-faults.ts';
import { createDisk, diskImpossible } from '../tools/faults/loop-disk.ts';
import { createRig } from '../tools/faults/rig.ts';
import { createSmallDisk, smallDiskImpossible } from '../tools/faults/small-disk.ts';
import { createPlayer, type PlayerOptions } from '../tools/player/player.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { alertSettings, type Cause, needs, type Receivers } from './cause.ts';

const call = () => markerCall().frames[0] as string;

/** A bridge whose alerts go to the receivers; it may find no Asterisk. */
async function bridge(t: TestContext, to: Receivers, settings: Readonly<Record<string, string>> = {}) {
  const stand = await createStand(t, { ...alertSettings(to), ...settings });
  const connected = stand.start();
  return { stand, connected };
}

/** A bridge that finds something else, or nothing, in place of a healthy Asterisk. */
const insteadOfAsterisk =
  (port: (t: TestContext) => Promise<number>, settings: Readonly<Record<string, string>> = {}): Cause =>
  async (t, to) => {
    await bridge(t, to, { AMI_PORT: String(await port(t)), ...settings });
  };

const server = (serve: (socket: Socket) => void) => (t: TestContext) => startServer(t, serve);

async function player(t: TestContext, options: Partial<PlayerOptions>) {
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock, ...options });
  t.after(() => pbx.close());
  return { pbx, port: (await pbx.listen()).port };
}

/** An API that does this with a call's event. */
const answered =
  (fault: Fault, settings: Readonly<Record<string, string>> = {}): Cause =>
  async (t, to) => {
    const { stand, connected } = await bridge(t, to, settings);
    await connected;
    stand.fakeApi.inject(always(fault));
    stand.pbx.send(call());
  };

export const bridgeCauses = {
  'ami.unreachable': insteadOfAsterisk(async () => 1),
  'ami.tls-refused': insteadOfAsterisk(
    async (t) => {
      const { key, cert } = await createCertificate(temporaryFolder(t), 'pbx.example');
      return (await player(t, { tls: { key: readFileSync(key), cert: readFileSync(cert) } })).port;
    },
    { AMI_TLS: 'yes' },
  ),
  'ami.not-asterisk': insteadOfAsterisk(server((socket) => socket.write('SSH-2.0-OpenSSH_9.2p1\r\n'))),
  'ami.login-refused': insteadOfAsterisk(async (t) => (await player(t, { secret: 'another' })).port),
  'ami.no-reporting-class': insteadOfAsterisk(async (t) => (await player(t, { write: [] })).port),
  async 'ami.no-call-class'(t, to) {
    const { pbx, port } = await player(t, { read: ['agent'] });
    await (await bridge(t, to, { AMI_PORT: String(port) })).connected;
    pbx.send(`${call()}\r\nPrivilege: call,all`);
  },
  async 'ami.no-linkedid'(t, to) {
    const { stand, connected } = await bridge(t, to);
    await connected;
    stand.pbx.send(call().replace(/\r\nLinkedid: .*/, ''));
  },
  async 'ami.no-bridge-events'(t, to) {
    const { stand, connected } = await bridge(t, to);
    await connected;
    for (const frame of connectedUnseen()) stand.pbx.send(frame);
  },
  'ami.silent': insteadOfAsterisk(
    server((socket) =>
      serveActions(socket, (action, id) => (action === 'login' ? '' : healthyAnswer(action, id))),
    ),
  ),
  'ami.lost': insteadOfAsterisk(server((socket) => socket.end())),
  'delivery.paused': answered({ kind: 'status', status: 401 }),
  'delivery.held': answered({ kind: 'status', status: 429, headers: { 'retry-after': '60' } }),
  async 'delivery.outage'(t, to) {
    const { stand, connected } = await bridge(t, to, { API_BASE_URL: 'http://127.0.0.1:1/api/v1' });
    await connected;
    stand.pbx.send(call());
  },
  'problem.nothing-accepted': answered({ kind: 'status', status: 500 }),
  'problem.backlog': answered({ kind: 'hang' }, { API_TIMEOUT: '60s' }),
  'problem.dead-letters': answered({ kind: 'status', status: 422 }),
  'problem.clock': answered({
    kind: 'status',
    status: 401,
    headers: { date: new Date(Date.now() - 10 * 60_000).toUTCString() },
  }),
  async 'problem.certificate'(t, to) {
    const { key, cert } = await createCertificate(temporaryFolder(t), 'bridge.example');
    await bridge(t, to, { API_CLIENT_CERT: cert, API_CLIENT_KEY: key });
  },
  async 'problem.other-agi-script'(t, to) {
    const { stand } = await bridge(t, to, { AGI_LISTEN: '127.0.0.1:0' });
    await stand.answersLookups();
    await askAgi(stand.agiPort(), { lines: requestText({ agi_network_script: 'dialparties.agi' }) });
  },
  async 'cdr.unreadable'(t, to) {
    await bridge(t, to, { CDR_SOURCE: `csv:${temporaryFolder(t)}/nowhere/Master.csv` });
  },
  async 'outbox.full'(t, to) {
    needs(smallDiskImpossible());
    const disk = createSmallDisk();
    // Before the bridge stops: it stores what waits.
    t.after(disk.giveRoom);
    const { stand, connected } = await bridge(t, to, { STATE_DIR: join(disk.path, 'state') });
    t.after(disk.remove);
    await connected;
    disk.leave(0);
    for (let n = 0; n < 100; n += 1) stand.pbx.send(call());
  },
  async 'problem.damaged-outbox'(t, to) {
    const { stand, connected } = await bridge(t, to);
    await connected;
    await stand.stop();
    writeFileSync(join(stand.env.STATE_DIR as string, 'outbox.db'), 'text, and no database at all');
    await stand.start();
  },
  async 'problem.disk-low'(t, to) {
    needs(smallDiskImpossible());
    // As big as it is, it has less free than is announced.
    const disk = createSmallDisk();
    t.after(disk.remove);
    await bridge(t, to, { STATE_DIR: join(disk.path, 'state') });
  },
  async 'outbox.failing'(t, to) {
    needs(smallDiskImpossible());
    await installPackages({ '/usr/bin/fiu-run': 'fiu-utils' });
    const rig = await createRig(alertSettings(to));
    t.after(() => rig.close());
    const pipe = join(rig.folder, 'fiu');
    const bridge = rig.startBridge({ wrap: ['fiu-run', '-x', '-f', pipe] });
    await bridge.says('ami.connected');
    const failing = 'enable name=posix/io/sync/fsync,failinfo=5';
    execFileSync('fiu-ctrl', ['-f', pipe, '-c', failing, String(bridge.pid)], { stdio: 'pipe' });
    rig.pbx.send(call());
  },
  async 'outbox.moved'(t, to) {
    const { stand, connected } = await bridge(t, to);
    await connected;
    const { STATE_DIR = '' } = stand.env;
    for (const name of readdirSync(STATE_DIR).filter((it) => it.startsWith('outbox.db')))
      renameSync(join(STATE_DIR, name), join(STATE_DIR, `aside-${name}`));
    stand.pbx.send(call());
  },
  async 'problem.not-storing'(t, to) {
    needs(await diskImpossible());
    const disk = createDisk('ext4');
    const rig = await createRig({ ...alertSettings(to), STATE_DIR: join(disk.path, 'state') });
    // A process that waits for a frozen disk cannot even be killed.
    const freeze = (how: '--freeze' | '--unfreeze') => execFileSync('fsfreeze', [how, disk.path]);
    t.after(async () => {
      freeze('--unfreeze');
      await rig.close();
      disk.remove();
    });
    await rig.startBridge().says('ami.connected');
    freeze('--freeze');
    rig.pbx.send(call());
  },
  async 'problem.test'(_, to) {
    const needed = {
      AMI_USERNAME: 'a',
      AMI_SECRET: 'b',
      API_BASE_URL: 'https://api.example/api/v1',
      API_TOKEN: 't',
    };
    await runCommand(['alert', 'test'], { ...needed, ...alertSettings(to) });
  },
} as const satisfies Record<string, Cause>;
