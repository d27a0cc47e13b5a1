import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callFrom } from '../../src/agi/agi-client.fixture.ts';
import type { ServerSettings } from './agi-server.ts';
import { median, percentile, print } from './compare.ts';

/**
 * Priority lookups over FastAGI, in CPU time of the server per session (a load client gives out first): against a raw
 * TCP server that sends the same two commands; and with an API that has its moods. Every server is a process of its own; they
 * take turns, and the median of five counts.
 *
 * `node test/bench/agi.ts [warm|api]`; both without a name.
 */

const DEADLINE_MS = 500;
const ROUNDS = 5;

async function startServer(settings: ServerSettings) {
  const child = fork(join(import.meta.dirname, 'agi-server.ts'), [JSON.stringify(settings)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async cpuMicros(): Promise<number> {
      child.send('usage');
      return ((await once(child, 'message')) as [number])[0];
    },
    stop: () => child.disconnect(),
  };
}

type FarSide = {
  readonly baseUrl: string;
  fault(fault: object | undefined): Promise<void>;
  readonly process: ChildProcess;
};

/** Our test far side, in a process of its own: everybody's priority is 10. */
async function startFarSide(token: string): Promise<FarSide> {
  const child = spawn(process.execPath, ['test/fakes/far-side.ts', '--token', token, '--priority', '10'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { baseUrl, port } = JSON.parse(line.toString()) as { baseUrl: string; port: number };
  return {
    baseUrl,
    process: child,
    async fault(fault) {
      const body = JSON.stringify({ fault });
      await fetch(`http://127.0.0.1:${port}/control/fault`, { method: 'POST', body });
    },
  };
}

type Session = { readonly ms: number; readonly status: string };

/** One session as Asterisk has it; '' is the status of one that was cut off. */
function session(port: number, request: string): Promise<Session> {
  return new Promise((resolve) => {
    const began = performance.now();
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (text.endsWith('\n')) socket.write('200 result=1\n');
    });
    socket.on('error', () => {});
    socket.on('close', () =>
      resolve({ ms: performance.now() - began, status: /_STATUS "?([A-Z]+)/.exec(text)?.[1] ?? '' }),
    );
  });
}

let numbers = 0;
const known = Array.from({ length: 100 }, (_, i) => callFrom(`+49406696${String(i).padStart(4, '0')}`));
const aKnown = (i: number) => known[i % known.length] as string;
const aStranger = () => callFrom(`+4930${String(10_000_000 + numbers++)}`);

/** So many sessions, so many of them at a time. */
async function load(
  port: number,
  { count, atOnce, request }: { count: number; atOnce: number; request: (i: number) => string },
): Promise<Session[]> {
  const sessions: Session[] = [];
  let next = 0;
  const one = async () => {
    for (let i = next++; i < count; i = next++) sessions.push(await session(port, request(i)));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return sessions;
}

/** So many sessions a second, whatever becomes of those before. */
async function stream(
  port: number,
  { perSecond, seconds, request }: { perSecond: number; seconds: number; request: (i: number) => string },
): Promise<Session[]> {
  const begin = performance.now();
  const all: Promise<Session>[] = [];
  while (all.length < perSecond * seconds) {
    const due = ((performance.now() - begin) * perSecond) / 1_000;
    while (all.length < due && all.length < perSecond * seconds) all.push(session(port, request(all.length)));
    await sleep(2);
  }
  return Promise.all(all);
}

const times = (sessions: readonly Session[]) => sessions.map(({ ms }) => ms);

function outcomes(sessions: readonly Session[]): string {
  const counts = new Map<string, number>();
  for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status || 'cut off'}`).join(', ');
}

function printRow(name: string, sessions: readonly Session[], cpuMicros?: number): void {
  const cpu = cpuMicros === undefined ? '' : `${(cpuMicros / sessions.length).toFixed(0)} us CPU, `;
  const [p50, p99, max] = [50, 99, 100].map((p) => percentile(times(sessions), p).toFixed(0));
  const verdict = Number(p99) < DEADLINE_MS ? '' : '   NOT BELOW THE DEADLINE';
  print(
    `  ${name.padEnd(48)} ${cpu}p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${outcomes(sessions)})${verdict}`,
  );
}

/** All have been asked for before, 50 sessions at a time. */
async function warm(): Promise<void> {
  const farSide = await startFarSide('bench');
  const contestants: [string, ServerSettings][] = [
    ['ours', { kind: 'ours', baseUrl: farSide.baseUrl }],
    ['raw TCP server', { kind: 'raw' }],
  ];
  const count = 5_000;
  const entries = await Promise.all(
    contestants.map(async ([name, settings]) => {
      const server = await startServer(settings);
      return { name, server, cpu: [] as number[], rate: [] as number[], sessions: [] as Session[] };
    }),
  );
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const { server, cpu, rate, sessions } of entries) {
      const before = await server.cpuMicros();
      const begin = performance.now();
      const done = await load(server.port, { count, atOnce: 50, request: aKnown });
      const seconds = (performance.now() - begin) / 1_000;
      const after = await server.cpuMicros();
      // The first round fills the caches and warms the code.
      if (round === 0) continue;
      cpu.push((after - before) / count);
      rate.push(count / seconds);
      sessions.push(...done);
    }
  const floor = median(entries.at(-1)?.cpu ?? []);
  print(
    `\nWarm cache: CPU of the server per session (${count} sessions, 50 at a time, median of ${ROUNDS}, alternating)`,
  );
  for (const { name, server, cpu, rate, sessions } of entries) {
    const [p50, p99] = [50, 99].map((p) => percentile(times(sessions), p).toFixed(1));
    const each = median(cpu);
    print(
      `  ${name.padEnd(40)} ${each.toFixed(0).padStart(4)} us   ratio ${(each / floor).toFixed(2)}   ${median(rate).toFixed(0).padStart(6)} sessions/s   p50 ${p50} ms, p99 ${p99} ms`,
    );
    server.stop();
  }
  farSide.process.kill();
}

/** Callers that nobody has asked for, and an API that has its moods. */
async function api(): Promise<void> {
  const farSide = await startFarSide('bench');
  const server = await startServer({ kind: 'ours', baseUrl: farSide.baseUrl });
  print(`\nCold cache, deadline ${DEADLINE_MS} ms`);
  const run = async (name: string, work: () => Promise<Session[]>) => {
    const before = await server.cpuMicros();
    const sessions = await work();
    const after = await server.cpuMicros();
    printRow(name, sessions, after - before);
  };
  const strangers = { request: aStranger };
  await load(server.port, { count: 1_000, atOnce: 50, ...strangers });
  await run('API quick, 50 at a time', () => load(server.port, { count: 5_000, atOnce: 50, ...strangers }));
  await run('API quick, 500 at once', () => load(server.port, { count: 500, atOnce: 500, ...strangers }));
  await farSide.fault({ kind: 'slow', ms: 200 });
  await run('API at 200 ms, 30 calls a second', () =>
    stream(server.port, { perSecond: 30, seconds: 5, ...strangers }),
  );
  await run('API at 200 ms, 500 at once', () => load(server.port, { count: 500, atOnce: 500, ...strangers }));
  await farSide.fault({ kind: 'hang' });
  await run('API hangs, 200 calls a second', () =>
    stream(server.port, { perSecond: 200, seconds: 5, ...strangers }),
  );
  await run('API hangs, 500 at once', () => load(server.port, { count: 500, atOnce: 500, ...strangers }));
  await farSide.fault({ kind: 'status', status: 302, headers: { location: '/login' } });
  // What hung until now has a moment to run out.
  await sleep(2_000);
  await run('API redirects, 50 at a time', () =>
    load(server.port, { count: 2_000, atOnce: 50, ...strangers }),
  );
  await farSide.fault({ kind: 'huge', bytes: 1_000_000 });
  await run('API answers 1 MB, 20 at a time', () =>
    load(server.port, { count: 500, atOnce: 20, ...strangers }),
  );
  farSide.process.kill();
  await once(farSide.process, 'exit');
  await run('API dead, 50 at a time', () => load(server.port, { count: 5_000, atOnce: 50, ...strangers }));
  server.stop();
}

const wanted = process.argv.slice(2);
for (const [name, part] of Object.entries({ warm, api }))
  if (wanted.length === 0 || wanted.includes(name)) await part();
