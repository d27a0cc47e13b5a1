import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { cli as programUnderTest } from '../program-under-test.ts';

/** A line of the bridge's log: its code, and its fields. */
export type LogLine = { readonly code: string } & Readonly<Record<string, unknown>>;

/** The bridge as a process of its own, as a service manager runs it. */
export type BridgeProcess = {
  readonly pid: number;
  /** Resolves at the first line with one of these codes since the start. Fails if the bridge ends before that. */
  says(...codes: string[]): Promise<LogLine>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What it said that was no line of the log: the last words of a crash. */
  lastWords(): string;
  /** Whether anybody reads its log, as is so at first. */
  listen(on: boolean): void;
  kill(signal?: NodeJS.Signals): void;
  /** How long it has had a processor so far, all threads together, ms: on a busy machine a clock also counts other processes. */
  cpuMs(): number;
};

export type BridgeProcessOptions = {
  /** The whole environment, but for PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A command that runs it, such as `['fiu-run', '-x', …]`. */
  readonly wrap?: readonly string[];
  /** The script to run; that of the program under test when absent. */
  readonly cli?: string;
  /** Hears every line. */
  readonly hear?: (line: LogLine) => void;
};

export function startBridgeProcess(options: BridgeProcessOptions): BridgeProcess {
  const { env, cwd, wrap = [], cli = programUnderTest, hear } = options;
  const command = [...wrap, process.execPath, cli, 'run'];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const first = new Map<string, LogLine>();
  const listeners = new Set<() => void>();
  let rest = '';
  const keep = (text: string) => {
    rest = `${rest}${text}\n`.slice(-4_000);
  };
  const log = createInterface(child.stdout).on('line', (text) => {
    const line = lineOf(text);
    if (line === undefined) return keep(text);
    if (!first.has(line.code)) first.set(line.code, line);
    hear?.(line);
    for (const listener of listeners) listener();
  });
  createInterface(child.stderr).on('line', keep);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    pid: child.pid ?? 0,
    ended,
    lastWords: () => rest.trim(),
    listen: (on) => void (on ? log.resume() : log.pause()),
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    says: (...codes) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = codes.map((code) => first.get(code)).find((found) => found !== undefined);
          if (line === undefined) return;
          listeners.delete(look);
          resolve(line);
        };
        listeners.add(look);
        void ended.then(({ code, signal }) => {
          listeners.delete(look);
          reject(new Error(`ended (${signal ?? code}) without saying ${codes.join(' or ')}: ${rest.trim()}`));
        });
        look();
      }),
  };
}

/** Ticks of a hundredth of a second (proc_pid_stat(5): utime and stime, behind the name in brackets). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function lineOf(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
