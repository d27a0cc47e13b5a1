import type { Log } from '../../shared/log/log.ts';
import {
  createPageServer,
  type Page,
  type PageServer,
  type PageServerOptions,
} from '../../shared/process/page-server.ts';
import type { BridgeStatus } from './bridge-status.ts';

const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

/**
 * Serves the status over HTTP, read-only. Commands that change the outbox open its file instead: file permissions
 * decide who may, while a port cannot distinguish the users of the machine.
 */
export function createStatusServer(
  options: PageServerOptions,
  tools: {
    readStatus: () => Promise<BridgeStatus>;
    metrics: { render(status: BridgeStatus): Promise<string>; readonly contentType: string };
    log: Log;
  },
): PageServer {
  const { log } = tools;
  const { host, port } = options;
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
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

  return createPageServer(options, pages, {
    onListening: (usedPort) => log.say('status.listening', { host, port: usedPort }),
    onFailed: (error) => log.say('status.not-listening', { host, port, error }),
  });
}
