import { spawn } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { createApiClient } from '../../src/api/client.ts';
import { createDispatcher } from '../../src/delivery/dispatcher.ts';
import { defaultLimits } from '../../src/delivery/limits.ts';
import type { DeliveryQueue, QueuedEvent } from '../../src/delivery/queue.ts';
import { silentLog } from '../../src/log/log.ts';
import { median, percentile, print } from './compare.ts';

/**
 * Delivery against its floor: the dispatcher and the client against a bare undici Pool.request, 50 connections,
 * far side in another process, alternating, medians of five. `node test/bench/delivery.ts [events]`
 */
const events = Number(process.argv[2] ?? 40_000);
const connections = 50;
const rounds = 5;
/** For the time from taken to sent: as many per second as a very large PBX has. */
const pacedPerSecond = 1_000;
const pacedEvents = 2_000;

const child = spawn(process.execPath, ['test/bench/bare-far-side.ts'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(child.stdout, 'data')) as [Buffer];
const { port } = JSON.parse(line.toString()) as { port: number };
const baseUrl = `http://127.0.0.1:${port}/api/v1`;
const token = 'bench-token-0123456789';

function eventOf(n: number): QueuedEvent {
  const callId = `pbx-${String(n).padStart(8, '0')}`;
  const body = JSON.stringify({ id: callId, direction: 'inbound', status: 'ringing', from: '+4930901820' });
  return { seq: n + 1, callId, status: 'ringing', body, queuedAt: Date.now(), attempts: 0, rejections: 0 };
}

/** Sends one event; resolves when it is answered. */
type Sender = { send(event: QueuedEvent): Promise<unknown>; close(): Promise<unknown> };

function bareSender(): Sender {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'content-type': 'application/json',
  };
  return {
    async send({ body }) {
      const answer = await pool.request({ method: 'POST', path: '/api/v1/voice/call', headers, body });
      return answer.body.text();
    },
    close: () => pool.close(),
  };
}

function clientSender(): Sender {
  const client = createApiClient({ baseUrl, token, connections });
  return { send: ({ body }) => client.postCallEvent(body), close: () => client.close() };
}

/** The dispatcher over a queue that costs nothing, so that the queue is not what is measured. */
function dispatcherSender(): Sender {
  const client = createApiClient({ baseUrl, token, connections });
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
    send: (event) => client.postCallEvent(event.body),
    log: silentLog,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    limits: { priorities: { ...defaultLimits.priorities, fresh } },
  });
  dispatcher.start();
  return {
    send(event) {
      return new Promise<void>((resolve) => {
        waiting.set(event.seq, resolve);
        dispatcher.offer([event]);
      });
    },
    async close() {
      await dispatcher.stop();
      await client.close();
    },
  };
}

/** Events per second with `width` under way all the time. */
async function throughput(sender: Sender, width: number): Promise<number> {
  const list = Array.from({ length: events }, (_, n) => eventOf(n));
  let next = 0;
  const worker = async () => {
    for (let event = list[next++]; event; event = list[next++]) await sender.send(event);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: width }, worker));
  return events / ((performance.now() - started) / 1000);
}

/** From taken to the first byte written, in µs, at a steady pace. */
async function firstByte(sender: Sender): Promise<{ p50: number; p99: number }> {
  const queuedAt: number[] = [];
  const waits: number[] = [];
  const onSend = (message: unknown) => {
    const { body } = (message as { request: { body: Buffer } }).request;
    const n = Number(body.toString('latin1', 11, 19));
    waits.push((performance.now() - (queuedAt[n] ?? 0)) * 1000);
  };
  diagnostics.subscribe('undici:client:sendHeaders', onSend);
  const started = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let n = 0; n < pacedEvents; ) {
    const due = Math.min(pacedEvents, ((performance.now() - started) / 1000) * pacedPerSecond);
    for (; n < due; n++) {
      const event = eventOf(n);
      queuedAt[n] = performance.now();
      pending.push(sender.send(event));
    }
    await delay(1);
  }
  await Promise.all(pending);
  diagnostics.unsubscribe('undici:client:sendHeaders', onSend);
  return { p50: percentile(waits, 50), p99: percentile(waits, 99) };
}

const subjects = {
  'bare Pool.request': { make: bareSender, width: connections },
  'our client': { make: clientSender, width: connections },
  'dispatcher and client': { make: dispatcherSender, width: connections * 4 },
} as const;
type Subject = keyof typeof subjects;
const names = Object.keys(subjects) as Subject[];
const results = new Map(
  names.map((name) => [name, { rate: [] as number[], p50: [] as number[], p99: [] as number[] }]),
);

for (let round = -1; round < rounds; round++) {
  for (const name of names) {
    const { make, width } = subjects[name];
    const sender = make();
    const rate = await throughput(sender, width);
    const { p50, p99 } = await firstByte(sender);
    await sender.close();
    // The first round only warms up.
    if (round < 0) continue;
    const result = results.get(name);
    result?.rate.push(rate);
    result?.p50.push(p50);
    result?.p99.push(p99);
  }
}
child.kill();

print(
  `${events} events, ${connections} connections, medians of ${rounds}; first byte at ${pacedPerSecond}/s`,
);
const floor = median(results.get('bare Pool.request')?.rate ?? []);
for (const [name, { rate, p50, p99 }] of results) {
  const perSecond = median(rate);
  const sent = `to the first byte p50 ${median(p50).toFixed(0)} us, p99 ${median(p99).toFixed(0)} us`;
  print(
    `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(7)}/s  ratio ${(perSecond / floor).toFixed(2)}  ${sent}`,
  );
}
