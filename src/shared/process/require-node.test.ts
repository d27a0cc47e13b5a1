import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What this script prints, run by a Node that calls itself by another version. */
function run(script: string, version: string) {
  const disguise = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  return spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${disguise}`,
      fileURLToPath(new URL(`../../../${script}`, import.meta.url)),
      '--help',
    ],
    { encoding: 'utf8' },
  );
}

for (const script of ['src/cli.ts', 'test/tools/runner/run.ts'])
  test(`${script}: an older Node is one line that says what to do`, () => {
    const { status, stderr, stdout } = run(script, '24.18.0');
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^pbx-bridge needs Node 26 or later, and this is 24\.18\.0\. npm ci installs it .*\n$/,
    );
    assert.equal(status, 1);
  });

test('the Node that is needed runs the command line', () => {
  assert.match(run('src/cli.ts', '26.0.0').stdout, /^Usage: pbx-bridge/);
});
