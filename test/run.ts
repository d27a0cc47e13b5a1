import '../src/process/require-node.ts';
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, labImpossible, versions } from './asterisk/install.ts';
import { compileCache } from './compile-cache.ts';
import { browserImpossible, installBrowser } from './integration/browser.ts';
import { type FilesResult, runFiles } from './run-files.ts';
import { isSlow, mayBeRunAgain, mostExpensive } from './tiers.ts';

const usage = `npm test [-- PART ...]           tests that need no packages and no root: some 90 s
npm run test:all [-- PART ...]   the rest too, as root on Debian or Ubuntu, where it installs what it needs: 15 min
node test/run.ts [PART ...]      as test:all; --fast and --slow run one tier

PART is a part of a test file's path (src/calls, browser-bar, gap-filler): only files that have one of them are run.
A single test of a file: node --test --test-name-pattern 'some name' FILE
test/tiers.ts lists which files are in the slow tier. The last line is the count: N passed, N failed, N skipped.
`;
const { values, positionals: parts } = readArguments();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']);
const unmatched = parts.filter((part) => !all.some((path) => path.includes(part)));
if (unmatched.length > 0) {
  process.stderr.write(`no test file's path has ${unmatched.join(', ')}\n`);
  process.exit(1);
}
const matching = all.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
const files = matching.filter((path) => (isSlow(path) ? !values.fast : !values.slow));
/** Files that were asked for by name. */
const inOtherTier = parts.length === 0 ? [] : matching.filter((path) => !files.includes(path));
if (files.length === 0) {
  process.stderr.write(
    `no tests to run: all are in the other tier (npm run test:all -- ${parts.join(' ')}): ${matching}\n`,
  );
  process.exit(1);
}

// Before any test runs: unpacking a Debian beside a live call keeps everybody waiting.
if (files.some((path) => path.startsWith('test/asterisk/')) && labImpossible() === undefined)
  for (const version of versions) {
    const { release } = await install(version);
    print(`a real Asterisk ${release} is ready`);
  }

if (files.some((path) => path.includes('browser')) && browserImpossible() === undefined)
  await installBrowser();

compileCache();
/** What tests of the fast tier make in the temporary folder; the slow tier keeps there what it has installed. */
const scratch = values.fast ? mkdtempSync(join(tmpdir(), 'pbx-bridge-tests-')) : undefined;
if (scratch !== undefined) process.env.TMPDIR = scratch;
/** More files than this that failed by chance are a defect to be hunted before anything lands. */
const mostFlaky = 2;
// Most files wait more than they compute: one more than there are processors keeps those busy.
const concurrency = availableParallelism() + 1;
const first = await runFiles(files.sort(byWeight), concurrency);
const { counts, skipped, slowest } = first;
const flaky = await runFailedAgain(first);
for (const file of flaky)
  print(
    `flaky: ${file} failed, and passed when it was run again alone. Its first failure:\n${first.failures.get(file)?.join('\n')}`,
  );
const tooFlaky = flaky.length > mostFlaky;
if (tooFlaky) print(`${flaky.length} files were flaky, more than ${mostFlaky}: this run counts as failed`);

const forgiven = flaky.reduce((sum, file) => sum + (first.failed.get(file) ?? 0), 0);
const passed = counts.passed + forgiven;
const failed = counts.failed - forgiven;
const dearest = slowest.sort((a, b) => b.seconds - a.seconds).slice(0, 5);
print(`slowest: ${dearest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`);
const leftOut = [...skipped].map(([reason, count]) => `${count}: ${reason}`);
if (inOtherTier.length > 0) leftOut.push(`in the other tier: ${inOtherTier.join(', ')}`);
print(`left out: ${leftOut.join('; ') || 'nothing'}`);
if (values.fast)
  print(
    'other tiers: npm run test:all (real Asterisks, browser, databases, nginx, packages, faults), npm run test:faults -- --full, npm run fuzz, npm run mutants -- PATH, npm run matrix -- --world freepbx-generated (FREEPBX_SOURCE)',
  );
const remains = scratch === undefined ? [] : readdirSync(scratch);
// Tests that failed keep their data.
const litter = failed === 0 && remains.length > 0;
if (litter) print(`tests must remove what they make in the temporary folder: ${remains}`);
else if (remains.length > 0) print(`the data of tests that failed is in ${scratch}`);
if (failed === 0 && scratch !== undefined) rmSync(scratch, { recursive: true });
print(`${passed} passed, ${failed} failed, ${counts.skipped} skipped`);
process.exitCode = failed === 0 && passed > 0 && !litter && !tooFlaky ? 0 : 1;

/**
 * In the slow tier, a file that failed by chance beside others is run once more, alone: only a second failure counts.
 * Returns the files that passed then.
 */
async function runFailedAgain({ failures }: FilesResult): Promise<string[]> {
  const passed: string[] = [];
  for (const file of values.fast ? [] : [...failures.keys()].filter((file) => mayBeRunAgain(file))) {
    print(`${file} failed: it is run again, alone`);
    const { counts } = await runFiles([file], 1);
    if (counts.failed === 0 && counts.passed > 0) passed.push(file);
  }
  return passed;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        fast: { type: 'boolean', default: false },
        slow: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

/** The long ones first, so that the short ones fill the gaps at the end. */
function byWeight(a: string, b: string): number {
  return weight(a) - weight(b) || a.localeCompare(b);
}

function weight(path: string): number {
  const place = mostExpensive.findIndex((part) => path.startsWith(part));
  return place < 0 ? mostExpensive.length : place;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
