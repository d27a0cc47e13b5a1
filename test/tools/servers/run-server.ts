import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { atExit } from '../lab/at-exit.ts';
import { until } from '../until.ts';

type Server = {
  readonly command: string;
  readonly args: readonly string[];
  readonly options?: Omit<SpawnOptions, 'stdio'>;
  /** Where it listens once it runs. */
  readonly port: number;
  /** What it has written goes with it. */
  readonly folder: string;
  /** What ends it; default SIGTERM. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
};

/** Runs a server, and resolves when it listens. Returns what ends it. @throws with what it has said if it ends before */
export async function runServer({
  command,
  args,
  options,
  port,
  folder,
  signal = 'SIGTERM',
}: Server): Promise<() => Promise<void>> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const forget = atExit(() => child.kill(signal));
  const ended = once(child, 'exit');
  await Promise.race([answers(port), ended]);
  if (child.exitCode !== null) throw new Error(`${command} did not start:\n${said}`);
  return async () => {
    forget();
    child.kill(signal);
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Resolves when somebody listens there. */
const answers = (port: number) =>
  until(`port ${port} to be open`, async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });
