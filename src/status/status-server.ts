import { createServer, type Server } from 'node:http';
import type { Log } from '../log/log.ts';
import type { BridgeStatus } from './bridge-status.ts';

export type StatusServerOptions = {
  readonly host: string;
  /** 0: any free port, which the log names. */
  readonly port: number;
};

export type StatusServer = {
  /** Listens, and if it cannot yet, tries again until it can: calls are told without it, too. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Answer = { readonly status: number; readonly type: string; readonly body: string };

const LISTEN_AGAIN_MS = 5_000;
const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

/**
 * What there is to see, over HTTP: only GET, and nothing that could change anything. Commands that change the queue
 * go through its file, whose permissions say who may; a port cannot tell users of the machine apart.
 */
export function createStatusServer(
  { host, port }: StatusServerOptions,
  tools: {
    read: () => Promise<BridgeStatus>;
    metrics: { render(status: BridgeStatus): Promise<string>; readonly contentType: string };
    log: Log;
  },
): StatusServer {
  const { log } = tools;
  let server: Server | undefined;
  let retry: NodeJS.Timeout | undefined;

  const pages: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => ({ status: 200, type: text, body: 'ok\n' }),
    '/readyz': async () => {
      const { ready, reasons } = await tools.read();
      const lines = ready ? ['ready'] : reasons;
      return { status: ready ? 200 : 503, type: text, body: `${lines.join('\n')}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      type: tools.metrics.contentType,
      body: await tools.metrics.render(await tools.read()),
    }),
    '/status.json': async () => ({
      status: 200,
      type: json,
      body: `${JSON.stringify(await tools.read(), undefined, 2)}\n`,
    }),
  };

  async function answer(method: string, path: string): Promise<Answer> {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined)
      return { status: 404, type: text, body: `there is ${Object.keys(pages).join(', ')}\n` };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: text, body: 'only GET\n' };
    try {
      return await page();
    } catch (error) {
      return { status: 500, type: text, body: `${error instanceof Error ? error.message : error}\n` };
    }
  }

  function listen(): Promise<Server> {
    const { promise, resolve, reject } = Promise.withResolvers<Server>();
    const it = createServer({ requestTimeout: 10_000 }, (request, response) => {
      request.resume();
      const [path = ''] = (request.url ?? '').split('?');
      void answer(request.method ?? '', path).then(({ status, type, body }) => {
        const headers = {
          'content-type': type,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        };
        response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
      });
    });
    it.maxConnections = 100;
    it.once('error', reject);
    it.listen(port, host, () => {
      it.off('error', reject);
      it.on('error', () => {});
      resolve(it);
    });
    return promise;
  }

  async function tryToListen(complain: boolean): Promise<void> {
    try {
      server = await listen();
      const address = server.address();
      log.say('status.listening', { host, port: typeof address === 'object' ? address?.port : port });
    } catch (error) {
      if (complain) log.say('status.not-listening', { host, port, error });
      retry = setTimeout(() => void tryToListen(false), LISTEN_AGAIN_MS);
    }
  }

  return {
    start: () => tryToListen(true),
    async stop() {
      clearTimeout(retry);
      if (server === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}
