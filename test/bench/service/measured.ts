import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process that is measured: the floor, or our service on a state folder. */
export type MeasuredProcess = {
  readonly port: number;
  readonly token: string;
  /** Bytes. */
  rss(): Promise<number>;
  /** CPU time used so far, ms. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
};

const script = fileURLToPath(new URL('./process.ts', import.meta.url));

export async function start(
  kind: 'floor' | 'service',
  stateDir = '',
  ...database: string[]
): Promise<MeasuredProcess> {
  return measured(fork(script, [kind, stateDir, ...database]));
}

/** True if this machine can make every fsync of a process slower. */
export function canSlowFsync(): boolean {
  return spawnSync('strace', ['--seccomp-bpf', '-f', '-e', 'trace=fsync', 'true']).status === 0;
}

/** The service, with every fsync `ms` slower (strace, as root or one's own process). */
export async function startOnSlowDisk(stateDir: string, ms: number): Promise<MeasuredProcess> {
  const calls = 'fsync,fdatasync';
  const slow = ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`];
  const inject = ['-e', `inject=${calls}:delay_enter=${ms * 1000}`];
  const child = spawn('strace', [...slow, ...inject, process.execPath, script, 'service', stateDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return measured(child);
}

async function measured(child: ChildProcess): Promise<MeasuredProcess> {
  const [{ port, token, pid }] = (await once(child, 'message')) as [
    { port: number; token: string; pid: number },
  ];
  const ask = async () => {
    child.send('usage');
    const [answer] = await once(child, 'message');
    return answer as { rss: number; cpu: NodeJS.CpuUsage };
  };
  return {
    port,
    token,
    rss: async () => (await ask()).rss,
    cpu: async () => {
      const { user, system } = (await ask()).cpu;
      return (user + system) / 1000;
    },
    async stop() {
      const gone = once(child, 'exit');
      process.kill(pid, 'SIGTERM');
      await gone;
    },
  };
}
