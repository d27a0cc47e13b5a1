import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Machine } from '../tools/packaging/machine.ts';
import type { Packages } from '../tools/packaging/packages.ts';
import { rootAccess } from './root-access.ts';

const users = ['pbx-bridge', 'pbx-bridge-service'] as const;
const cli = '/usr/lib/pbx-bridge/lib/cli.js';
/** A file that it loads. */
const loaded = '/usr/lib/pbx-bridge/lib/cli/program.js';
const setup = ['pbx-bridge', 'setup', 'API_BASE_URL=http://127.0.0.1:9/api/v1', 'API_TOKEN=token'] as const;
const backup = '/var/lib/pbx-bridge/backups/a.db';

/** A compromised bridge or service does not become root when root runs a command or installs the next version. */
export async function rootTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  copyFileSync(packages.now, machine.at('now.deb'));
  copyFileSync(packages.next, machine.at('next.deb'));
  mkdirSync(machine.at('etc/asterisk'));
  writeFileSync(machine.at('etc/asterisk/manager.conf'), '[general]\nenabled = yes\n');

  const leavesAlone = async (...commands: (readonly string[])[]) => {
    for (const command of commands) {
      const { accesses, output } = await rootAccess(machine, users, command);
      assert.deepEqual(accesses, [], `${command.join(' ')}\n${output}`);
    }
  };

  await t.test('root opens, runs and changes nothing in folders of the program’s users', async () => {
    await leavesAlone(['dpkg', '-i', '/now.deb'], setup, [
      ...setup,
      '--instance',
      'firm-a',
      'REPORT_RULES=ignore *',
    ]);
    // What the audit must see.
    const { accesses } = await rootAccess(machine, users, ['cat', `${backup}-wal`]);
    assert.deepEqual(accesses, [`openat ${backup}-wal`]);
    await leavesAlone(
      ['pbx-bridge', '--version'],
      ['pbx-bridge', 'check'],
      ['pbx-bridge', 'status', '--all'],
      ['pbx-bridge', 'explain', '0301234567'],
      ['pbx-bridge', 'backup', backup],
      ['pbx-bridge', 'restore', backup],
      ['pbx-bridge', 'bugreport'],
      ['pbx-bridge', 'service', 'setup', 'Office', '--country', 'NL'],
      ['pbx-bridge', 'service', 'backup', '/var/lib/pbx-bridge-service/a.db'],
      ['dpkg', '-i', '/next.deb'],
      ['dpkg', '-i', '/now.deb'],
    );
  });

  await t.test('the units run nothing with root’s rights', async () => {
    const { output } = await machine.chroot(
      'sh',
      '-c',
      'grep -H "^Exec\\|^User=" /lib/systemd/system/pbx-bridge*',
    );
    assert.doesNotMatch(output, /Exec\w+=[@:-]*[+!]/);
    assert.deepEqual(
      output
        .match(/^.*User=.*$/gm)
        ?.map((line) => line.replace(/.*\/([^:]+):User=/, '$1 '))
        .sort(),
      [
        'pbx-bridge-service.service pbx-bridge-service',
        'pbx-bridge.service pbx-bridge',
        'pbx-bridge@.service pbx-bridge',
      ],
    );
  });

  await t.test('a forged entry of the compile cache is not run for root', async () => {
    const cache = '/var/cache/pbx-bridge';
    const forgery = '/var/lib/pbx-bridge/backups/cache';
    const node = ['setpriv', '--reuid=pbx-bridge', '--regid=pbx-bridge', '--init-groups', 'env'] as const;
    const compile = (folder: string, script: string) =>
      machine.chroot(
        ...node,
        `NODE_COMPILE_CACHE=${folder}`,
        '/usr/lib/pbx-bridge/bin/node',
        script,
        '--help',
      );
    // Text of the same length as a file of the program, which writes down who runs it.
    const mark = '/tmp/forged';
    const forged = `process.getBuiltinModule('fs').appendFileSync('${mark}',process.getuid()+'\\n');`;
    const size = readFileSync(machine.at(loaded)).length;
    const script = '/var/lib/pbx-bridge/backups/forged.mjs';
    writeFileSync(machine.at(script), forged.padEnd(size));
    // What root may have left there; the folder's owner can move it away.
    await machine.chroot('sh', '-c', `rm -rf ${cache}/*`);
    await compile(cache, cli);
    await compile(forgery, script);
    const entries = (folder: string) =>
      readdirSync(machine.at(folder), { recursive: true, encoding: 'utf8' })
        .map((name) => machine.at(folder, name))
        .filter((path) => /\/v[^/]+\/[0-9a-f]{8}$/.test(path));
    const [real = ''] = entries(cache).filter((path) => readFileSync(path).readUInt32LE(4) === size);
    const [other = ''] = entries(forgery);
    const entry = readFileSync(other);
    // The sum of the file that it claims to be made from.
    readFileSync(real).copy(entry, 12, 12, 16);
    writeFileSync(real, entry);
    // Each user has entries of its own, in a folder that ends in the user's number.
    const forge = () =>
      machine.chroot('sh', '-c', `cd ${cache}; rm -rf v*-0; for d in v*; do cp -r $d \${d%-*}-0; done`);
    writeFileSync(machine.at(mark), '', { mode: 0o666 });
    await machine.chroot('chmod', '666', mark);

    await compile(cache, cli);
    const uid = (await machine.chroot('id', '-u', 'pbx-bridge')).output;
    assert.equal(readFileSync(machine.at(mark), 'utf8'), uid, 'the forgery works where the cache is used');
    for (const command of [setup, ['pbx-bridge', 'status'], ['pbx-bridge', 'bugreport']] as const) {
      await forge();
      const [name, ...args] = command;
      const { output } = await machine.chroot(name, ...args);
      assert.equal(readFileSync(machine.at(mark), 'utf8'), uid, `${command.join(' ')}\n${output}`);
    }
  });

  await t.test(
    'nor while the package is removed, and a purge removes links and not what they lead to',
    async () => {
      writeFileSync(machine.at('etc/kept'), '');
      for (const [folder, user] of [
        ['/var/lib/pbx-bridge/backups', 'pbx-bridge'],
        ['/var/cache/pbx-bridge-service', 'pbx-bridge-service'],
      ] as const)
        await machine.chroot(
          'setpriv',
          `--reuid=${user}`,
          '--clear-groups',
          'ln',
          '-s',
          '/etc',
          `${folder}/link`,
        );
      await leavesAlone(['dpkg', '--remove', 'pbx-bridge'], ['dpkg', '--purge', 'pbx-bridge']);
      assert.ok(existsSync(machine.at('etc/kept')));
    },
  );
}
