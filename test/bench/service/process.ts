import Fastify from 'fastify';
import { silentLog } from '../../../src/log/log.ts';
import { startService } from '../../../src/service.ts';
import { options } from '../../integration/service-harness.ts';

/**
 * The process that is measured: `floor` is an empty Fastify route, `service` is ours on the state folder and, if there is
 * one, the database given. Tells its parent where it listens, and what memory and CPU time it has used when asked; ends on
 * SIGTERM and with its parent.
 */
const [kind, stateDir = '', database] = process.argv.slice(2);

const server = kind === 'floor' ? await floor() : await service();
process.send?.({ port: server.port, token: server.token, pid: process.pid });
process.on('message', () =>
  process.send?.({ rss: process.memoryUsage.rss(), cpu: process.cpuUsage(), main: process.threadCpuUsage() }),
);
process.on('disconnect', () => process.exit());
process.once('SIGTERM', () => void server.stop().then(() => process.exit()));

async function floor() {
  const app = Fastify({ logger: false });
  app.post('/api/v1/voice/call', () => ({ result: 'x'.repeat(48) }));
  app.get('/api/v1/*', () => ({ result: 'x'.repeat(48) }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as { port: number }).port, token: 'none', stop: () => app.close() };
}

async function service() {
  const where = database === undefined ? null : { url: database, listenUrl: undefined, connections: 8 };
  const running = await startService({ ...options(stateDir), database: where }, { log: silentLog });
  return { port: Number(new URL(running.url).port), token: running.token(), stop: running.stop };
}
