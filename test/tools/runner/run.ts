import '../../../src/shared/process/require-node.ts';
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserImpossible, installBrowser } from '../browser/browser.ts';
import { install, labImpossible, versions } from '../lab/install.ts';
import { packagingImpossible } from '../packaging/machine.ts';
import { compileCache } from './compile-cache.ts';
import { compileProgram } from './compiled.ts';
import { type FileResult, runAgain, runShards, runWhileFree } from './run-files.ts';
import { isSlow, mayBeRunAgain, mostExpensive, testsUnder } from './tiers.ts';

const usage = `npm test [-- PART ...]           tests that need no packages and no root: about a minute
npm run test:all [-- PART ...]   the rest too, as root on Debian or Ubuntu, where it installs what it needs: about 25 min
node test/tools/runner/run.ts [PART ...]      as test:all; --fast and --slow run one tier

PART is a part of a test file's path (src/bridge/calls, browser-now, gap-filler): only files that have one of them are run.
Where it is whole words of some paths (cli: src/cli/...), it is not looked for inside of words (src/service/client/...).
A single test of a file: node --test --test-name-pattern 'some name' FILE
test/tools/runner/tiers.ts lists which files are in the slow tier. The last line is the count: N passed, N failed, N skipped.
`;
const { values, positionals: parts } = readArguments();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const all = globSync(['{src,systemd,test}/**/*.test.ts']);
const isInTier = (path: string) => (isSlow(path) ? !values.fast : !values.slow);
const byPart = new Map(parts.map((part) => [part, pathsWith(part)]));
for (const [part, paths] of byPart) {
  if (paths.some(isInTier)) continue;
  process.stderr.write(
    paths.length === 0
      ? `no test file's path has ${part}\n`
      : `no tests to run: all that ${part} names are in the other tier (npm run test:all -- ${part}): ${paths.join(', ')}\n`,
  );
  process.exit(1);
}
const matching = parts.length === 0 ? all : [...new Set([...byPart.values()].flat())];
const files = matching.filter(isInTier);
/** Files that were asked for by name. */
const inOtherTier = parts.length === 0 ? [] : matching.filter((path) => !isInTier(path));
if (inOtherTier.length > 0)
  print(`left out, in the other tier (npm run test:all -- ${parts.join(' ')}): ${inOtherTier.join(', ')}`);

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
const scratch = values.fast ? createScratch() : undefined;
if (scratch !== undefined) process.env.TMPDIR = scratch;
/** No file is run again that might end after so long a run, s: CI would end in the middle of it, and say nothing. */
const longestRun = 4_900;
/** More files than this that failed by chance are a defect to be hunted before anything lands. */
const mostFlaky = 2;
const processors = availableParallelism();
print(
  `${files.length} test file${files.length === 1 ? '' : 's'}${values.fast && parts.length === 0 ? ': about a minute on two processors that have nothing else to do' : ''}`,
);
// Twice as many as there are processors: some tests wait.
const fast = await runShards(
  files.filter((file) => !isSlow(file)),
  2 * processors,
  'failures',
);
const compiled = values.fast || process.env.PBX_BRIDGE_CLI !== undefined ? undefined : compileProgram();
// test/packaging runs these, on the installed package.
const underUnits =
  parts.length === 0 && packagingImpossible() === undefined
    ? [...testsUnder('pbx-bridge'), ...testsUnder('pbx-bridge-service')]
    : [];
const slow = await runWhileFree(
  inOrder(files.filter((file) => isSlow(file) && !underUnits.includes(file))),
  3 * processors,
);
compiled?.remove();
const results = [...fast, ...slow];
const flaky = await runFailedAgain(slow);
const tooFlaky = flaky.length > mostFlaky;
if (tooFlaky) print(`${flaky.length} files were flaky, more than ${mostFlaky}: this run counts as failed`);

