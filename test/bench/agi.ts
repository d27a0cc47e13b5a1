import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callFrom } from '../../src/agi/agi-client.fixture.ts';
import { silentLog } from '../../src/log/log.ts';
import { type Batch, openOutbox } from '../../src/outbox/outbox.ts';
import type { ServerSettings, Usage } from './agi-server.ts';
import { median, percentile, print } from './compare.ts';

/**
 * Priority lookups over FastAGI, in CPU time of the server per session (a load client gives out first): against a raw
 * TCP server that sends the same two commands, and with `--peers` against ding-dong too, which npm then fetches into a
 * temporary folder. Every server is a process of its own; they take turns, and the median of five counts.
 *
 * `node test/bench/agi.ts [--peers] [warm|api|idle|bridge]`; all of them without a name.
 */
const { values, positionals } = parseArgs({
  options: { peers: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const DEADLINE_MS = 500;
const ROUNDS = 5;

type Running = {
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): void;
};

async function startServer(settings: ServerSettings): Promise<Running> {
  const child = fork(join(import.meta.dirname, 'agi-server.ts'), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async usage() {
      child.send('usage');
      return ((await once(child, 'message')) as [Usage])[0];
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
  const peers = values.peers ? fetchDingDong() : undefined;
  const contestants: [string, ServerSettings][] = [
    ['ours', { kind: 'ours', baseUrl: farSide.baseUrl }],
    ['ours, with the line for the console', { kind: 'ours', baseUrl: farSide.baseUrl, verbose: true }],
    ...(peers
      ? [['ding-dong 0.1.7', { kind: 'ding-dong', module: peers.module }] as [string, ServerSettings]]
      : []),
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
      const before = await server.usage();
      const begin = performance.now();
      const done = await load(server.port, { count, atOnce: 50, request: aKnown });
      const seconds = (performance.now() - begin) / 1_000;
      const after = await server.usage();
      // The first round fills the caches and warms the code.
      if (round === 0) continue;
      cpu.push((after.cpuMicros - before.cpuMicros) / count);
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
  if (!peers) print('  (ding-dong: with --peers)');
  peers?.remove();
  farSide.process.kill();
}

/** Fetched for the bench alone: it is no dependency of ours. */
function fetchDingDong(): { module: string; remove(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'bench-agi-'));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-package-lock', 'ding-dong@0.1.7'];
    execFileSync('npm', args, { stdio: 'ignore' });
    return { module: join(folder, 'node_modules/ding-dong/lib/index.js'), remove };
  } catch (error) {
    print(
      `left out: ding-dong could not be fetched (${error instanceof Error ? error.message.split('\n')[0] : ''})`,
    );
    remove();
    return undefined;
  }
}

/** Callers that nobody has asked for, and an API that has its moods. */
async function api(): Promise<void> {
  const farSide = await startFarSide('bench');
  const server = await startServer({ kind: 'ours', baseUrl: farSide.baseUrl });
  print(`\nCold cache, deadline ${DEADLINE_MS} ms`);
  const run = async (name: string, work: () => Promise<Session[]>) => {
    const before = await server.usage();
    const sessions = await work();
    const after = await server.usage();
    printRow(name, sessions, after.cpuMicros - before.cpuMicros);
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

/** Memory of sessions that wait for an API that hangs. */
async function idle(): Promise<void> {
  const farSide = await startFarSide('bench');
  print('\n1,000 waiting sessions');
  for (const [name, settings] of [
    ['ours', { kind: 'ours', baseUrl: farSide.baseUrl, deadlineMs: 30_000 }],
    ['raw TCP server', { kind: 'raw', mute: true }],
  ] as [string, ServerSettings][]) {
    const perSession: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer(settings);
      await farSide.fault(undefined);
      // The code is there, and little memory is free that the sessions could hide in.
      if (settings.kind === 'ours') await load(server.port, { count: 100, atOnce: 1, request: aKnown });
      await farSide.fault({ kind: 'hang' });
      const before = await server.usage();
      const sockets = Array.from({ length: 1_000 }, () => {
        const request = aStranger();
        const socket = connect({ port: server.port, host: '127.0.0.1' }, () => socket.write(request));
        return socket.on('error', () => {});
      });
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      await sleep(500);
      const after = await server.usage();
      perSession.push((after.rssBytes - before.rssBytes) / sockets.length / 1_000);
      for (const socket of sockets) socket.destroy();
      server.stop();
    }
    print(`  ${name.padEnd(40)} ${median(perSession).toFixed(1)} KB a session (median of ${ROUNDS})`);
  }
  farSide.process.kill();
}

/** The whole bridge with a million events to deliver, without and with a disk that takes a second for each fsync. */
async function bridge(): Promise<void> {
  const waiting = 1_000_000;
  print(`\nBeside a bridge that delivers ${waiting.toLocaleString('en')} waiting events, 100 calls a second`);
  for (const slow of [false, true]) {
    const name = slow ? 'every fsync takes 1 s' : 'the disk as it is';
    if (slow && spawnSync('strace', ['-V']).error) {
      print(`  left out: ${name}: strace is not here`);
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), 'bench-agi-'));
    await fill(join(folder, 'state'), waiting);
    const farSide = await startFarSide('bench');
    const program = startBridge(join(folder, 'state'), farSide.baseUrl, slow);
    const port = await agiPortOf(program);
    printRow(name, await stream(port, { perSecond: 100, seconds: 10, request: aStranger }));
    program.kill('SIGKILL');
    farSide.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(directory: string, count: number): Promise<void> {
  const outbox = await openOutbox({ directory }, { log: silentLog });
  for (let from = 0; from < count; from += 10_000) {
    const events = Array.from({ length: 10_000 }, (_, i): Batch['events'][number] => {
      const callId = `pbx-1763618668.${from + i}`;
      const body = { id: callId, direction: 'inbound', status: 'ringing', from: '+4930901820' };
      return { callId, status: 'ringing', body: JSON.stringify(body), queuedAt: Date.now() - 3_600_000 };
    });
    await outbox.append({ calls: [], trunks: [], events });
  }
  await outbox.close();
}

function startBridge(stateDir: string, baseUrl: string, slow: boolean): ChildProcess {
  const calls = 'fsync,fdatasync';
  // -D: the process that is started is the bridge, which can be killed, and strace only its shadow.
  const strace = ['-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`];
  const command = [process.execPath, 'src/cli.ts', 'run'];
  const [program = '', ...args] = slow
    ? ['strace', ...strace, '-e', `inject=${calls}:delay_enter=1000000`, ...command]
    : command;
  return spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      ...{ AMI_PORT: '1', AMI_USERNAME: 'bench', AMI_SECRET: 'bench', STATE_DIR: stateDir },
      ...{ API_BASE_URL: baseUrl, API_TOKEN: 'bench' },
      ...{ AGI_LISTEN: '127.0.0.1:0', AGI_DEADLINE_MS: String(DEADLINE_MS), STATUS_LISTEN: 'off' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function agiPortOf(program: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of program.stdout ?? []) {
    text += String(chunk);
    const [, line] = /^(.*"code":"agi\.listening".*)$/m.exec(text) ?? [];
    if (line === undefined || !text.includes('program.started')) continue;
    program.stdout?.resume();
    return (JSON.parse(line) as { port: number }).port;
  }
  throw new Error(`the bridge did not start:\n${text}`);
}

const parts = { warm, api, idle, bridge };
for (const [name, part] of Object.entries(parts))
  if (positionals.length === 0 || positionals.includes(name)) await part();
