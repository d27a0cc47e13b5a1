import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { install, labImpossible, versions } from './asterisk/install.ts';
import { compileCache } from './compile-cache.ts';
import { browserImpossible, installBrowser } from './integration/browser.ts';

/**
 * `npm test`: every test of the project, or those whose path contains one of the arguments. What cannot run here says
 * why in one line at the end. The last line is the count: `N passed, N failed, N skipped`.
 */
const wanted = process.argv.slice(2);
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).filter(
  (path) => wanted.length === 0 || wanted.some((part) => path.includes(part)),
);
const skipped = new Map<string, number>();

// Before any test runs: unpacking a Debian beside a live call keeps everybody waiting.
if (files.some((path) => path.startsWith('test/asterisk/')) && labImpossible() === undefined)
  for (const version of versions) {
    const { release } = await install(version);
    print(`a real Asterisk ${release} is ready`);
  }

if (files.some((path) => path.includes('browser')) && browserImpossible() === undefined)
  await installBrowser();

compileCache();
// Most files wait more than they compute: one more than there are processors keeps those busy.
const concurrency = availableParallelism() + 1;
const stream = run({ files: files.sort(byWeight), concurrency, timeout: 30 * 60_000 });
stream.on('test:pass', ({ skip, details }) => {
  if (skip === undefined || details.type === 'suite') return;
  const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason was given, which is a mistake';
  skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
});
/** Suites that failed by themselves: none of their tests may have run, and none of them is counted. */
let brokenSuites = 0;
stream.on('test:fail', ({ details }) => {
  const { failureType } = details.error as { failureType?: string };
  if (details.type === 'suite' && failureType !== 'subtestsFailed') brokenSuites += 1;
});
let last = { tests: 0, passed: 0, skipped: 0, todo: 0 };
stream.on('test:summary', ({ file, counts }) => {
  if (file === undefined) last = counts;
});
stream.compose(spec).pipe(process.stdout, { end: false });
stream.on('end', () => {
  const left = last.skipped + last.todo;
  const failed = last.tests - last.passed - left + brokenSuites;
  // After the reporter has said what failed, and how.
  setImmediate(() => {
    for (const [reason, count] of skipped) print(`left out ${count}: ${reason}`);
    print(`${last.passed} passed, ${failed} failed, ${left} skipped`);
    process.exitCode = failed === 0 && last.passed > 0 ? 0 : 1;
  });
});

/** The long ones first, so that the short ones fill the gaps at the end. */
function byWeight(a: string, b: string): number {
  return weight(a) - weight(b) || a.localeCompare(b);
}

function weight(path: string): number {
  const order = ['test/faults/', 'test/packaging/', 'test/asterisk/', 'test/'];
  const place = order.findIndex((folder) => path.startsWith(folder));
  return place < 0 ? order.length : place;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