const failed = results.filter((result) => result.failures.length > 0 && !flaky.includes(result));
const counts = { passed: 0, failed: 0, skipped: 0 };
const leftOut = new Map<string, number>();
for (const result of results) {
  counts.passed += result.passed + (flaky.includes(result) ? result.failures.length : 0);
  counts.failed += failed.includes(result) ? result.failures.length : 0;
  counts.skipped += result.skipped.length;
  for (const reason of result.skipped) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
}
if (failed.length > 0) print(`failed: ${failed.map(({ file }) => file).join(', ')}`);
const dearest = results.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
print(`slowest: ${dearest.map(({ file, seconds }) => `${file} ${seconds.toFixed(1)} s`).join(', ')}`);
const reasons = [...leftOut].map(([reason, count]) => `${count}: ${reason}`);
if (inOtherTier.length > 0) reasons.push(`in the other tier: ${inOtherTier.join(', ')}`);
print(`left out: ${reasons.join('; ') || 'nothing'}`);
if (values.fast)
  print(
    'other tiers: npm run test:all (real Asterisks, browser, databases, nginx, packages, faults), npm run test:faults -- --full, npm run matrix -- --world freepbx-generated,freepbx-generated-16 (FREEPBX_SOURCE, FREEPBX_SOURCE_16)',
  );
const remains = scratch === undefined ? [] : readdirSync(scratch);
// Tests that failed keep their data.
const litter = counts.failed === 0 && remains.length > 0;
if (litter) print(`tests must remove what they make in the temporary folder: ${remains}`);
else if (remains.length > 0) print(`the data of tests that failed is in ${scratch}`);
if (scratch !== undefined && (counts.failed === 0 || remains.length === 0))
  rmSync(scratch, { recursive: true });
print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 && counts.passed > 0 && !litter && !tooFlaky ? 0 : 1;

/**
 * In the slow tier, what failed by chance beside others is run once more, alone: only a second failure counts.
 * Returns the files that passed then.
 */
async function runFailedAgain(slow: readonly FileResult[]): Promise<FileResult[]> {
  const passed: FileResult[] = [];
  const secondsOf = ({ failed, seconds }: FileResult) =>
    failed.size === 0 ? seconds : failed.values().reduce((a, b) => a + b, 0);
  const byLength = slow.toSorted((a, b) => secondsOf(a) - secondsOf(b));
  for (const first of byLength.filter(({ file, failures }) => failures.length > 0 && mayBeRunAgain(file))) {
    if (performance.now() / 1_000 + secondsOf(first) > longestRun) {
      print(`${first.file} failed: the run has taken too long for it to be run again`);
      continue;
    }
    print(`${first.file} failed: what failed is run again, alone`);
    const again = await runAgain(first);
    if (again.failures.length > 0 || again.passed === 0) continue;
    passed.push(first);
    print(
      `flaky: ${first.file} failed, and passed when it was run again alone. Its first failure:\n${first.failures.join('\n')}`,
    );
  }
  return passed;
}

/** The test files in whose paths this is whole words; if there are none, those that have it in any place. */
function pathsWith(part: string): string[] {
  const asWords = new RegExp(`(?<![a-z0-9])${RegExp.escape(part)}(?![a-z0-9])`, 'i');
  const whole = all.filter((path) => asWords.test(path));
  return whole.length > 0 ? whole : all.filter((path) => path.includes(part));
}

function createScratch(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'pbx-bridge-tests-'));
  } catch (error) {
    process.stderr.write(
      `tests need a temporary folder, and ${tmpdir()} takes no files (${(error as NodeJS.ErrnoException).code}): name another one in TMPDIR\n`,
    );
    process.exit(1);
  }
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
function inOrder(files: readonly string[]): string[] {
  const place = (file: string) => {
    const found = mostExpensive.findIndex((part) => file.startsWith(part));
    return found < 0 ? mostExpensive.length : found;
  };
  return files.toSorted((a, b) => place(a) - place(b) || a.localeCompare(b));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
