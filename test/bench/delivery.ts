import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { createApiClient } from '../../src/api/client.ts';
import { createDispatcher } from '../../src/delivery/dispatcher.ts';
import { defaultLimits } from '../../src/delivery/limits.ts';
import type { DeliveryQueue, QueuedEvent } from '../../src/delivery/queue.ts';
import { silentLog } from '../../src/log/log.ts';
import { compare } from './compare.ts';

/**
 * Delivery against its floor: the dispatcher and the client against a bare undici Pool.request, 50 connections, the far side
 * in another process. `node test/bench/delivery.ts [events]`
 */
const count = Number(process.argv[2] ?? 40_000);
const connections = 50;
const token = 'bench-token-0123456789';
const child = spawn(process.execPath, ['test/bench/bare-far-side.ts'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(child.stdout, 'data')) as [Buffer];
const { port } = JSON.parse(line.toString()) as { port: number };
const baseUrl = `http://127.0.0.1:${port}/api/v1`;

const events = Array.from({ length: count }, (_, n): QueuedEvent => {
  const callId = `pbx-${String(n).padStart(8, '0')}`;
  const body = JSON.stringify({ id: callId, direction: 'inbound', status: 'ringing', from: '+4930901820' });
  return { seq: n + 1, callId, status: 'ringing', body, queuedAt: Date.now(), attempts: 0, rejections: 0 };
});

/** Sends one event; resolves when it is answered. */
type Send = (event: QueuedEvent) => Promise<unknown>;

/** Sends all events with `width` under way all the time. */
async function sendAll(send: Send, width: number): Promise<number> {
  let next = 0;
  const worker = async () => {
    for (let event = events[next++]; event; event = events[next++]) await send(event);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return count;
}

async function bare(): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const type = 'application/json';
  const headers = { authorization: `Bearer ${token}`, accept: type, 'content-type': type };
  const path = '/api/v1/voice/call';
  const send: Send = async ({ body }) =>
    (await pool.request({ method: 'POST', path, headers, body })).body.text();
  return sendAll(send, connections).finally(() => pool.close());
}

async function client(): Promise<number> {
  const api = createApiClient({ baseUrl, token, connections });
  return sendAll(({ body }) => api.postCallEvent(body), connections).finally(() => api.close());
}

/** The dispatcher over a queue that costs nothing, so that the queue is not what is measured. */
async function dispatcher(): Promise<number> {
  const api = createApiClient({ baseUrl, token, connections });
  const waiting = new Map<number, () => void>();
  const queue: DeliveryQueue = {
    due: async () => [],
    isNext: async () => true,
    nextDue: async () => undefined,
    expire: async () => 0,
    waiting: async () => waiting.size,
    async record(results) {
      for (const { seq } of results) {
        waiting.get(seq)?.();
        waiting.delete(seq);
      }
      return [];
    },
  };
  const fresh = { ...defaultLimits.priorities.fresh, concurrency: connections };
  const dispatcher = createDispatcher({
    queue,
    send: (event) => api.postCallEvent(event.body),
    log: silentLog,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    limits: { priorities: { ...defaultLimits.priorities, fresh } },
  });
  dispatcher.start();
  const send: Send = (event) =>
    new Promise<void>((resolve) => {
      waiting.set(event.seq, resolve);
      dispatcher.offer([event]);
    });
  await sendAll(send, connections * 4);
  await dispatcher.stop();
  await api.close();
  return count;
}

await compare(`Delivery of ${count} events, ${connections} connections`, 'events', [
  { name: 'dispatcher and client', run: dispatcher },
  { name: 'our client', run: client },
  { name: 'bare Pool.request', run: bare },
]);
child.kill();
