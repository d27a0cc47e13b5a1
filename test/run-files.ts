import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect } from 'node:util';
import { longestTestMs, watchFiles } from './watch-files.ts';

export type FilesResult = {
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number };
  /** What failed, by file: the tests with their errors. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
  /** Tests that were left out, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly slowest: { readonly file: string; readonly seconds: number }[];
  /** How many tests failed in each file. */
  readonly failed: ReadonlyMap<string, number>;
};

/** Runs test files, so many at a time, and prints what they do. */
export async function runFiles(files: readonly string[], concurrency: number): Promise<FilesResult> {
  const failures = new Map<string, string[]>();
  const failed = new Map<string, number>();
  const skipped = new Map<string, number>();
  const slowest: { file: string; seconds: number }[] = [];
  let last = { tests: 0, passed: 0, skipped: 0, todo: 0 };
  const stream = run({ files: [...files], concurrency, timeout: longestTestMs });
  const watch = watchFiles();
  stream.on('test:pass', ({ skip, details }) => {
    if (skip === undefined || details.type === 'suite') return;
    const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason was given, which is a mistake';
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  });
  let brokenSuites = 0;
  stream.on('test:fail', ({ name, file, details }) => {
    const { failureType, cause } = details.error as { failureType?: string; cause?: unknown };
    const path = relative(file ?? name);
    if (failureType !== 'subtestsFailed')
      failures.set(path, [...(failures.get(path) ?? []), `${name}: ${inspect(cause ?? details.error)}`]);
    // None of a broken suite's tests may have run, and none of them is counted.
    else if (details.type === 'suite') return;
    if (details.type === 'suite') brokenSuites += 1;
    failed.set(path, (failed.get(path) ?? 0) + 1);
  });
  stream.on('test:summary', ({ file, counts, duration_ms }) => {
    if (file === undefined) last = counts;
    else slowest.push({ file: relative(file), seconds: Math.round(duration_ms / 1000) });
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((resolve) => stream.on('end', resolve));
  watch.stop();
  // After the reporter has said what failed, and how.
  await new Promise(setImmediate);
  const left = last.skipped + last.todo;
  return {
    counts: { passed: last.passed, failed: last.tests - last.passed - left + brokenSuites, skipped: left },
    ...{ failures, failed, skipped, slowest },
  };
}

function relative(file: string): string {
  return file.replace(`${process.cwd()}/`, '');
}
