import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import Fastify from 'fastify';
import { startService } from '../../../../src/service/service.ts';
import { silentLog } from '../../../../src/shared/log/log.ts';
import { options } from '../../service/options.ts';
import type { Memory } from './measured.ts';

/**
 * The process that is measured: `floor` is an empty Fastify route, `service` is ours on the state folder and, if there is
 * one, the database given. Reports its port to its parent, and its memory and CPU time when asked; ends on
 * SIGTERM and with its parent.
 */
const [kind, stateDir = '', database] = process.argv.slice(2);

const threads = new Set<Worker>();
process.on('worker', (thread) => {
  threads.add(thread.once('exit', () => threads.delete(thread)));
});
const server = kind === 'floor' ? await floor() : await service();
process.send?.({ port: server.port, token: server.token, pid: process.pid });
process.on('message', async () =>
  process.send?.({ memory: await memory(), cpu: process.cpuUsage(), main: process.threadCpuUsage() }),
);
process.on('disconnect', () => process.exit());
process.once('SIGTERM', () => void server.stop().then(() => process.exit()));

async function floor() {
  const app = Fastify({ logger: false });
  app.post('/api/v1/voice/call', () => ({ result: 'x'.repeat(48) }));
  app.post('/api/v1/voice/priority', () => ({ result: 'x'.repeat(48) }));
  app.get('/api/v1/*', () => ({ result: 'x'.repeat(48) }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: (app.server.address() as { port: number }).port, token: 'none', stop: () => app.close() };
}

async function service() {
  const where = database === undefined ? null : { url: database, listenUrl: undefined, connections: 8 };
  const running = await startService({ ...options(stateDir), database: where }, { log: silentLog });
  return { port: Number(new URL(running.url).port), token: running.token(), stop: running.stop };
}

async function memory(): Promise<Memory> {
  const status = readFileSync('/proc/self/status', 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024;
  const { external, heapTotal } = process.memoryUsage();
  const ofThreads = await Promise.all([...threads].map((thread) => thread.getHeapStatistics()));
  return {
    rss: kilobytes('VmRSS'),
    anonymous: kilobytes('RssAnon'),
    file: kilobytes('RssFile') + kilobytes('RssShmem'),
    heap: heapTotal,
    threads: ofThreads.reduce((sum, { total_heap_size }) => sum + total_heap_size, 0),
    external,
  };
}
