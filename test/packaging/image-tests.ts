import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../integration/program.ts';
import { createStand } from '../integration/stand.ts';
import { longestTestMs } from '../run-files.ts';
import { until } from '../until.ts';
import { createMachine, type Machine, run } from './machine.ts';
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
  const volume = temporaryFolder(t);
  const ids = (await machine.chroot('sh', '-c', `id -u ${image.user}; id -g ${image.user}`)).output.trim();
  assert.equal((await run('chown', [ids.replace('\n', ':'), volume])).code, 0);

  const stand = await createStand(t);
  const { STATE_DIR: _, ...settings } = stand.env;
  const env = {
    ...image.env,
    ...settings,
    STATUS_LISTEN: `127.0.0.1:${await freePort()}`,
    NOTIFY_SOCKET: '',
  };
  const options = [
    ...['--quiet', '--register=no', '--keep-unit', '--console=pipe', '--read-only', '--drop-capability=all'],
    ...['--no-new-privileges=yes', `--kill-signal=${image.stopSignal}`, `--user=${image.user}`],
    ...[`--bind=${volume}:${image.volume}`, '-D', machine.root],
    ...Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`),
  ];
  const container = spawn('systemd-nspawn', [...options, ...image.entry, ...image.command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [container.stdout, container.stderr]) stream.on('data', (text) => (said += text));
  const ended = once(container, 'close');
  const first = () =>
    readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim().split(' ')[0] ?? '';
  t.after(() => {
    if (container.exitCode === null) process.kill(Number(first()), 'SIGKILL');
  });

  await t.test('reports a call, as a plain user without rights', async () => {
    await until('the bridge has logged in', stand.pbx.hasLogin, { state: () => said });
    await tellsACall(stand);
    const status = readFileSync(`/proc/${first()}/status`, 'utf8');
    assert.match(status, /^CapEff:\s+0+$/m);
    assert.match(status, new RegExp(`^Uid:\\s+${ids.split('\n')[0]}\\s`, 'm'));
  });
  await t.test('is healthy, and keeps its state in the volume', async () => {
    const inside = [
      '-t',
      first(),
      '-m',
      '-p',
      '-r',
      '-w',
      'setpriv',
      `--reuid=${image.user}`,
      `--regid=${image.user}`,
      '--clear-groups',
    ];
    const health = await run('nsenter', [
      ...inside,
      'env',
      ...Object.entries(env).map((pair) => pair.join('=')),
      'sh',
      '-c',
      image.health,
    ]);
    assert.equal(health.code, 0, health.output);
    assert.ok(globSync('outbox.db', { cwd: volume }).length === 1);
  });
  await t.test('is stopped by its signal, in good order', async () => {
    container.kill('SIGTERM');
    const [code] = await ended;
    assert.equal(code, 0, said);
    assert.match(said, /"program\.stopped"/);
  });
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
    ...{ env, user, volume, stopSignal, health: check.replace(/^.*CMD /, '') },
    ...{ entry: words('ENTRYPOINT'), command: words('CMD') },
  };
}
