import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { boot } from '../tools/packaging/container.ts';
import type { Machine } from '../tools/packaging/machine.ts';
import type { Packages } from '../tools/packaging/packages.ts';
import { testsUnder, type Unit } from '../tools/runner/tiers.ts';
import { succeeds } from './unit-tests.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const units: readonly Unit[] = ['pbx-bridge', 'pbx-bridge-service'];

/**
 * The checkout's own tests, on the installed program: the unit runs them in place of the program, so that they and all that
 * they start have the unit's user, its sandbox, its folders and its limits.
 */
export async function checkoutTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  copyFileSync(packages.now, machine.at('root/now.deb'));
  const container = await boot(machine, [`--bind-ro=${checkout.replaceAll(':', '\\:')}:/srv/checkout`]);
  if (typeof container === 'string') return t.skip(container);
  t.after(() => container.stop());
  await succeeds(container, 'dpkg', '-i', '/root/now.deb');
  await Promise.all(
    units.map((unit) =>
      t.test(`as ${unit}.service`, async (t) => {
        const files = testsUnder(unit);
        const log = `var/log/tests-of-${unit}`;
        const folder = machine.at(`etc/systemd/system/${unit}.service.d`);
        mkdirSync(folder);
        writeFileSync(`${folder}/tests.conf`, insteadOfTheProgram(files, `/${log}`));
        await succeeds(container, 'systemctl', 'daemon-reload');
        await succeeds(container, 'systemctl', 'start', '--no-block', `${unit}.service`);
        while ((await container.property(`${unit}.service`, 'ActiveState')) === 'activating')
          await wait(1_000);
        const said = readFileSync(machine.at(log), 'utf8');
        // Its report ends with the tests that failed.
        const failed = said.slice(Math.max(0, said.indexOf('✖ failing tests')));
        assert.equal(await container.property(`${unit}.service`, 'Result'), 'success', failed);
        const [, passed = '0'] = /^ℹ pass (\d+)$/m.exec(said) ?? [];
        assert.ok(Number(passed) >= files.length, said);
        t.diagnostic(`${passed} tests of ${files.join(', ')}`);
        for (const [leftOut] of said.matchAll(/^ *﹣.*$/gm)) t.diagnostic(`left out there: ${leftOut}`);
      }),
    ),
  );
}

/** A drop-in: all that the unit says of what its program may do stays. */
const insteadOfTheProgram = (files: readonly string[], log: string) => `[Service]
Type=oneshot
ExecCondition=
ExecStart=
ExecStart=/usr/lib/pbx-bridge/bin/node --disable-warning=ExperimentalWarning --test --test-reporter=spec --test-concurrency=2 ${files.join(' ')}
ExecReload=
NotifyAccess=none
Restart=no
RestartForceExitStatus=
WatchdogSec=0
TimeoutStartSec=infinity
UnsetEnvironment=ENV_FILE
Environment=PBX_BRIDGE_CLI=/usr/lib/pbx-bridge/lib/cli.js NODE_COMPILE_CACHE=/tmp/compile-cache
WorkingDirectory=/srv/checkout
StandardOutput=append:${log}
StandardError=inherit
`;
