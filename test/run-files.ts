import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

/** A test may take so long on a machine that is busy with other things, ms. */
export const longestTestMs = 30 * 60_000;

/** How one file's tests ended. */
export type FileResult = {
  readonly file: string;
  passed: number;
  /** What failed: the tests with their errors. */
  readonly failures: string[];
  /** Why tests were left out, one reason for each. */
  readonly skipped: string[];
  seconds: number;
};

/**
 * Runs test files in so many processes: each takes the next file when it has ended one. Prints a line for each file when
 * it has ended, and what failed. `says`: whether what tests say is printed, or only if their file fails.
 */
export async function runTogether(
  files: readonly string[],
  processes: number,
  says: 'all' | 'failures' = 'all',
): Promise<FileResult[]> {
  const results = new Map(
    files.map((file) => [file, { file, passed: 0, failures: [], skipped: [], seconds: 0 } as FileResult]),
  );
  const unfinished = new Set(files);
  const taken = mkdtempSync(join(tmpdir(), 'taken-'));
  await Promise.all(
    Array.from({ length: Math.min(processes, files.length) }, () =>
      runOne(taken, results, { unfinished, says }),
    ),
  );
  rmSync(taken, { recursive: true });
  // Processes were killed, or did not come as far as these.
  for (const file of unfinished) {
    const result = results.get(file) as FileResult;
    result.failures.push('the file: its process ended before its tests');
    print(line(result));
  }
  return [...results.values()];
}

/**
 * Runs test files in their order, each in a process of its own: as many at once as the processors have time for, so that
 * files that wait run beside those that compute.
 */
export async function runWhileFree(files: readonly string[], most: number): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const running = new Set<Promise<void>>();
  const idle = idleMeter();
  for (const file of files) {
    // The one that was started last shows what it needs only after some seconds.
    while (running.size >= most || (running.size > 1 && idle() < 0.4))
      await Promise.race([...(running.size >= most ? [] : [wait(3_000)]), ...running]);
    const one = runTogether([file], 1).then((result) => {
      results.push(...result);
      running.delete(one);
    });
    running.add(one);
    await wait(1_000);
  }
  await Promise.all(running);
  return results;
}

/** How many processors had nothing to do since the last call, as a number from 0 to all of them. */
function idleMeter(): () => number {
  const read = () =>
    cpus().map(({ times }) => ({
      idle: times.idle,
      all: times.idle + times.user + times.nice + times.sys + times.irq,
    }));
  let before = read();
  return () => {
    const now = read();
    const share = now.map((cpu, n) => {
      const past = before[n] ?? cpu;
      return cpu.all === past.all ? 0 : (cpu.idle - past.idle) / (cpu.all - past.all);
    });
    before = now;
    return share.reduce((sum, one) => sum + one, 0);
  };
}

const together = fileURLToPath(new URL('./together.ts', import.meta.url));

/** One process. */
async function runOne(
  taken: string,
  results: ReadonlyMap<string, FileResult>,
  { unfinished, says }: { readonly unfinished: Set<string>; readonly says: 'all' | 'failures' },
): Promise<void> {
  const stream = run({
    files: [together],
    timeout: longestTestMs,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, TEST_FILES: JSON.stringify([...results.keys()]), TEST_FILES_TAKEN: taken },
  });
  /** The suites around the test that is reported, and the file that is outermost. */
  const names: string[] = [];
  let current = results.values().next().value as FileResult;
  /** What the tests of this file have said. */
  let said = '';
  const hear = (text: string) => {
    if (says === 'all') process.stdout.write(text);
    else said += text;
  };
  const endOf = (file: string, ms: number) => {
    const result = results.get(file);
    if (result === undefined || !unfinished.delete(file)) return;
    if (result.passed + result.failures.length + result.skipped.length === 0)
      result.failures.push('the file: it has no tests');
    result.seconds = ms / 1_000;
    print(line(result));
    if (result.failures.length > 0) process.stdout.write(said);
    said = '';
  };
  stream.on('test:start', ({ name, nesting }) => {
    names.splice(nesting, names.length, name);
    if (nesting === 0) current = results.get(name) ?? current;
  });
  stream.on('test:pass', ({ name, nesting, skip, todo, details }) => {
    if (nesting === 0) return endOf(name, details.duration_ms);
    if (details.type === 'suite') return;
    const reason = skip ?? todo;
    if (reason === undefined) current.passed += 1;
    else
      current.skipped.push(
        typeof reason === 'string' && reason !== '' ? reason : 'no reason was given, which is a mistake',
      );
  });
  stream.on('test:fail', ({ name, nesting, details }) => {
    const { failureType, cause } = details.error as { failureType?: string; cause?: unknown };
    if (failureType !== 'subtestsFailed') {
      const title = nesting === 0 ? 'the file' : [...names.slice(1, nesting), name].join(' > ');
      current.failures.push(`${title}: ${inspect(cause ?? details.error)}`);
    }
    if (nesting > 0) return;
    // A process that fails after its last test.
    if (!unfinished.has(current.file)) print(line(current));
    endOf(name, details.duration_ms);
  });
  stream.on('test:diagnostic', ({ message, nesting }) => nesting > 0 && hear(`  ${message}\n`));
  stream.on('test:stdout', ({ message }) => hear(message));
  stream.on('test:stderr', ({ message }) => hear(message));
  stream.resume();
  await once(stream, 'end');
  // Of a process that ended too early.
  process.stdout.write(said);
}

function line({ file, passed, failures, skipped, seconds }: FileResult): string {
  const left = skipped.length === 0 ? '' : `, ${skipped.length} left out`;
  const counts = `${passed} passed${left}, ${seconds.toFixed(1)} s`;
  return failures.length === 0
    ? `ok      ${file}: ${counts}`
    : `FAILED  ${file}: ${failures.length} failed, ${counts}\n${failures.join('\n')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
