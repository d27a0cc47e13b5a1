import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { matrix } from './rows/all.ts';
import { rowsOf } from './worlds.ts';

const [one, two] = matrix.map(({ name }) => name) as [string, string];

test('rows are chosen by globs with commas between them', () => {
  const chosen = (globs: string) => rowsOf('22', globs).map(({ row }) => row.name);
  assert.deepEqual(chosen(`${two},${one}`), [one, two]);
  assert.deepEqual(chosen('extension-*,no-such-row'), chosen('extension-*'));
});

for (const [script, known] of [
  ['matrix.ts', one],
  ['broken.ts', 'ami-cut-*'],
])
  test(`${script}: a row that does not exist is refused in one line, with exit code 2`, () => {
    const file = `${import.meta.dirname}/${script}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, '--rows', `${known},no-such-row`]);
    assert.match(`${stdout}${stderr}`, /^no .*row.* matches no-such-row\n$/);
    assert.equal(status, 2);
  });
