import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { atExit } from './at-exit.ts';

/** FreePBX's own FastAGI server: its stand-in, kept running as FreePBX's pm2 does. */
export type FreepbxFastAgi = {
  /** How many times it has ended by itself. */
  deaths(): number;
  /** `fwconsole stop`, and an update of the module. */
  stop(): Promise<void>;
  /** Resolves when it listens. Rejects if pm2 gives up. */
  start(): Promise<void>;
  /** It dies. Resolves when pm2 has started it again. */
  crash(): Promise<void>;
};

/** FreePBX's own port, and where dialplans look for a FastAGI server without a port. */
export const freepbxFastAgiPort = 4573;

const folder = path.join(import.meta.dirname, 'freepbx-fastagi');

/** The scripts that it has, and what they need in their environment. */
export type FastAgiScripts = { readonly folder: string; readonly env?: Readonly<Record<string, string>> };

/** A stand-in for FreePBX's dialparties.agi. */
export const standInScripts: FastAgiScripts = { folder: path.join(folder, 'agi-bin') };

/** pm2's `max_restarts`: of a program that ends before it is ready. */
const maxRestarts = 16;

/** @param runner before its command: where it runs. */
export async function startFreepbxFastAgi(
  port: number,
  scripts = standInScripts,
  runner: readonly string[] = [],
): Promise<FreepbxFastAgi> {
  let child: ChildProcess | undefined;
  let isWanted = false;
  let deaths = 0;
  let failures = 0;
  let forget = () => {};
  let started = Promise.withResolvers<void>();

  function launch(): void {
    const args = [process.execPath, path.join(folder, 'fastagi-server.js'), String(port), scripts.folder];
    const launched = spawn('env', ['--', ...runner, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...scripts.env },
    });
    child = launched;
    launched.stdout.once('data', () => {
      failures = 0;
      started.resolve();
    });
    launched.once('exit', () => {
      if (!isWanted || child !== launched) return;
      deaths += 1;
      failures += 1;
      if (failures < maxRestarts) launch();
      else started.reject(new Error(`FreePBX's FastAGI server does not start on port ${port}`));
    });
  }

  const server: FreepbxFastAgi = {
    deaths: () => deaths,
    async stop() {
      isWanted = false;
      forget();
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    start() {
      isWanted = true;
      failures = 0;
      forget = atExit(() => void child?.kill('SIGKILL'));
      started = Promise.withResolvers<void>();
      launch();
      return started.promise;
    },
    crash() {
      started = Promise.withResolvers<void>();
      child?.kill('SIGKILL');
      return started.promise;
    },
  };
  await server.start();
  return server;
}
