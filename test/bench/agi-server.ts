import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { createAgi } from '../../src/agi/agi.ts';
import { createApiClient } from '../../src/api/client.ts';
import { createLog } from '../../src/log/log.ts';
import { normaliseNumber } from '../../src/phone-number/normalise-number.ts';

/**
 * A FastAGI server in a process of its own (forked), for test/bench/agi.ts: `raw`, `ours` or `ding-dong` (with the path
 * of its module). Reports its port to its parent, and its CPU time and memory when asked.
 */
export type ServerSettings = {
  readonly kind: 'raw' | 'ours' | 'ding-dong';
  /** The Call Integration API, for ours. */
  readonly baseUrl?: string;
  readonly deadlineMs?: number;
  readonly verbose?: boolean;
  /** Never answer: for raw, whose sessions then wait. */
  readonly mute?: boolean;
  /** Where ding-dong is. */
  readonly module?: string;
};

export type Usage = { readonly cpuMicros: number; readonly rssBytes: number };

const commands = ['SET VARIABLE CALLER_PRIORITY 10\n', 'SET VARIABLE CALLER_PRIORITY_STATUS FOUND\n'];

/** The least that does the same: waits for the empty line, and sends a command for each line that comes back. */
function startRaw(mute: boolean): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let text = '';
    let sent = 0;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (!text.endsWith(sent === 0 ? '\n\n' : '\n') || mute) return;
      text = '';
      const command = commands[sent++];
      if (command === undefined) socket.destroySoon();
      else socket.write(command, 'latin1');
    });
  });
  return listening(server);
}

function listening(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
}

/** With the log that the bridge has: at `info`, but to nowhere. */
async function startOurs(settings: ServerSettings): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const destination = {
    write(line: string) {
      const { code, port } = JSON.parse(line) as { code: string; port: number };
      if (code === 'agi.listening') resolve(port);
    },
    status: () => ({ dropped: 0 }),
  };
  const log = createLog({
    ...{ level: 'info', format: 'json', numbers: 'mask', colour: false },
    ...{ secrets: ['bench'], destination },
  });
  const client = createApiClient({ baseUrl: settings.baseUrl ?? '', token: 'bench', answerTimeoutMs: 2_000 });
  const agi = createAgi(
    {
      server: {
        host: '127.0.0.1',
        port: 0,
        allow: ['127.0.0.0/8', '::1'],
        deadlineMs: settings.deadlineMs ?? 500,
      },
      answer: {
        defaultPriority: '0',
        setQueuePrio: false,
        queuePrio: {},
        verbose: settings.verbose ?? false,
      },
      fields: { priority: 'priority', name: 'name' },
      prefetch: true,
      concurrency: 8,
      cache: { freshMs: 60_000, staleMs: 86_400_000, notFoundMs: 30_000, entries: 10_000 },
    },
    {
      request: (number) => client.priority({ parameter: 'number', number }),
      permit: ({ number }) => ({ number: normaliseNumber(number, 'DE') }),
      clock: {
        now: () => performance.now(),
        setTimer(callback, ms) {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        },
      },
      log,
    },
  );
  await agi.start();
  return promise;
}

type DingDong = new (
  handler: (context: {
    onEvent(name: string): Promise<unknown>;
    setVariable(name: string, value: string): Promise<unknown>;
    end(): Promise<unknown>;
    on(name: string, listener: () => void): void;
  }) => void,
) => { start(port: number, host: string): ReturnType<typeof createServer> };

async function startDingDong(module: string): Promise<number> {
  const { default: Server } = (await import(pathToFileURL(module).href)) as { default: DingDong };
  const server = new Server(async (context) => {
    context.on('error', () => {});
    await context.onEvent('variables');
    await context.setVariable('CALLER_PRIORITY', '10');
    await context.setVariable('CALLER_PRIORITY_STATUS', 'FOUND');
    await context.end();
  }).start(0, '127.0.0.1');
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as ServerSettings;
const port =
  settings.kind === 'raw'
    ? await startRaw(settings.mute ?? false)
    : settings.kind === 'ours'
      ? await startOurs(settings)
      : await startDingDong(settings.module ?? '');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
