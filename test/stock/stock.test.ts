import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { atExit } from '../asterisk/at-exit.ts';
import { cache, type DebianTree, debianTree, treesImpossible } from '../debian-tree.ts';
import { readDocument } from '../documents.ts';
import { createMachineOn } from '../packaging/machine.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** What the README has a bare machine install. */
const packages =
  /`apt install --no-install-recommends ([\w ]+)`/.exec(readDocument('README.md').text)?.[1]?.split(' ') ??
  [];
const tree: DebianTree = {
  ...{ suite: 'bookworm', root: join(cache, 'stock-12'), marker: 'etc/pbx-bridge-lab' },
  ...{ packages: 'ca-certificates', byApt: packages, madeOf: async () => `${packages}\n` },
};

/** As Debian's installer writes it: localhost has two addresses, and glibc gives the IPv4 one twice. */
const hosts = `127.0.0.1\tlocalhost
127.0.1.1\tdebian

# The following lines are desirable for IPv6 capable hosts
::1     localhost ip6-localhost ip6-loopback
ff02::1 ip6-allnodes
ff02::2 ip6-allrouters
`;

/** Whom npm asks here, and whom it trusts. */
const npmSettings = ['registry', 'proxy', 'https-proxy', 'noproxy', 'cafile'];

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-c', 'advice.detachedHead=false', ...args], {
    encoding: 'utf8',
  }).trim();

test("on a Debian with its own files and what the README names: README's commands, and the tests, as a plain user", {
  skip: treesImpossible(tree) ?? false,
}, async (t) => {
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
  async function type(command: string): Promise<{ code: number; output: string }> {
    const script = `cd '/home/newcomer/the phone bridge' && ${command}`;
    const options = ['--quiet', '--register=no', '--keep-unit', '--console=pipe', '--as-pid2'];
    const own = ['--resolv-conf=off', '--timezone=off', '--hostname=debian', '--user=newcomer'];
    const child = spawn('systemd-nspawn', [...options, ...own, '-D', machine.root, 'bash', '-c', script], {
      // What is in /tmp afterwards is looked at.
      env: { ...process.env, SYSTEMD_NSPAWN_TMPFS_TMP: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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

  await t.test('npm ci and npm test', async (t) => {
    const { code, output } = await type('npm ci && npm test');
    assert.equal(code, 0, output);
    const [left = '', count = ''] = output
      .trim()
      .split('\n')
      .filter((line) => /^left out: |^\d+ passed/.test(line));
    assert.match(count, /^\d{4,} passed, 0 failed/, output);
    t.diagnostic(`${count}; ${left}`);
  });

  assert.equal(git('-C', folder, 'status', '--porcelain'), '', 'the checkout is as it was');
  assert.deepEqual(readdirSync(at('tmp')), [], 'nothing is left behind');
});

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
