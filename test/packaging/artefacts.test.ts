import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../tools/debian.ts';
import { boot } from '../tools/packaging/container.ts';
import { createMachine, packagingImpossible, run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { longestTestMs } from '../tools/runner/run-files.ts';
import { imageTests } from './image-tests.ts';
import { npxTests } from './npx-tests.ts';
import { files } from './package-tests.ts';
import { settingsFile, succeeds, tellsACall } from './unit-tests.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };

/** All that `npm run build` makes: the same wherever it is made, and each reports a call. The Debian package has a test of its own. */
test('what is released', { skip: packagingImpossible() ?? false, concurrency: 3 }, async (t) => {
  await installPackages({
    '/usr/bin/x86_64-linux-gnu-strip': 'binutils',
    '/usr/bin/aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
    '/usr/bin/systemd-nspawn': 'systemd-container',
    '/usr/sbin/debootstrap': 'debootstrap',
  });
  const checkouts = [await copied(t, 'one'), await copied(t, 'some/where/else')] as const;
  const dist = await built(checkouts[0], '022');
  await Promise.all([
    t.test(
      'two builds in different folders, of accounts with different rights, have the same bytes',
      async () => {
        const other = await built(checkouts[1], '077', 'amd64');
        const sums = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split(/(?<=\n)/);
        assert.deepEqual(
          sums(other),
          sums(dist).filter((line) => !line.includes('arm64')),
        );
        const names = sums(dist).map((line) => /\S+$/m.exec(line)?.[0]);
        assert.deepEqual(names.sort(), [
          `pbx-bridge-${version}-linux-arm64.tar.xz`,
          `pbx-bridge-${version}-linux-x64.tar.xz`,
          `pbx-bridge-${version}.cdx.json`,
          `pbx-bridge-${version}.tgz`,
          `pbx-bridge_${version}_amd64.deb`,
          `pbx-bridge_${version}_arm64.deb`,
        ]);
        const { code, output } = await run('sh', ['-c', 'cd "$0" && sha256sum -c SHA256SUMS', dist]);
        assert.equal(code, 0, output);
      },
    ),
    t.test('the packages have the same files, and each a runtime for its machines', () => sameFiles(dist)),
    t.test('the archive, where there is no dpkg', (t) =>
      archiveTests(t, join(dist, `pbx-bridge-${version}-linux-x64.tar.xz`)),
    ),
    t.test('the npm package', (t) => npxTests(t, join(dist, `pbx-bridge-${version}.tgz`))),
    t.test('the Containerfile', (t) => imageTests(t, dist)),
  ]);
});

/** Copies this checkout. Gives the folder. */
async function copied(t: TestContext, name: string): Promise<string> {
  const checkout = join(temporaryFolder(t), name);
  mkdirSync(checkout, { recursive: true });
  const script = `cd "$0"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1"
    cp -rl node_modules "$1" 2>&- || cp -r node_modules "$1"`;
  const { code, output } = await run('bash', ['-ec', script, project, checkout], longestTestMs);
  assert.equal(code, 0, output);
  return checkout;
}

/** Builds it, for one architecture or for all. Gives the folder with what was made. */
async function built(checkout: string, umask: string, arch?: 'amd64'): Promise<string> {
  const options = arch ? ` -- --arch ${arch}` : '';
  const script = `cd "$0"; umask ${umask}; SOURCE_DATE_EPOCH=1795000000 npm run build${options}`;
  const { code, output } = await run('bash', ['-ec', script, checkout], longestTestMs);
  assert.equal(code, 0, output);
  return join(checkout, 'dist');
}

/** The machine that an ELF file is for, e_machine of elf(5). */
const elf = { amd64: '003e', arm64: '00b7' } as const;

async function sameFiles(dist: string): Promise<void> {
  const names: string[][] = [];
  for (const [arch, machine] of Object.entries(elf)) {
    const deb = join(dist, `pbx-bridge_${version}_${arch}.deb`);
    assert.equal((await run('dpkg-deb', ['-f', deb, 'Architecture'])).output, `${arch}\n`);
    const { output } = await run('dpkg-deb', ['-c', deb]);
    names.push(output.split('\n').map((line) => line.replace(/^.* \.\//, '')));
    const script =
      'dpkg-deb --fsys-tarfile "$0" 2>&- | tar -xO ./usr/lib/pbx-bridge/bin/node 2>&- | od -An -tx2 -j18 -N2';
    assert.equal((await run('sh', ['-c', script, deb])).output.trim(), machine);
  }
  const [one, other] = names;
  assert.deepEqual(one, other);
  assert.deepEqual(
    one?.filter((name) => /^usr\/lib\/pbx-bridge\/lib\/.*\.ts$/.test(name)),
    [],
    'it is compiled',
  );
}

/** On a Debian from which all is taken that other distributions do not have. */
async function archiveTests(t: TestContext, archive: string): Promise<void> {
  const machine = await createMachine(12);
  t.after(() => machine.remove());
  const foreign =
    'rm -rf /usr/bin/dpkg* /usr/bin/apt* /usr/sbin/adduser /usr/bin/deb-systemd-* /var/lib/dpkg';
  assert.equal((await machine.chroot('sh', '-c', foreign)).code, 0);
  const before = await files(machine);
  copyFileSync(archive, machine.at('root/archive.tar.xz'));
  await run('tar', ['-xJf', archive, '-C', machine.at('root')]);
  const folder = `/root/${basename(archive, '.tar.xz')}`;
  const container = await boot(machine);
  if (typeof container === 'string') return t.skip(container);
  t.after(() => container.stop());
  const stand = await createStand(t);
  const unit = 'pbx-bridge.service';

  await t.test('installs without a question, and reports a call', async () => {
    const { output } = await succeeds(container, 'sh', `${folder}/install.sh`);
    assert.match(output, /next, on a PBX: +pbx-bridge setup /);
    settingsFile(machine, 'bridge', stand)({});
    await succeeds(container, 'systemctl', 'restart', unit);
    await tellsACall(stand);
    const mode = await container.run('stat', '-c', '%U %G %a', '/etc/pbx-bridge/bridge.env');
    assert.equal(mode.output, 'root pbx-bridge 640\n');
    const pid = await container.property(unit, 'MainPID');
    assert.equal((await container.run('stat', '-c', '%U', `/proc/${pid}`)).output, 'pbx-bridge\n');
    assert.equal((await succeeds(container, 'pbx-bridge', '--version')).output, `${version}\n`);
    const written = await container.run(
      'find',
      '/usr/lib/pbx-bridge',
      '/usr/bin/pbx-bridge',
      '-perm',
      '/go=w',
    );
    assert.equal(written.output, '', 'writable by others');
  });
  await t.test('again: an upgrade, which keeps settings and restarts', async () => {
    const pid = await container.property(unit, 'MainPID');
    await succeeds(container, 'sh', `${folder}/install.sh`);
    await container.until(unit, 'MainPID', new RegExp(`^(?!${pid}$)[1-9]`));
    await container.until(unit, 'ActiveState', 'active');
    await tellsACall(stand);
  });
  await t.test('runs the service', async () => {
    const file = machine.at('etc/pbx-bridge-service/service.env');
    writeFileSync(file, 'SERVICE_LISTEN=127.0.0.1:0\n');
    await succeeds(container, 'systemctl', 'start', 'pbx-bridge-service.service');
    await succeeds(container, 'pbx-bridge', 'service', 'status');
  });
  await t.test('is removed by what it installed, and a purge leaves nothing', async () => {
    await succeeds(container, 'sh', '/usr/lib/pbx-bridge/install.sh', 'uninstall');
    assert.equal((await container.run('pbx-bridge', '--version')).code === 0, false);
    assert.ok((await files(machine)).includes('/etc/pbx-bridge/bridge.env'));
    const { output } = await succeeds(container, 'sh', `${folder}/install.sh`);
    assert.doesNotMatch(output, /pbx-bridge setup/);
    await succeeds(container, 'sh', '/usr/lib/pbx-bridge/install.sh', 'purge');
    assert.doesNotMatch(readFileSync(machine.at('etc/passwd'), 'utf8'), /pbx-bridge/);
    const left = (await files(machine)).filter((name) => !before.includes(name) && /pbx-bridge/.test(name));
    assert.deepEqual(
      left.filter((name) => !name.startsWith('/root/')),
      [],
    );
  });
  await t.test('says what it takes, and that it must be root', async () => {
    const wrong = await container.run('sh', `${folder}/install.sh`, 'remove');
    assert.equal(wrong.code, 1);
    assert.equal(wrong.output, "pbx-bridge: got 'remove'; takes nothing, uninstall or purge\n");
    const nobody = await container.run(
      'sh',
      '-c',
      `setpriv --reuid=nobody --clear-groups sh -s < ${folder}/install.sh`,
    );
    assert.deepEqual([nobody.code, nobody.output], [1, 'pbx-bridge: run this as root\n']);
  });
}
