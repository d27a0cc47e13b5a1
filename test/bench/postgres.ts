import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CallStatus, callStatuses } from '../../src/api/contract/call-status.ts';
import type { Span } from '../../src/service/reports/aggregate.ts';
import type { RecordedRequest } from '../../src/service/store/request-store.ts';
import { monotonicMs } from '../../src/service/upkeep/monotonic-clock.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { median, print } from './compare.ts';
import { get, load, post } from './service/client.ts';
import { callIdOf, numberOf } from './service/fill.ts';
import { type MeasuredProcess, start } from './service/measured.ts';

/**
 * The service on PostgreSQL beside the service on SQLite, in one run: what one, two and four processes take, what a
 * request costs in CPU time of the service and of the database, and what reading costs as the history grows.
 * The largest sizes by flags: `node test/bench/postgres.ts --only reading --rows 1000000,10000000,50000000`.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'batches,throughput,reading' },
    requests: { type: 'string', default: '40000' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '100000,1000000' },
  },
});
const [requests, connections, rounds] = [flags.requests, flags.connections, flags.rounds].map(Number) as [
  number,
  number,
  number,
];
const sizes = flags.rows.split(',').map(Number);
const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
const BEGAN = Date.UTC(2026, 7, 1);
/** Numbers of callers follow each other as if by chance. */
const SPREAD = 7_654_321;
const sevenDigits = (n: number) => String((n * SPREAD) % 10_000_000).padStart(7, '0');

