import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../program/program.ts';

/** Runs the tests of a project that has these files. */
function runTests(
  cwd: string,
  files: Readonly<Record<string, string>>,
  ...given: (string | Readonly<Record<string, string>>)[]
) {
  const args = given.filter((one) => typeof one === 'string');
  const settings = Object.assign({ TMPDIR: cwd }, ...given.filter((one) => typeof one !== 'string'));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), `import { test } from 'node:test';\n${source}\n`);
  }
  // A run that fails keeps its data.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = fileURLToPath(new URL('./run.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, ...args], {
    cwd,
    env: { ...env, ...settings },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const passes = "test('passes', () => {});";

test('what cannot be a pass is none: a failure, a file without tests, that throws, or whose process dies', (t) => {
  const broken = {
    'src/fails.test.ts': "test('fails', () => { throw new Error('here'); });",
    'src/empty.test.ts': '',
    'src/throws.test.ts': "throw new Error('at once');",
    'src/dies.test.ts': "test('dies', () => { process.kill(process.pid, 'SIGKILL'); });",
  };
  const others = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((n) => [`src/${n}.test.ts`, passes]));
  const { status, stdout } = runTests(temporaryFolder(t), { ...broken, ...others }, '--fast');
  assert.equal(status, 1);
  for (const path of Object.keys(broken)) assert.match(stdout, new RegExp(`^FAILED +${path}`, 'm'));
  for (const path of Object.keys(others)) assert.match(stdout, new RegExp(`^ok +${path}: 1 passed`, 'm'));
  const good = runTests(temporaryFolder(t), { 'src/good.test.ts': passes }, '--fast');
  assert.deepEqual(
    [good.status, good.stdout.trim().split('\n').at(-1)],
    [0, '1 passed, 0 failed, 0 skipped'],
  );
});

test('a slow file that fails by chance is run once more, named, and forgiven twice; none whose chance is the finding', (t) => {
  const chance = `import { existsSync, writeFileSync } from 'node:fs';
    test('fails once', () => {
      const mark = import.meta.filename + '.was-here';
      if (existsSync(mark)) return;
      writeFileSync(mark, '');
      throw new Error('by chance');
    });
    test('passes', () => void process.stdout.write('it passes\\n'));`;
  const flaky = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`test/promtool-${n}.test.ts`, chance]));

  const two = runTests(temporaryFolder(t), flaky(2), '--slow');
  assert.deepEqual([two.status, two.stdout.trim().split('\n').at(-1)], [0, '4 passed, 0 failed, 0 skipped']);
  assert.equal(two.stdout.match(/it passes/g)?.length, 2, 'only what failed is run again');
  assert.match(
    two.stdout,
    /flaky: test\/promtool-1.test.ts .* Its first failure:\nfails once: Error: by chance/,
  );
  const three = runTests(temporaryFolder(t), flaky(3), '--slow');
  assert.equal(three.status, 1);
  assert.match(three.stdout, /3 files were flaky, more than 2: this run counts as failed/);
  for (const path of ['test/fuzz/a.test.ts', 'src/a.test.ts'])
    assert.equal(runTests(temporaryFolder(t), { [path]: chance }).status, 1, path);
});

test('a part that names only files of the other tier, or no file, is an error; what is left out is said first', (t) => {
  const files = {
    'src/cli/a.test.ts': passes,
    'src/client/b.test.ts': passes,
    'test/promtool.test.ts': passes,
  };
  const cwd = temporaryFolder(t);
  assert.equal(runTests(cwd, files, '--fast', 'promtool').status, 1);
  assert.equal(runTests(cwd, files, '--fast', 'cli', 'promtool').status, 1);
  assert.equal(runTests(cwd, files, '--fast', 'nothing').status, 1);
  const cli = runTests(cwd, files, '--fast', 'cli');
  assert.match(cli.stdout, /^1 test file\nok +src\/cli\/a\.test\.ts/);
  assert.doesNotMatch(cli.stdout, /client/);
  assert.match(runTests(cwd, files, '--fast', 'clie').stdout, /src\/client\/b\.test\.ts/, 'inside of a word');
  const both = runTests(cwd, { 'src/promtool-2.test.ts': passes }, '--fast', 'promtool');
  assert.equal(both.status, 0);
  assert.match(
    both.stdout,
    /^left out, in the other tier \(npm run test:all -- promtool\): test\/promtool\.test\.ts\n/,
  );
});

test('a program that a test forks is no test run', (t) => {
  const forks = `import { fork } from 'node:child_process';
    import { once } from 'node:events';
    import { writeFileSync } from 'node:fs';
    test('forks', async (t) => {
      const script = import.meta.filename.replace('.test.ts', '.child.mjs');
      writeFileSync(script, "process.send({ flags: process.execArgv });");
      const [{ flags }] = await once(fork(script), 'message');
      t.assert.deepEqual(flags, []);
    });`;
  const { status, stdout } = runTests(temporaryFolder(t), { 'src/forks.test.ts': forks }, '--fast');
  assert.deepEqual([status, stdout.trim().split('\n').at(-1)], [0, '1 passed, 0 failed, 0 skipped'], stdout);
});

test('what tests say is printed if they fail; nothing empty is left, and a folder that takes no files is named', (t) => {
  const says = (name: string, more = '') => `test('x', (t) => {
    process.stdout.write('${name} says\\n'); process.stderr.write('${name} warns\\n'); t.diagnostic('${name} notes'); ${more} });`;
  const cwd = temporaryFolder(t);
  const files = {
    'src/good.test.ts': says('good'),
    'src/bad.test.ts': says('bad', "throw new Error('here');"),
  };
  const { status, stdout } = runTests(cwd, files, '--fast');
  assert.equal(status, 1);
  assert.doesNotMatch(stdout, /good (says|warns|notes)/);
  for (const word of ['says', 'warns', 'notes']) assert.match(stdout, new RegExp(`bad ${word}`));
  assert.deepEqual(
    readdirSync(cwd).filter((name) => name.startsWith('pbx-bridge-tests-')),
    [],
  );
  const { status: refused, stderr } = runTests(cwd, {}, '--fast', { TMPDIR: '/proc/nowhere' });
  assert.equal(refused, 1);
  assert.equal(
    stderr,
    'tests need a temporary folder, and /proc/nowhere takes no files (ENOENT): name another one in TMPDIR\n',
  );
});
