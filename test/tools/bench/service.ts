import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { postgresImpossible, startCluster } from '../servers/cluster.ts';
import { median, print } from './compare.ts';
import { get, load, type Measured, post } from './service/client.ts';
import { fillCalls, fillCustomers, numberOf } from './service/fill.ts';
import { type MeasuredProcess, memoryText, start } from './service/measured.ts';

/**
 * The API service against an empty Fastify route, in the same run, alternating, medians. Sizes are those of the issue;
 * smaller ones by flags: `node test/tools/bench/service.ts --only post --requests 20000`. `--only growth` measures a service
 * with many calls against one with few; `--folder` keeps their tables for the next run.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'post,priority' },
    requests: { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '5' },
    customers: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '1000000,50000000' },
    folder: { type: 'string' },
  },
});
const [requests, rounds, customers] = [flags.requests, flags.rounds, flags.customers].map(Number) as [
  number,
  number,
  number,
];

const folders: string[] = [];
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bench-service-'));
  folders.push(made);
  return made;
}

type Request = (n: number, token: string) => string;

const statuses = ['ringing', 'answered', 'completed'];
let run = 0;
/** Three events a call, no call twice; numbers follow each other as if by chance, as those of callers do. */
const events = (): Request => {
  run += 1;
  const prefix = `pbx-${Date.now()}.${run}`;
  return (n, token) => {
    const id = `${prefix}.${Math.floor(n / 3)}`;
    const from = numberOf((Math.floor(n / 3) * 7919) % 500_000);
    return post(
      '/api/v1/voice/call',
      token,
      JSON.stringify({ id, direction: 'inbound', status: statuses[n % 3], from }),
    );
  };
};

const measure = (
  target: MeasuredProcess,
  connections: number,
  count: number,
  request: Request,
): Promise<Measured> =>
  load({ port: target.port, connections, requests: count, request: (n) => request(n, target.token) });

type Cost = { all: number; main: number };
/** CPU time of a request, µs: of the process, and of the thread that serves requests. */
async function costing(target: MeasuredProcess, count: number, work: () => Promise<Measured>) {
  const before = { all: await target.cpu(), main: await target.mainCpu() };
  const result = await work();
  const us = (now: number, then: number) => ((now - then) * 1000) / count;
  const [all, main] = [us(await target.cpu(), before.all), us(await target.mainCpu(), before.main)];
  return { ...result, all, main };
}

/**
 * Measures the service and the floor in turn; prints the median of each. The CPU time is what stays true on a machine that
 * others use, too: its ratio is the floor's to that of the service's thread that serves requests.
 */
async function against(
  title: string,
  service: MeasuredProcess,
  floor: MeasuredProcess,
  connections: number,
  count: number,
  request: () => Request,
): Promise<void> {
  const measured: Record<'service' | 'floor', (Measured & Cost)[]> = { service: [], floor: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, target] of [
      ['service', service],
      ['floor', floor],
    ] as const) {
      const result = await costing(target, count, () => measure(target, connections, count, request()));
      if (round > 0) measured[name].push(result); // the first warms up
    }
  }
  const of = (list: (Measured & Cost)[], key: keyof (Measured & Cost)) => median(list.map((one) => one[key]));
  const rate = of(measured.service, 'rate');
  const ratio = (rate / of(measured.floor, 'rate')).toFixed(2);
  const times = `p50 ${of(measured.service, 'p50').toFixed(2)} ms, p99 ${of(measured.service, 'p99').toFixed(2)} ms`;
  const [main, floorMain] = [of(measured.service, 'main'), of(measured.floor, 'main')];
  const cpu = `CPU ${main.toFixed(0)} µs of ${of(measured.service, 'all').toFixed(0)}, floor ${floorMain.toFixed(0)}, ratio ${(floorMain / main).toFixed(2)}`;
  print(
    `  ${title.padEnd(52)} ${rate.toFixed(0).padStart(7)}/s  ratio ${ratio}  ${times}  (floor ${of(measured.floor, 'rate').toFixed(0)}/s)  ${cpu}`,
  );
}

