import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { mark, type TestRecord } from './reporter.ts';

/** A test may take so long on a machine that is busy with other things, ms. */
export const longestTestMs = 50 * 60_000;
/** A process whose thread never comes back is killed after so long, ms. */
const longestProcessMs = 55 * 60_000;

/** How one file's tests ended. */
export type FileResult = {
  readonly file: string;
  passed: number;
  /** What failed: the tests with their errors. */
  readonly failures: string[];
  /** Its tests that failed, or in which something did, with their times in seconds; empty if its process failed. */
  readonly failed: Map<string, number>;
  /** Why tests were left out, one reason for each. */
  readonly skipped: string[];
  seconds: number;
  /** What it and the programs that it waited for took of the processors, if it had a process of its own, s. */
  processorSeconds?: number;
};

/** Runs this file once more, alone: what failed, or all of it if its process did. */
export const runAgain = async ({ file, failed }: FileResult): Promise<FileResult> =>
  (await runShards([file], 1, 'all', [...failed.keys()]))[0] ?? emptyResult(file);

/**
 * Runs test files with `node --test`, in a number of processes: the files of a shard share one, which saves each of them its
 * start and the loading of what they share. Prints a line for each file, and what failed. `says`: whether what tests say
 * is printed, or only if their file fails. `only`: the tests to be run, by name; all, if there are none.
 */
export async function runShards(
  files: readonly string[],
  shards: number,
  says: 'all' | 'failures' = 'all',
  only: readonly string[] = [],
): Promise<FileResult[]> {
  const total = Math.min(shards, files.length);
  const ended = await Promise.all(
    Array.from({ length: total }, (_, index) => runShard(files, `${index + 1}/${total}`, says, only)),
  );
  const results = ended.flatMap((shard) => shard.results);
  const seen = new Set(results.map(({ file }) => file));
  const [file = ''] = files;
  if (files.length === 1 && !seen.has(file)) {
    const failed = { ...emptyResult(file), failures: ['the file: its process ended before its tests'] };
    print(line(failed));
    return [failed];
  }
  // One of them has killed the process of others: alone, each says for itself.
  if (ended.some(({ isWhole }) => !isWhole))
    for (const file of files.filter((file) => !seen.has(file)))
      results.push(...(await runShards([file], 1, says)));
  return results;
}

/**
 * Runs test files in their order, each in a process of its own: as many at once as the processors have time for, so that
 * files that wait run beside those that compute.
 */
export async function runWhileFree(files: readonly string[], most: number): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const running = new Set<Promise<void>>();
  const idle = idleMeter();
  meter();
  for (const file of files) {
    // The one that was started last shows what it needs only after some seconds.
    while (running.size >= most || (running.size > 1 && idle() < 0.4))
      await Promise.race([...(running.size >= most ? [] : [wait(3_000)]), ...running]);
    const one = runShards([file], 1).then((result) => {
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

async function runShard(
  files: readonly string[],
  shard: string,
  says: 'all' | 'failures',
  only: readonly string[],
): Promise<{ readonly results: FileResult[]; readonly isWhole: boolean }> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--test',
      '--test-isolation=none',
      `--test-shard=${shard}`,
      `--test-timeout=${longestTestMs}`,
      ...only.map((name) => `--test-name-pattern=^${RegExp.escape(name)}$`),
      `--test-reporter=${import.meta.resolve('./reporter.ts')}`,
      ...files,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: longestProcessMs, killSignal: 'SIGKILL' },
  );
  if (keepsTime(files)) preferProcess(child);
  let processorSeconds = 0;
  child.once('exit', () => (processorSeconds = meter()));
  const ended = once(child, 'close');
  /** In the order of their ends: the last one is not over yet. */
  const results: FileResult[] = [];
  /** What the tests of the last file have said. */
  let said = '';
  const hear = (text: string) => {
    if (says === 'all') process.stdout.write(text);
    else said += text;
  };
  const endFile = () => {
    const last = results.at(-1);
    if (last !== undefined) print(line(last));
    if (last === undefined || last.failures.length > 0) process.stdout.write(said);
    said = '';
  };
  child.stderr?.setEncoding('utf8').on('data', hear);
  for await (const text of linesOf(child)) {
    if (!text.startsWith(mark)) {
      if (text !== '') hear(`${text}\n`);
      continue;
    }
    const record = JSON.parse(text.slice(mark.length)) as TestRecord;
    // A test is where its function was called: in a suite, maybe, that several files share.
    const file = files.length === 1 ? (files[0] as string) : record.file;
    if (results.at(-1)?.file !== file) {
      if (results.length > 0) endFile();
      results.push(emptyResult(file));
    }
    note(results.at(-1) as FileResult, record);
  }
  const [code, signal] = await ended;
  const last = results.at(-1);
  const hasFailed = results.some(({ failures }) => failures.length > 0);
  if (files.length === 1 && last !== undefined) last.processorSeconds = processorSeconds;
  const isWhole = signal === null && (code === 0 || hasFailed);
  if (!isWhole && last !== undefined) {
    last.failures.push(`the file: its process ended with ${signal ?? code}`);
    last.failed.clear();
  }
  endFile();
  return { results, isWhole };
}

/** Calls go on, and requests time out, while a browser beside them draws all its windows. */
const keepsTime = (files: readonly string[]): boolean =>
  files.every((file) => /^test\/(asterisk|faults)\//.test(file));

/** A process with it gets three times as much as another: with the highest, the others would get nothing. */
const preferred = -5;

/** Lets it, and all that it starts, come before the others where that is allowed. */
function preferProcess({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, preferred);
  } catch (error) {
    if (!/EACCES|EPERM|ESRCH/.test((error as Error).message)) throw error;
  }
}

/** What children that have ended took of the processors since the last call, s: see proc_pid_stat(5), cutime. 0 where that is unknown. */
const meter = createMeter();

function createMeter(): () => number {
  const read = () => {
    if (process.platform !== 'linux') return 0;
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / 100;
  };
  let before = read();
  return () => {
    const now = read();
    const taken = now - before;
    before = now;
    return taken;
  };
}

const linesOf = ({ stdout }: ChildProcess) => createInterface({ input: stdout as NodeJS.ReadableStream });

function note(result: FileResult, { outcome, outermost, isOutermost, ms, why = '' }: TestRecord): void {
  if (outcome === 'passed') result.passed += 1;
  if (outcome === 'skipped') result.skipped.push(why);
  if (outcome === 'failed') {
    result.failures.push(why);
    result.failed.set(outermost, 0);
  }
  if (!isOutermost) return;
  result.seconds += ms / 1_000;
  if (result.failed.has(outermost)) result.failed.set(outermost, ms / 1_000);
}

const emptyResult = (file: string): FileResult => ({
  file,
  passed: 0,
  failures: [],
  failed: new Map(),
  skipped: [],
  seconds: 0,
});

function line({ file, passed, failures, skipped, seconds, processorSeconds }: FileResult): string {
  const left = skipped.length === 0 ? '' : `, ${skipped.length} left out`;
  const cost = processorSeconds ? ` (${processorSeconds.toFixed(0)} of a processor)` : '';
  const counts = `${passed} passed${left}, ${seconds.toFixed(1)} s${cost}`;
  return failures.length === 0
    ? `ok      ${file}: ${counts}`
    : `FAILED  ${file}: ${failures.length} failed, ${counts}\n${failures.join('\n')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
