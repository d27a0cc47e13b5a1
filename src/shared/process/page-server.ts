import { createServer, type Server } from 'node:http';
import { systemClock } from './clock.ts';
import { createListener } from './listener.ts';
import { messageOf } from './parse-json.ts';

export type PageServerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
};

export type Page = { readonly status: number; readonly type: string; readonly body: string };

const text = 'text/plain; charset=utf-8';

export type PageServer = ReturnType<typeof createPageServer>;

/** Serves pages over HTTP, read-only, by path. */
export function createPageServer(
  { host, port }: PageServerOptions,
  pages: Readonly<Record<string, () => Promise<Page>>>,
  { onListening, onFailed }: { onListening: (port: number) => void; onFailed: (error: unknown) => void },
) {
  async function respond(method: string, path: string): Promise<Page> {
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
    onListening,
    onFailed,
    onError() {},
    clock: systemClock,
  });

  return {
    /** Listens, and retries in the background if that fails: the program works without it. */
    start: listener.start,
    stop: () => listener.stop((server) => (server as Server).closeAllConnections()),
  };
}
