import assert from 'node:assert/strict';
import { test } from 'node:test';
import { install, labImpossible, versions } from './install.ts';
import { runBroken } from './run-broken.ts';

const impossible = labImpossible();
if (impossible) process.stdout.write(`test/asterisk: no real Asterisk on this machine: ${impossible}\n`);

for (const version of versions) {
  test(`what breaks around a real Asterisk ${version}`, { skip: impossible ?? false }, async (t) => {
    await install(version);
    for (const { row, faults } of await runBroken(version)) {
      await t.test(row, () => assert.deepEqual(faults, []));
    }
  });
}
