import { createServer } from 'node:net';
import { createAgi } from '../../src/agi/agi.ts';
import { createApiClient } from '../../src/api/client.ts';
import { createLog } from '../../src/log/log.ts';
import { normaliseNumber } from '../../src/phone-number/normalise-number.ts';

/**
 * A FastAGI server in a process of its own (forked), for test/bench/agi.ts. Reports its port to its parent, and its CPU time
 * when asked, µs.
 */
export type ServerSettings = {
  readonly kind: 'raw' | 'ours';
  /** The Call Integration API, for ours. */
  readonly baseUrl?: string;
};

const commands = ['SET VARIABLE CALLER_PRIORITY 10\n', 'SET VARIABLE CALLER_PRIORITY_STATUS FOUND\n'];

/** The least that does the same: waits for the empty line, and sends a command for each line that comes back. */
function startRaw(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let text = '';
    let sent = 0;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (!text.endsWith(sent === 0 ? '\n\n' : '\n')) return;
      text = '';
      const command = commands[sent++];
      if (command === undefined) socket.destroySoon();
      else socket.write(command, 'latin1');
    });
  });
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
        deadlineMs: 500,
      },
      answer: {
        defaultPriority: '0',
        setQueuePrio: false,
        queuePrio: {},
      },
      fields: { priority: 'priority', name: 'name' },
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

const settings = JSON.parse(process.argv[2] ?? '{}') as ServerSettings;
const port = await (settings.kind === 'raw' ? startRaw() : startOurs(settings));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
