import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { boot } from './container.ts';
import { createMachine, installTools, type Machine, packagingImpossible, run } from './machine.ts';
import { packageTests } from './package-tests.ts';
import { buildPackages } from './packages.ts';
import { unitTests } from './unit-tests.ts';

const impossible = packagingImpossible();
if (impossible)
  process.stdout.write(`test/packaging: no packages are tried on this machine: ${impossible}\n`);

test('the Debian package on a bare Debian 12', { skip: impossible ?? false }, async (t) => {
  await installTools({
    '/usr/bin/x86_64-linux-gnu-strip': 'binutils',
    '/usr/bin/lintian': 'lintian',
    '/usr/bin/systemd-nspawn': 'systemd-container',
    '/usr/sbin/debootstrap': 'debootstrap',
  });
  const packages = buildPackages();
  t.after(() => packages.remove());
  // It reads for half a minute; the rest need not wait for it.
  const lintian = run('lintian', ['--fail-on', 'error', '--display-level', 'error', packages.now], 200_000);
  await packageTests(t, packages, await borrowed(t));
  await t.test('lintian finds no errors', async () => {
    const { code, output } = await lintian;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /^E: /m);
  });

  const machine = await borrowed(t);
  const container = await boot(machine);
  if (typeof container === 'string') {
    await t.test('the unit under a real systemd', { skip: container }, () => {});
    return;
  }
  t.after(() => container.stop());
  await unitTests(t, packages, machine, container);
});

async function borrowed(t: TestContext): Promise<Machine> {
  const machine = await createMachine();
  t.after(() => machine.remove());
  return machine;
}