const impossible = await postgresImpossible();
if (impossible !== undefined) {
  print(`left out: ${impossible}`);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
const settings = { shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' };
try {
  if (flags.only.includes('batches')) await withCluster(settings, batches);
  if (flags.only.includes('throughput')) await withCluster(settings, throughput);
  // What is filled in at once need not be in the log, and its indexes are sorted in memory.
  const quick = { wal_level: 'minimal', max_wal_senders: '0', maintenance_work_mem: '1GB' };
  if (flags.only.includes('reading')) await withCluster({ ...settings, ...quick }, reading);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function withCluster(chosen: Record<string, string>, work: (cluster: Cluster) => Promise<void>) {
  const cluster = await startCluster(chosen);
  await work(cluster).finally(() => cluster.remove());
}

/** What an event costs by how many share a transaction, without HTTP. */
async function batches(cluster: Cluster): Promise<void> {
  const stateDir = join(folder, 'batches');
  const url = await cluster.database();
  await (await start('service', stateDir, url)).stop(); // makes the tables and the first account
  const { storeOf } = await import('../postgres/site.ts');
  const store = await storeOf(stateDir, url);
  print('CPU ms of an event, service + database, by the events of a transaction');
  for (const size of [1, 4, 16, 64]) {
    const used: { service: number; database: number }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const count = Math.ceil(Math.min(3000, 600 * Math.sqrt(size)) / size);
      const before = { service: process.cpuUsage(), database: databaseCpu(cluster) };
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
          database: (databaseCpu(cluster) - before.database) / events,
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

/** As the server does by itself within a minute: plans that it made for empty tables are made anew. */
async function analyse(cluster: Cluster, url: string): Promise<void> {
  await cluster.sql('ANALYZE', new URL(url).pathname.slice(1));
}

/** The nth event as the service gives it to the store; three for each call, as they come: not one after the other. */
function recorded(prefix: string, n: number): RecordedRequest {
  const status = callStatuses[Math.floor(n / 64) % 3] as CallStatus;
  const call = `${prefix}-${Math.floor(n / 192) * 64 + (n % 64)}`;
  const [at, from] = [Date.now(), numberOf(n)];
  return {
    ...{ account: 1, integration: 1, at, began: monotonicMs(), method: 'POST', path: '/api/v1/voice/call' },
    request: JSON.stringify({ id: call, direction: 'inbound', status, from }),
    ...{ status: 200, response: JSON.stringify({ result: 'x'.repeat(48) }), callId: call, fromNumber: from },
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
      const before = { service: await cpuOf(site), database: databaseCpu(cluster), load: process.cpuUsage() };
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
      site.databaseCpus.push((databaseCpu(cluster) - before.database) / requests);
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

/** CPU time of the server with all its processes, those that have ended too, ms. */
function databaseCpu(cluster: Cluster): number {
  const tick = 1000 / Number(execFileSync('getconf', ['CLK_TCK']));
  const [pid = ''] = readFileSync(join(cluster.dataDir, 'postmaster.pid'), 'utf8').split('\n');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
  const used = (process: string, fields: readonly number[]) => {
    if (!existsSync(`/proc/${process}/stat`)) return 0; // ended meanwhile
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.reduce((sum, field) => sum + Number(after[field]), 0) * tick;
  };
  // utime, stime, and of the postmaster those of its ended children.
  return used(pid, [11, 12, 13, 14]) + children.reduce((sum, child) => sum + used(child, [11, 12]), 0);
}

/** The same questions to ever larger histories. */
async function reading(cluster: Cluster): Promise<void> {
  const url = await cluster.database();
  const name = new URL(url).pathname.slice(1);
  const stateDir = join(folder, 'reading');
  await (await start('service', stateDir, url)).stop(); // makes the tables and the first account
  print('\nReading, p50 ms, as the history grows (three months of it, a partition each)');
  let filled = 0;
  for (const rows of sizes) {
    const filling = await secondsOf(() =>
      withoutIndexes(cluster, name, ['history', 'calls'], () => fill(cluster, name, filled, rows)),
    );
    await cluster.sql('VACUUM ANALYZE', name);
    filled = rows;
    const service = await start('service', stateDir, url);
    /** The least of five medians: what else the machine does is not what the table costs. */
    const ask = async (path: string, count: number) => {
      const medians: number[] = [];
      for (let round = 0; round < (count > 1 ? 5 : 1); round += 1) {
        const request = () => get(path, service.token);
        medians.push((await load({ port: service.port, connections: 1, requests: count, request })).p50);
      }
      return Math.min(...medians);
    };
    const search = (term: string) =>
      `/api/v1/voice?search=request&search_term=${term}&sort=-created_at&limit=10`;
    const known = await ask(search(callIdOf(Math.floor(rows / 7))), 50);
    const page = await ask('/api/v1/voice?sort=-created_at&limit=50', 50);
    const unknown = await ask(search('pbx-no-such-call'), 50);
    const number = await ask(search(`%2B4930${sevenDigits(rows / 2 + 123)}`), 50);
    const short = await ask(search('nix'), 50);
    const letter = await ask(search('%C2%A7'), 50);
    const digits = await ask(search('0815'), 20);
    const everywhere = await ask(search('inbound'), 20);
    const report = await reportMs(url, stateDir);
    const [size] = await cluster.sql(
      `SELECT pg_total_relation_size('calls')::float8 AS calls,
         (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'history'::regclass)::float8 AS history`,
      name,
    );
    const bytes = (table: 'calls' | 'history', count: number) =>
      ((size?.[table] as number) / count).toFixed(0);
    const ms = { known, page, unknown, number, short, letter, digits, everywhere, ...report };
    const shown = Object.fromEntries(Object.entries(ms).map(([name, value]) => [name, value.toFixed(1)]));
    print(
      `  ${String(rows).padStart(9)} entries  a call's events ${shown.known}  newest page ${shown.page}  an id that is nowhere ${shown.unknown}  a number ${shown.number}  three letters that are nowhere ${shown.short}, one letter ${shown.letter}  four digits ${shown.digits}  a word in all of them ${shown.everywhere}  report of a month: first ${shown.first}, again ${shown.again}; of a day that goes on, when a call has moved: counted whole ${shown.whole}, its last hours ${shown.lastHours}  bytes: ${bytes('history', rows)} an entry, ${bytes('calls', Math.ceil(rows / 3))} a call  filled in ${filling.toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)}`,
    );
    await service.stop();
  }
}

/** Entries from..to of the history, three for each call, spread over three months, and their calls and figures. */
async function fill(cluster: Cluster, name: string, from: number, to: number): Promise<void> {
  const at = `(${BEGAN} + (n::double precision / ${to}) * ${3 * MONTH_MS})::bigint`;
  const id = `'pbx-1763' || lpad((n / 3)::text, greatest(6, length((n / 3)::text)), '0') || '.' || (n / 3) % 97`;
  const number = `'+4930' || lpad((n * ${SPREAD} % 10000000)::text, 7, '0')`;
  const partitions = [7, 8, 9].map((month) => {
    const [since, until] = [Date.UTC(2026, month), Date.UTC(2026, month + 1)];
    const part = `history_2026${String(month + 1).padStart(2, '0')}01_2026${String(month + 2).padStart(2, '0')}01`;
    return `CREATE TABLE IF NOT EXISTS ${part} PARTITION OF history FOR VALUES FROM (${since}) TO (${until});`;
  });
  if (from === 0) await cluster.sql(partitions.join('\n'), name);
  await cluster.sql(
    `INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, status, response, duration)
     SELECT 1, 1, ${at}, 'POST', '/api/v1/voice/call', ${id}, ${number},
       '{"id":"' || ${id} || '","direction":"inbound","status":"ringing","from":"' || ${number} || '"}', 200,
       '{"result":"' || repeat('x', 48) || '"}', 1.5
     FROM generate_series(${from}::bigint, ${to - 1}::bigint) AS n;
     INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, ringing_at,
       answered_at, completed_at, missed)
     SELECT 1, 1, ${id} || '.' || n, 'completed', ${number}, ${number}, ${at}, ${at}, ${at} + 5000,
       ${at} + 90000, false FROM generate_series(${from}::bigint, ${to - 1}::bigint, 3) AS n;
     INSERT INTO history_counts SELECT account_id, created_at / 86400000, 0, count(*) FROM history GROUP BY 1, 2
       ON CONFLICT (account_id, day, shard) DO UPDATE SET entries = excluded.entries;`,
    name,
  );
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Without the tables' indexes but those of keys, which are made anew afterwards: sorted, that takes a fraction. */
async function withoutIndexes(
  cluster: Cluster,
  name: string,
  tables: readonly string[],
  work: () => Promise<void>,
) {
  const indexes = await cluster.sql(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN (${tables.map((table) => `'${table}'`).join()})
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)`,
    name,
  );
  for (const { indexname } of indexes) await cluster.sql(`DROP INDEX ${indexname}`, name);
  await work();
  for (const { indexdef } of indexes)
    await cluster.sql((indexdef as string).replace(' ON ONLY ', ' ON '), name);
}

/**
 * The figures of September's days: counted, and again from what was kept; and those of a day in October when its last
 * hour begins: whole, then of that hour and the one before.
 */
async function reportMs(url: string, stateDir: string) {
  const { storeOf } = await import('../postgres/site.ts');
  const store = await storeOf(stateDir, url);
  const since = Date.UTC(2026, 8, 1);
  const days = Array.from({ length: 30 }, (_, day) => ({
    since: since + day * 86_400_000,
    until: since + (day + 1) * 86_400_000,
  }));
  const once = async (spans: typeof days, now: number) => {
    const began = performance.now();
    await Array.fromAsync(store.reports.figures(1, spans, now));
    return performance.now() - began;
  };
  const [first, again] = [await once(days, Date.now()), await once(days, Date.now())];
  const [day] = days.map((span) => ({ since: span.since + MONTH_MS, until: span.until + MONTH_MS }));
  const evening = (day as Span).since + 23 * HOUR_MS;
  await once([day as Span], evening);
  const lastHours = await once([day as Span], evening);
  const whole = await once([day as Span], Date.now());
  await store.close();
  return { first, again, whole, lastHours };
}
