import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../tools/debian.ts';
import { cache, type DebianTree, debianTree, treesImpossible } from '../tools/debian-tree.ts';
import { atExit } from '../tools/lab/at-exit.ts';
import { createMachineOn } from '../tools/packaging/machine.ts';
import { readDocument } from '../tools/tree/documents.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** What the README has a bare machine install. */
const packages =
  /`apt install --no-install-recommends ([\w ]+)`/.exec(readDocument('README.md').text)?.[1]?.split(' ') ??
  [];

/** A Debian that somebody has, with its own files and what the README names. */
export type World = {
  readonly name: string;
  readonly suite: 'bookworm' | 'trixie';
  readonly lang: string;
  readonly hosts: string;
  /** The tests, in networks of their own or, without a name, in this machine's. */
  readonly tests: readonly { readonly command: string; readonly network?: Network }[];
};

/** Commands of ip-netns(8) and sysctl(8) that make a network of its own out of one that has nothing. */
const networks = {
  'without IPv6': ['sysctl -qw net.ipv6.conf.all.disable_ipv6=1', 'ip link set lo up'],
  'with IPv6 addresses only': [
    'ip link set lo up',
    'ip link add outside type veth peer name there',
    'ip link set there up',
    'ip address add 2001:db8::2/64 dev outside nodad',
    'ip link set outside up',
  ],
} as const;
type Network = keyof typeof networks;

const treeOf = (suite: World['suite']): DebianTree => ({
  suite,
  root: join(cache, `stock-${suite}`),
  marker: 'etc/pbx-bridge-lab',
  packages: 'ca-certificates',
  byApt: packages,
  madeOf: async () => `${packages}\n`,
});

/** Whom npm asks here, and whom it trusts. */
const npmSettings = ['registry', 'proxy', 'https-proxy', 'noproxy', 'cafile'];

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-c', 'advice.detachedHead=false', ...args], {
    encoding: 'utf8',
  }).trim();

/** README's two commands in it, as a plain user. */
export function testReadmeIn(world: World): void {
  const tree = treeOf(world.suite);
  test(
    `${world.name}: README's two commands, as a plain user`,
    { skip: treesImpossible(tree) ?? false },
    (t) => runReadmeIn(t, world, tree),
  );
}

async function runReadmeIn(t: TestContext, { lang, hosts, tests }: World, tree: DebianTree): Promise<void> {
  assert.equal(packages[0], 'npm');
  await debianTree(tree);
  const machine = await createMachineOn(tree.root);
  t.after(machine.remove);
  const { at } = machine;
  assert.equal((await machine.chroot('useradd', '--create-home', 'newcomer')).code, 0);
  writeFileSync(at('etc/hosts'), hosts);
  writeFileSync(at('etc/hostname'), 'debian\n');
  cpSync('/etc/resolv.conf', at('etc/resolv.conf'), { dereference: true });
  letNpmIn(at);
  const folder = at('home/newcomer/the phone bridge');
  git('clone', '--quiet', '--no-local', checkout, folder);
  const commit = git('-C', checkout, 'rev-parse', 'HEAD');
  assert.equal(git('-C', folder, 'rev-parse', 'HEAD'), commit);
  assert.equal((await machine.chroot('chown', '-R', 'newcomer:', '/home/newcomer')).code, 0);

  /** As somebody types it there. */
  async function type(command: string, network?: Network): Promise<{ code: number; output: string }> {
    const script = `cd '/home/newcomer/the phone bridge' && ${command}`;
    const options = ['--quiet', '--register=no', '--keep-unit', '--console=pipe', '--as-pid2'];
    const own = ['--resolv-conf=off', '--timezone=off', '--hostname=debian', '--user=newcomer'];
    const set = [
      `--setenv=LANG=${lang}`,
      ...(network ? [`--network-namespace-path=/run/netns/${await makeNetwork(t, network)}`] : []),
    ];
    const child = spawn(
      'systemd-nspawn',
      [...options, ...own, ...set, '-D', machine.root, 'bash', '-c', script],
      {
        // What is in /tmp afterwards is looked at.
        env: { ...process.env, SYSTEMD_NSPAWN_TMPFS_TMP: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const release = atExit(() => child.kill('SIGTERM'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    release();
    return { code: code ?? -1, output };
  }

  await t.test('without the library that Node needs, npm ci names the package that has it', async () => {
    const libraries = at('usr/lib/x86_64-linux-gnu');
    renameSync(join(libraries, 'libatomic.so.1'), join(libraries, 'not-libatomic'));
    const { code, output } = await type('npm ci');
    renameSync(join(libraries, 'not-libatomic'), join(libraries, 'libatomic.so.1'));
    assert.notEqual(code, 0);
    assert.match(output, /apt install libatomic1/, output);
  });

  await t.test('npm ci and npm run demo', async () => {
    const { code, output } = await type('npm ci && npm run demo -- --seconds 3');
    assert.equal(code, 0, output);
    assert.match(output, /^Open http:\S+$[\s\S]*^Ended; nothing is left behind\.$/m, output);
  });

  for (const { command, network } of tests)
    await t.test([command, network].join(' '), async (t) => {
      const { code, output } = await type(command, network);
      // A report of CI may have the beginning of an error alone.
      assert.equal(code, 0, output.replace(/^(ok .*|)\n/gm, ''));
      const [left = '', count = ''] = output
        .trim()
        .split('\n')
        .filter((line) => /^left out: |^\d+ passed/.test(line));
      assert.match(count, /^\d{3,} passed, 0 failed/, output);
      t.diagnostic(`${count}; ${left}`);
    });

  assert.equal(git('-C', folder, 'status', '--porcelain'), '', 'the checkout is as it was');
  assert.deepEqual(readdirSync(at('tmp')), [], 'nothing is left behind');
}

/** Returns its name, as ip-netns(8) has it. */
async function makeNetwork(t: TestContext, network: Network): Promise<string> {
  await installPackages({ '/usr/sbin/ip': 'iproute2', '/usr/sbin/sysctl': 'procps' });
  const name = `stock-${process.pid}-${network.replaceAll(' ', '-')}`;
  execFileSync('ip', ['netns', 'add', name]);
  const remove = () => execFileSync('ip', ['netns', 'delete', name]);
  const release = atExit(remove);
  t.after(() => {
    release();
    remove();
  });
  for (const command of networks[network]) execFileSync('ip', ['netns', 'exec', name, ...command.split(' ')]);
  return name;
}

/** So that npm reaches its registry as it does here, also by way of a proxy, or with an authority of a company's own. */
function letNpmIn(at: (...parts: string[]) => string): void {
  const known = npmSettings.map((name) => {
    const value = execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
    return [name, /^(null|undefined)?$/.test(value) ? undefined : value] as const;
  });
  const authorities = Object.fromEntries(known).cafile ?? process.env.NODE_EXTRA_CA_CERTS;
  const own = 'etc/npm-authorities.pem';
  if (authorities !== undefined) cpSync(authorities, at(own), { dereference: true });
  const lines = known.flatMap(([name, value]) =>
    value === undefined || name === 'cafile' ? [] : `${name}=${value}\n`,
  );
  if (authorities !== undefined) lines.push(`cafile=/${own}\n`);
  writeFileSync(at('home/newcomer/.npmrc'), lines.join(''));
}
