import { createServer, type Server } from 'node:http';
import type { Log } from '../log/log.ts';
import { systemClock } from '../process/clock.ts';
import { createListener } from '../process/listener.ts';
import { messageOf } from '../process/message-of.ts';
import type { BridgeStatus } from './bridge-status.ts';

export type StatusServerOptions = {
  readonly host: string;
  /** 0: any free port, which the log names. */
  readonly port: number;
};

type StatusServer = {
  /** Listens, and retries in the background if that fails: the bridge works without it. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Response = { readonly status: number; readonly type: string; readonly body: string };

const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

/**
 * Serves the status over HTTP, read-only. Commands that change the outbox open its file instead: file permissions
 * decide who may, while a port cannot distinguish the users of the machine.
 */
export function createStatusServer(
  { host, port }: StatusServerOptions,
  tools: {
    readStatus: () => Promise<BridgeStatus>;
    metrics: { render(status: BridgeStatus): Promise<string>; readonly contentType: string };
    log: Log;
  },
): StatusServer {
  const { log } = tools;

  const pages: Readonly<Record<string, () => Promise<Response>>> = {
    '/healthz': async () => ({ status: 200, type: text, body: 'ok\n' }),
    '/readyz': async () => {
      const { ready, reasons } = await tools.readStatus();
      const lines = ready ? ['ready'] : reasons;
      return { status: ready ? 200 : 503, type: text, body: `${lines.join('\n')}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      type: tools.metrics.contentType,
      body: await tools.metrics.render(await tools.readStatus()),
    }),
    '/status.json': async () => ({
      status: 200,
      type: json,
      body: `${JSON.stringify(await tools.readStatus(), undefined, 2)}\n`,
    }),
  };

  async function respond(method: string, path: string): Promise<Response> {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined)
      return { status: 404, type: text, body: `not found; available: ${Object.keys(pages).join(', ')}\n` };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, type: text, body: 'method not allowed, only GET\n' };
    try {
      return await page();
    } catch (error) {
      return { status: 500, type: text, body: `${messageOf(error)}\n` };
    }
  }

  const listener = createListener({
    host,
    port,
    create() {
      const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
        request.resume();
        const [path = ''] = (request.url ?? '').split('?');
        void respond(request.method ?? '', path).then(({ status, type, body }) => {
          const headers = {
            'content-type': type,
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          };
          response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
        });
      });
      server.maxConnections = 100;
      return server;
    },
    onListening: (usedPort) => log.say('status.listening', { host, port: usedPort }),
    onFailed: (error) => log.say('status.not-listening', { host, port, error }),
    onError() {},
    clock: systemClock,
  });

  return {
    start: listener.start,
    stop: () => listener.stop((server) => (server as Server).closeAllConnections()),
  };
}