/** Lookups of customers that are not in the service's memory: each is read from the database. */
async function lookups(name: string, url?: string): Promise<void> {
  const stateDir = folder();
  const database = url === undefined ? null : { url, listenUrl: undefined, connections: 8 };
  await fillCustomers(stateDir, customers, database);
  const [service, floor] = [await start('service', stateDir, url), await start('floor')];
  const path = '/api/v1/voice/priority';
  const number = (n: number) => numberOf((n * 7919) % customers);
  const requestOf: Record<string, Request> = {
    GET: (n, token) => get(`${path}?number=${encodeURIComponent(number(n))}`, token),
    POST: (n, token) => post(path, token, JSON.stringify({ number: number(n) })),
  };
  for (const [method, request] of Object.entries(requestOf))
    for (const connections of [1, 50]) {
      const count = connections === 1 ? Math.ceil(requests / 20) : Math.ceil(requests / 2);
      const title = `${name}, ${method}, ${connections} at once`;
      await against(title, service, floor, connections, count, () => request);
    }
  print(`  memory of the service: ${memoryText(await service.memory())}`);
  await Promise.all([service.stop(), floor.stop()]);
}

const benches: Record<string, () => Promise<void>> = {
  async post() {
    print('\nPOST /voice/call, durable, against an empty route');
    const [service, floor] = [await start('service', folder()), await start('floor')];
    for (const connections of [1, 50, 200]) {
      const count = connections === 1 ? Math.ceil(requests / 20) : requests;
      await against(`${connections} at once`, service, floor, connections, count, events);
      if (connections === 1) print(`    a bare fsync of a page: p50 ${bareFsync(folder()).toFixed(2)} ms`);
    }
    print(`  memory of the service: ${memoryText(await service.memory())}`);
    await Promise.all([service.stop(), floor.stop()]);
  },

  async priority() {
    print(`\nGET and POST /voice/priority with ${customers} customers, against an empty route`);
    await lookups('SQLite');
    const impossible = await postgresImpossible();
    if (impossible !== undefined) return print(`  PostgreSQL is left out: ${impossible}`);
    const cluster = await startCluster({});
    await cluster
      .database()
      .then((url) => lookups('PostgreSQL', url))
      .finally(() => cluster.remove());
  },

  async growth() {
    print(`\nA service with many calls against one with few: ${flags.calls}; a ratio of 1 is best`);
    const kept = flags.folder ?? folder();
    const [few, many] = flags.calls.split(',').map((count) => join(kept, count)) as [string, string];
    for (const stateDir of [few, many]) {
      if (existsSync(stateDir)) continue;
      mkdirSync(stateDir);
      await fillCalls(stateDir, Number(basename(stateDir)));
    }
    for (const stateDir of [few, many]) await fillCustomers(stateDir, customers);
    const [small, large] = [await start('service', few), await start('service', many)];
    const lookup: Request = (n, token) =>
      get(`/api/v1/voice/priority?number=${encodeURIComponent(numberOf((n * 7919) % customers))}`, token);
    for (const connections of [1, 50]) {
      const count = connections === 1 ? Math.ceil(requests / 20) : requests;
      await against(`POST /voice/call, ${connections} at once`, large, small, connections, count, events);
      await against(
        `GET /voice/priority, ${connections} at once`,
        large,
        small,
        connections,
        count,
        () => lookup,
      );
    }
    await Promise.all([small.stop(), large.stop()]);
  },
};

/** Median ms. What a request that waits for the disk takes at least, when it is alone. */
function bareFsync(dir: string): number {
  const file = openSync(join(dir, 'page'), 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 200 }, () => {
    const began = performance.now();
    writeSync(file, page, 0, page.length, 0);
    fsyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  return median(times);
}

try {
  for (const name of flags.only.split(',')) await benches[name]?.();
} finally {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
}
