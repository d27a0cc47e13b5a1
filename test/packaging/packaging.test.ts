import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { installPackages } from '../tools/debian.ts';
import { install } from '../tools/lab/install.ts';
import { boot } from '../tools/packaging/container.ts';
import {
  createMachine,
  type Machine,
  packagingImpossible,
  type Release,
  run,
} from '../tools/packaging/machine.ts';
import { buildPackages, type Packages } from '../tools/packaging/packages.ts';
import { addPhoneSystem, type Layout } from '../tools/packaging/phone-system.ts';
import { aptTests } from './apt-tests.ts';
import { checkoutTests } from './checkout-tests.ts';
import { instanceTests } from './instance-tests.ts';
import { packageTests } from './package-tests.ts';
import { phonePort, readmeTests } from './readme-tests.ts';
import { rootTests } from './root-tests.ts';
import { sandboxTests } from './sandbox-tests.ts';
import { bootTests, unitTests } from './unit-tests.ts';

const impossible = packagingImpossible();
if (impossible)
  process.stdout.write(`test/packaging: no packages are tried on this machine: ${impossible}\n`);

/** Each part has a machine of its own, and waits most of its time for that to boot: three go on side by side. */
test('the Debian package', { skip: impossible ?? false, concurrency: 3 }, async (t) => {
  await installPackages({
    '/usr/bin/x86_64-linux-gnu-strip': 'binutils',
    '/usr/bin/lintian': 'lintian',
    '/usr/bin/strace': 'strace',
    '/usr/bin/man': 'man-db',
    '/usr/bin/groff': 'groff-base',
    '/usr/bin/systemd-nspawn': 'systemd-container',
    '/usr/sbin/debootstrap': 'debootstrap',
    '/usr/bin/gpg': 'gpg',
    '/usr/bin/gpgconf': 'gpgconf',
    '/usr/bin/gpg-agent': 'gpg-agent',
  });
  // They take their time to come, and the package is built meanwhile.
  const machines = { 11: borrowed(t, 11), 12: borrowed(t, 12), 13: borrowed(t, 13) };
  for (const machine of Object.values(machines)) machine.catch(() => {});
  const packages = buildPackages();
  t.after(() => packages.remove());
  const lintian = run('lintian', ['--fail-on', 'error', '--display-level', 'error', packages.small], 900_000);

  const bare = await borrowed(t, 12);
  await Promise.all([
    t.test('units', async (t) => {
      await unitOn(t, packages, await machines[12], { name: 'Debian 12, under systemd 252', thorough: true });
      const others = { 11: 'Debian 11, under systemd 247', 13: 'Debian 13, under systemd 257' } as const;
      for (const release of [11, 13] as const)
        await unitOn(t, packages, await machines[release], { name: others[release], thorough: false });
    }),
    readmeOn(t, packages, 'plain'),
    readmeOn(t, packages, 'FreePBX'),
    t.test("the checkout's tests", async (t) => checkoutTests(t, packages, await borrowed(t, 12))),
    instancesOn(t, packages),
    t.test('a boot without a link to Asterisk', async (t) => bootTests(t, packages, await borrowed(t, 12))),
    t.test('on a bare Debian 12 on which nothing runs', (t) => packageTests(t, packages, bare)),
    t.test('what the units’ restrictions allow', async (t) =>
      sandboxTests(t, packages, await borrowed(t, 12)),
    ),
    t.test('an apt repository', async (t) => aptTests(t, packages, await borrowed(t, 12))),
    t.test('what root runs', async (t) => rootTests(t, packages, await borrowed(t, 12))),
    t.test('lintian finds no errors', async () => {
      const { code, output } = await lintian;
      assert.equal(code, 0, output);
      assert.doesNotMatch(output, /^E: /m);
    }),
  ]);
});

async function unitOn(
  t: TestContext,
  packages: Packages,
  machine: Machine,
  { name, thorough }: { name: string; thorough: boolean },
): Promise<void> {
  const container = await boot(machine);
  const skip = typeof container === 'string' ? container : false;
  await t.test(`the unit on ${name}`, { skip }, async (t) => {
    if (typeof container === 'string') return;
    t.after(() => container.stop());
    await unitTests(t, packages, machine, container, { thorough });
  });
}

/** What README says, on a Debian 12 that has an Asterisk, with a network of its own: everything on its usual port. */
async function readmeOn(t: TestContext, packages: Packages, layout: Layout): Promise<void> {
  await t.test(`README, ${layout === 'plain' ? 'on plain Asterisk' : 'on FreePBX'}`, async (t) => {
    const machine = await borrowed(t, 12);
    const { mounts } = await addPhoneSystem(machine, await install('22'), { layout, phonePort });
    const container = await boot(machine, ['--private-network', ...mounts]);
    if (typeof container === 'string') return t.skip(container);
    t.after(() => container.stop());
    await readmeTests(t, { packages, machine, container, layout });
  });
}

async function instancesOn(t: TestContext, packages: Packages): Promise<void> {
  await t.test('several firms on one PBX', async (t) => {
    const machine = await borrowed(t, 12);
    const container = await boot(machine);
    if (typeof container === 'string') return t.skip(container);
    t.after(() => container.stop());
    await instanceTests(t, packages, machine, container);
  });
}

async function borrowed(t: TestContext, release: Release): Promise<Machine> {
  const machine = await createMachine(release);
  t.after(() => machine.remove());
  return machine;
}
