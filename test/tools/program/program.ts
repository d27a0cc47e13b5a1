import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, getTestContext } from 'node:test';
import { cli as programUnderTest } from '../program-under-test.ts';
import { compileCache } from '../runner/compile-cache.ts';
import { longestWaitMs } from '../until.ts';

/** `pbx-bridge <command>` as a process of its own, as a service manager would run it. */
export type Program = {
  readonly process: ChildProcess;
  /** All that it has written so far. */
  output(): string;
  /** Resolves when its output matches. Fails if it ends before that, or if nothing matches for 3 minutes. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

export type ProgramOptions = {
  /** The whole environment, but for PATH and where programs that were compiled once are kept. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The script to run; that of the program under test when absent. */
  readonly cli?: string;
};

/** Programs that have not ended, with the test that started each. */
const running = new Map<Program, unknown>();

/** Kills what the test has started and that has not ended: it would hold the test's process open, and write on. */
async function endPrograms(test: unknown): Promise<void> {
  for (const [program, startedBy] of running) if (startedBy === test) await program.end('SIGKILL');
}

/** The program ends with the test that started it, however that ends. */
export function runProgram(
  args: readonly string[],
  { env, cwd, cli = programUnderTest }: ProgramOptions,
): Program {
  const ours = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache() };
  const child = spawn(process.execPath, [cli, ...args], { cwd, env: { ...ours, ...env } });
  let text = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const program: Program = {
    process: child,
    output: () => text,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text);
          if (match === null) return;
          clearTimeout(limit);
          listeners.delete(look);
          resolve(match);
        };
        const fail = (what: string) => {
          clearTimeout(limit);
          reject(new Error(`${what} without saying ${pattern}:\n${text.slice(-4_000)}`));
        };
        const limit = setTimeout(fail, longestWaitMs, `${longestWaitMs / 1_000} s`);
        listeners.add(look);
        void ended.then(() => fail('ended'));
        look();
      }),
    ended,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
  const test = getTestContext();
  running.set(program, test);
  void ended.then(() => running.delete(program));
  // Benches run programs too, where no test is.
  if (test !== undefined) after(() => endPrograms(test));
  return program;
}

/** An empty folder that is removed at the end of the test. */
export function temporaryFolder(t: { after(callback: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-'));
  const test = getTestContext();
  t.after(async () => {
    // Hooks run in the order of their making, and a program that goes on would write there again.
    await endPrograms(test);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return folder;
}
