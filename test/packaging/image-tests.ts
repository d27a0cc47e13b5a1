import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../tools/free-port.ts';
import { atExit } from '../tools/lab/at-exit.ts';
import { createMachine, type Machine, run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { longestTestMs } from '../tools/runner/run-files.ts';
import { until } from '../tools/until.ts';
import { tellsACall } from './unit-tests.ts';

type Image = {
  readonly env: Record<string, string>;
  readonly user: string;
  readonly volume: string;
  readonly stopSignal: string;
  readonly health: string;
  readonly entry: string[];
  readonly command: string[];
};

/**
 * Follows the Containerfile on a bare Debian 12, since no registry of images is reached here, and runs what comes out
 * as a container would: the program as process 1, as a plain user without capabilities, on a root that is only read.
 */
export async function imageTests(t: TestContext, dist: string): Promise<void> {
  const machine = await createMachine(12);
  t.after(() => machine.remove());
  const image = await make(machine, dist);
  assert.equal(image.user, 'pbx-bridge');

  await t.test(
    'the bridge reports a call, without rights, is healthy, and stops in good order',
    async (t) => {
      const stand = await createStand(t);
      const { STATE_DIR: _, ...settings } = stand.env;
      const env = { ...settings, STATUS_LISTEN: `127.0.0.1:${await freePort()}` };
      const container = await start(t, { machine, image, env });
      await until('the bridge has logged in', stand.pbx.hasLogin, { state: container.said });
      await tellsACall(stand);
      const status = readFileSync(`/proc/${container.first()}/status`, 'utf8');
      assert.match(status, /^CapEff:\s+0+$/m);
      assert.match(status, new RegExp(`^Uid:\\s+${container.uid}\\s`, 'm'));
      const { code, output } = await container.inside('sh', '-c', image.health);
      assert.equal(code, 0, output);
      assert.ok(existsSync(join(container.volume, 'outbox.db')), 'the state is in the volume');
      assert.equal(await container.stop(), 0, container.said());
      assert.match(container.said(), /"program\.stopped"/);
    },
  );
  await t.test('the service starts in it too, and is healthy', async (t) => {
    const env = { SERVICE_LISTEN: `127.0.0.1:${await freePort()}` };
    const container = await start(t, { machine, image: { ...image, command: ['service'] }, env });
    await until('the service listens', () => /"service\.started"/.test(container.said()), {
      state: container.said,
    });
    const { code, output } = await container.inside('sh', '-c', image.health);
    assert.equal(code, 0, output);
    assert.equal(await container.stop(), 0, container.said());
  });
}

type Start = {
  readonly machine: Machine;
  readonly image: Image;
  readonly env: Readonly<Record<string, string>>;
};

async function start(t: TestContext, { machine, image, env: settings }: Start) {
  const volume = temporaryFolder(t);
  const ids = await machine.chroot('sh', '-c', `id -u ${image.user}; id -g ${image.user}`);
  const [uid = '', gid = ''] = ids.output.split('\n');
  assert.equal((await run('chown', [`${uid}:${gid}`, volume])).code, 0);
  const env = Object.entries({ ...image.env, ...settings, NOTIFY_SOCKET: '' });
  const options = [
    '--quiet',
    '--register=no',
    '--keep-unit',
    '--console=pipe',
    '--read-only',
    '--drop-capability=all',
    '--no-new-privileges=yes',
    `--kill-signal=${image.stopSignal}`,
    `--user=${image.user}`,
    `--bind=${volume}:${image.volume}`,
    '-D',
    machine.root,
    ...env.map(([name, value]) => `--setenv=${name}=${value}`),
  ];
  const container = spawn('systemd-nspawn', [...options, ...image.entry, ...image.command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [container.stdout, container.stderr]) stream.on('data', (text) => (said += text));
  const ended = once(container, 'close');
  const first = () =>
    readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim().split(' ')[0] ?? '';
  // What runs in it ends with its first process; systemd-nspawn alone would leave that running.
  const kill = () => {
    if (container.exitCode === null && container.signalCode === null)
      process.kill(Number(first()) || (container.pid as number), 'SIGKILL');
  };
  const release = atExit(kill);
  t.after(() => {
    kill();
    release();
  });
  return {
    uid,
    volume,
    first,
    said: () => said,
    inside(...command: string[]) {
      const variables = env.map((pair) => pair.join('='));
      const user = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'env', ...variables];
      return run('nsenter', ['-t', first(), '-m', '-p', '-r', '-w', ...user, ...command]);
    },
    /** Gives its exit code. */
    async stop(): Promise<number | null> {
      container.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}

/** Does to the machine what the Containerfile's lines say. */
async function make(machine: Machine, dist: string): Promise<Image> {
  const text = readFileSync(new URL('../../systemd/Containerfile', import.meta.url), 'utf8');
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n');
  const image: Record<string, string> = {};
  const args: Record<string, string> = {};
  const env: Record<string, string> = {};
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (word === 'FROM') assert.match(rest, /\bdebian:12/);
    else if (word === 'ARG') Object.assign(args, Object.fromEntries([rest.split('=')]));
    else if (word === 'ENV') Object.assign(env, Object.fromEntries([rest.split('=')]));
    else if (word === 'COPY') {
      const [from = '', to = ''] = rest
        .replaceAll(/\$\{(\w+)\}/g, (_, name: string) => args[name] ?? '')
        .split(' ');
      const [file = ''] = globSync(from.replace(/^dist\//, ''), { cwd: dist });
      copyFileSync(join(dist, file), machine.at(to));
    } else if (word === 'RUN') {
      // Debian's archive, asked by this machine: a container builder gives it its network and its resolver too.
      mkdirSync(machine.at('run/systemd/resolve'), { recursive: true });
      copyFileSync('/etc/resolv.conf', machine.at('etc/resolv.conf'));
      const { code, output } = await run('chroot', [machine.root, 'sh', '-c', rest], longestTestMs);
      assert.equal(code, 0, output);
    } else image[word] = rest;
  }
  const words = (key: string) => JSON.parse(image[key] ?? '[]') as string[];
  const {
    USER: user = '',
    VOLUME: volume = '',
    STOPSIGNAL: stopSignal = '',
    HEALTHCHECK: check = '',
  } = image;
  return {
    env,
    user,
    volume,
    stopSignal,
    health: check.replace(/^.*CMD /, ''),
    entry: words('ENTRYPOINT'),
    command: words('CMD'),
  };
}
