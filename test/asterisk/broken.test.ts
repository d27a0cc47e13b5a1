import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labImpossible, versions } from './install.ts';
import { runBroken } from './run-broken.ts';

const skip = labImpossible() ?? false;

for (const version of versions) {
  test(`what breaks around a real Asterisk ${version}`, { skip }, async (t) => {
    for (const { row, faults } of await runBroken(version)) {
      await t.test(row, () => assert.deepEqual(faults, []));
    }
  });
}
