import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bytes. */
export type Memory = {
  readonly rss: number;
  readonly anonymous: number;
  /** Of the files that it has open, its own program first: the kernel takes this back when it needs it. */
  readonly file: number;
  /** V8's heap of the main thread, and those of its other threads. */
  readonly heap: number;
  readonly threads: number;
  readonly external: number;
};

/** In MB. */
export function memoryText({ rss, ...parts }: Memory): string {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
  return `${mb(rss)} MB (${Object.entries(parts)
    .map(([name, bytes]) => `${name} ${mb(bytes)}`)
    .join(', ')})`;
}

/** A process that is measured: the floor, or our service on a state folder. */
export type MeasuredProcess = {
  readonly port: number;
  readonly token: string;
  memory(): Promise<Memory>;
  /** Bytes. */
  rss(): Promise<number>;
  /** CPU time used so far by all of its threads, ms. */
  cpu(): Promise<number>;
  /** The same of the thread that serves requests. */
  mainCpu(): Promise<number>;
  stop(): Promise<void>;
};

const script = fileURLToPath(new URL('./process.ts', import.meta.url));
/** As the service of the Debian package runs (systemd/pbx-bridge-service.service). */
const execArgv = ['--max-semi-space-size=4', '--heap-growing-percent=20'];
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'bench-compile-cache') };

export async function start(
  kind: 'floor' | 'service',
  stateDir = '',
  databaseUrl?: string,
): Promise<MeasuredProcess> {
  return measured(fork(script, [kind, stateDir, ...(databaseUrl ? [databaseUrl] : [])], { execArgv, env }));
}

async function measured(child: ChildProcess): Promise<MeasuredProcess> {
  const [{ port, token, pid }] = (await once(child, 'message')) as [
    { port: number; token: string; pid: number },
  ];
  const ask = async () => {
    child.send('usage');
    const [answer] = await once(child, 'message');
    return answer as { memory: Memory; cpu: NodeJS.CpuUsage; main: NodeJS.CpuUsage };
  };
  const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  return {
    port,
    token,
    memory: async () => (await ask()).memory,
    rss: async () => (await ask()).memory.rss,
    cpu: async () => ms((await ask()).cpu),
    mainCpu: async () => ms((await ask()).main),
    async stop() {
      const gone = once(child, 'exit');
      process.kill(pid, 'SIGTERM');
      await gone;
    },
  };
}
