import assert from 'node:assert/strict';
import { test } from 'node:test';
import { install, labImpossible, versions } from './install.ts';
import { runMatrix } from './run-matrix.ts';

const impossible = labImpossible();
if (impossible) process.stdout.write(`test/asterisk: no real Asterisk on this machine: ${impossible}\n`);

for (const version of versions) {
  test(`the matrix on a real Asterisk ${version}`, { skip: impossible ?? false }, async (t) => {
    await install(version);
    const { verdicts, strays } = await runMatrix(version);
    for (const { row, faults } of verdicts) await t.test(row, () => assert.deepEqual(faults, []));
    await t.test('nothing else was told, and every call of the PBX is known', () =>
      assert.deepEqual(strays, []),
    );
    await t.test("Asterisk's own record and the far side agree on every call", () => {
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      assert.equal(sum(verdicts.map(({ agreed }) => agreed)), sum(verdicts.map(({ calls }) => calls)));
    });
  });
}
