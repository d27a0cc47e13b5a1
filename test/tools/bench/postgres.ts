import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecordedRequest } from '../../../src/service/history/request-store.ts';
import { type CallStatus, callStatuses } from '../../../src/shared/api/contract/call-status.ts';
import { preciseMs } from '../../../src/shared/process/clock.ts';
import { type Cluster, postgresImpossible, startCluster } from '../servers/cluster.ts';
import { storeOf } from '../servers/site.ts';
import { median, print } from './compare.ts';
import { load, post } from './service/client.ts';
import { numberOf } from './service/fill.ts';
import { type MeasuredProcess, start } from './service/measured.ts';
import { serverCpu } from './service/server-cpu.ts';

/**
 * The service on PostgreSQL beside the service on SQLite, in one run: what one, two and four processes take, and what a
 * request costs in CPU time of the service and of the database.
 * `node test/tools/bench/postgres.ts --requests 4000 --rounds 1`
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'batches,throughput' },
    requests: { type: 'string', default: '40000' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
  },
});
const [requests, connections, rounds] = [flags.requests, flags.connections, flags.rounds].map(Number) as [
  number,
  number,
  number,
];

const impossible = await postgresImpossible();
if (impossible !== undefined) {
  print(`left out: ${impossible}`);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
const parts = { batches, throughput };
try {
  for (const [name, part] of Object.entries(parts)) {
    if (!flags.only.includes(name)) continue;
    const cluster = await startCluster({
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      checkpoint_timeout: '30min',
    });
    await part(cluster).finally(() => cluster.remove());
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What an event costs by how many share a transaction, without HTTP. */
async function batches(cluster: Cluster): Promise<void> {
  const stateDir = join(folder, 'batches');
  const url = await cluster.database();
  await (await start('service', stateDir, url)).stop(); // makes the tables and the first account
  const store = await storeOf(stateDir, url);
  print('CPU ms of an event, service + database, by the events of a transaction');
  for (const size of [1, 4, 16, 64]) {
    const used: { service: number; database: number }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const count = Math.ceil(Math.min(3000, 600 * Math.sqrt(size)) / size);
      const before = { service: process.cpuUsage(), database: serverCpu(cluster) };
      for (let batch = 0; batch < count; batch += 1)
        await Promise.all(
          Array.from({ length: size }, (_, index) =>
            store.requests.record(recorded(`${size}-${round}`, batch * size + index)),
          ),
        );
      const { user, system } = process.cpuUsage(before.service);
      const events = count * size;
      if (round === 0) await analyse(cluster, url);
      else
        used.push({
          service: (user + system) / 1000 / events,
          database: (serverCpu(cluster) - before.database) / events,
        });
    }
    const [service, database] = [
      median(used.map((one) => one.service)),
      median(used.map((one) => one.database)),
    ];
    print(
      `  ${String(size).padStart(3)}  ${service.toFixed(3)} + ${database.toFixed(3)} = ${(service + database).toFixed(3)}`,
    );
  }
  await store.close();
}

/** As the server does by itself within a minute: it plans again what it planned for empty tables. */
async function analyse(cluster: Cluster, url: string): Promise<void> {
  await cluster.sql('ANALYZE', new URL(url).pathname.slice(1));
}

/** The nth event as the service gives it to the store; three for each call, as they come: not one after the other. */
function recorded(prefix: string, n: number): RecordedRequest {
  const status = callStatuses[Math.floor(n / 64) % 3] as CallStatus;
  const call = `${prefix}-${Math.floor(n / 192) * 64 + (n % 64)}`;
  const [at, from] = [Date.now(), numberOf(n)];
  return {
    account: 1,
    integration: 1,
    at,
    began: preciseMs(),
    method: 'POST',
    path: '/api/v1/voice/call',
    request: JSON.stringify({ id: call, direction: 'inbound', status, from }),
    status: 200,
    response: JSON.stringify({ result: 'x'.repeat(48) }),
    callId: call,
    fromNumber: from,
    event: { id: call, status, from, number: from, callerId: null },
  };
}

type Site = {
  name: string;
  services: MeasuredProcess[];
  rates: number[];
  cpus: number[];
  databaseCpus: number[];
  loadCpus: number[];
};

/** Events of new calls, spread over the processes; rounds alternate between the sites. */
async function throughput(cluster: Cluster): Promise<void> {
  print(
    `POST /voice/call, ${connections} at once, durable; CPU ms per request of the service + the database + the load itself, and the requests/s that ${cpus().length} cores would have to themselves with that (load now ${loadavg()[0]?.toFixed(1)})`,
  );
  const sites: Site[] = [];
  const databases: string[] = [];
  const add = (name: string, services: MeasuredProcess[]) =>
    sites.push({ name, services, rates: [], cpus: [], databaseCpus: [], loadCpus: [] });
  add('1 process, SQLite', [await start('service', join(folder, 'sqlite'))]);
  for (const count of [1, 2, 4]) {
    const url = await cluster.database();
    databases.push(url);
    const services: MeasuredProcess[] = [];
    for (let n = 0; n < count; n += 1)
      services.push(await start('service', join(folder, `postgres-${count}`), url));
    add(`${count} ${count > 1 ? 'processes' : 'process'}, PostgreSQL`, services);
  }
  for (let round = 0; round <= rounds; round += 1) {
    if (round === 1) for (const url of databases) await analyse(cluster, url);
    for (const site of sites) {
      const before = { service: await cpuOf(site), database: serverCpu(cluster), load: process.cpuUsage() };
      const began = performance.now();
      const prefix = `r${round}-${site.name}`;
      await Promise.all(
        site.services.map((service, index) =>
          load({
            port: service.port,
            connections: connections / site.services.length,
            requests: Math.floor(requests / site.services.length),
            request: (n) => eventOf(service.token, `${prefix}-${index}`, n),
          }),
        ),
      );
      if (round === 0) continue; // warms up
      site.rates.push((requests / (performance.now() - began)) * 1000);
      site.cpus.push(((await cpuOf(site)) - before.service) / requests);
      site.databaseCpus.push((serverCpu(cluster) - before.database) / requests);
      const { user, system } = process.cpuUsage(before.load);
      site.loadCpus.push((user + system) / 1000 / requests);
    }
  }
  const first = median(sites[0]?.rates ?? []);
  for (const site of sites) {
    const used = [site.cpus, site.databaseCpus, site.loadCpus].map(median);
    const ceiling = (cpus().length * 1000) / used.reduce((sum, cpu) => sum + cpu, 0);
    const rate = median(site.rates);
    print(
      `  ${site.name.padEnd(28)} ${rate.toFixed(0).padStart(6)}/s  ratio ${(rate / first).toFixed(2)}  CPU ${used.map((cpu) => cpu.toFixed(3)).join(' + ')} ms  at most ${ceiling.toFixed(0)}/s`,
    );
  }
  for (const { services } of sites) await Promise.all(services.map((service) => service.stop()));
}

function eventOf(token: string, prefix: string, n: number): string {
  const status = ['ringing', 'answered', 'completed'][n % 3];
  const call = Math.floor(n / 3);
  const body = { id: `${prefix}-${call}`, direction: 'inbound', status, from: numberOf(call) };
  return post('/api/v1/voice/call', token, JSON.stringify(body));
}

async function cpuOf({ services }: Site): Promise<number> {
  const used = await Promise.all(services.map((service) => service.cpu()));
  return used.reduce((sum, cpu) => sum + cpu, 0);
}
