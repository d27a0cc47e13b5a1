import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { newUid } from '../../../src/service/accounts/directory.ts';
import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import { callStatuses } from '../../../src/shared/api/contract/call-status.ts';
import { postgresImpossible, startCluster } from '../servers/cluster.ts';
import { storeOf } from '../servers/site.ts';
import { callers } from '../service/harness.ts';
import { person, visitor } from '../service/people.ts';
import { percentile, print } from './compare.ts';
import { start } from './service/measured.ts';
import { serverCpu } from './service/server-cpu.ts';

/**
 * Two hundred customers: one PostgreSQL with a year of calls of many accounts, and 1, 2 and 4 processes of the service on it, while
 * each account's bridge (a client with its own token) sends events at a steady rate, beside lookups and pages. What each takes, and
 * the CPU time of an event. Sizes by flags; fifty million calls take 30 GB and most of an hour to make.
 * `node test/tools/bench/fleet.ts --calls 50000000 --seconds 60`
 */
const { values: flags } = parseArgs({
  options: {
    accounts: { type: 'string', default: '200' },
    calls: { type: 'string', default: '2000000' },
    events: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '30' },
    processes: { type: 'string', default: '1,2,4' },
  },
});
const [accounts, calls, rate, seconds] = [flags.accounts, flags.calls, flags.events, flags.seconds].map(
  Number,
) as [number, number, number, number];
/** For each event a tenth of a lookup, and for a hundred a page. */
const [LOOKUPS, PAGES] = [0.1, 0.01];
/** Accounts of which somebody looks at pages. */
const READERS = 10;
const DAY_MS = 86_400_000;

const impossible = await postgresImpossible();
if (impossible !== undefined) {
  print(`left out: ${impossible}`);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
const cluster = await startCluster({
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  max_connections: '100',
  maintenance_work_mem: '1GB',
});
try {
  await main();
} finally {
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const url = await cluster.database();
  const tokens = await fill(url);
  const size = await cluster.sql(
    'SELECT pg_database_size(current_database()) AS bytes',
    new URL(url).pathname.slice(1),
  );
  print(
    `${accounts} accounts, ${calls.toLocaleString('en')} calls, ${(Number(size[0]?.bytes) / 1e9).toFixed(1)} GB; ${rate} events/s, ${rate * LOOKUPS} lookups/s, ${rate * PAGES} pages/s for ${seconds} s; ${cpus().length} processors for all of it (load now ${loadavg()[0]?.toFixed(1)})`,
  );
  print(
    '                 events p50, p99    lookups            pages              CPU ms an event: service, database',
  );
  for (const [round, count] of flags.processes.split(',').map(Number).entries())
    await measure(url, { round, count }, tokens);
}

/** Makes the accounts, their customers and calls; gives the tokens of their bridges. */
async function fill(url: string): Promise<string[]> {
  const keys = createKeys(serverSecret(folder));
  const store = await storeOf(folder, url);
  const tokens: string[] = [];
  for (let n = 0; n < accounts; n += 1) {
    const { id } = await store.directory.addAccount({ uid: newUid(), name: `Account ${n}`, country: 'DE' });
    const pbx = { uid: newUid(), account: id, name: 'PBX', createdAt: 0 };
    tokens.push(keys.integrationToken(await store.directory.addIntegration(pbx)));
  }
  await store.close();
  const database = new URL(url).pathname.slice(1);
  const sql = (text: string) => cluster.sql(text, database);
  const made = await sql(
    `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = 'calls' AND indexname <> 'calls_pkey'`,
  );
  // Made afterwards, sorted, they take a fraction of the time.
  for (const { name } of made) await sql(`DROP INDEX ${name}`);
  await sql(`INSERT INTO customers (account_id, reference, name, search)
    SELECT a, n::text, 'Customer ' || n, 'customer ' || n FROM generate_series(1, ${accounts}) a, generate_series(1, 500) n`);
  await sql(`INSERT INTO customer_numbers (account_id, number, customer_id)
    SELECT account_id, '+4930' || (1000000 + reference::int), id FROM customers`);
  const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - 365 * DAY_MS;
  await sql(`INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, caller_id, started_at,
      ringing_at, answered_at, completed_at, missed)
    SELECT 1 + n % ${accounts}, 1 + n % ${accounts}, 'past-' || n, 'completed', number, number,
      CASE WHEN NOT gone THEN (1000 + n % 40)::text END, at, at, CASE WHEN NOT gone THEN at + 20000 END, at + 180000, gone
    FROM (SELECT n, '+4930' || (1000000 + n * 7919 % 5000) AS number, n % 7 = 0 AS gone,
        ${began} + (n::float8 / ${calls} * ${365 * DAY_MS})::bigint AS at
      FROM generate_series(0::bigint, ${calls - 1}) n) x`);
  for (const { sql: index } of made) await sql(String(index));
  await sql('VACUUM ANALYZE');
  return tokens;
}

async function measure(
  url: string,
  { round, count }: { round: number; count: number },
  tokens: readonly string[],
): Promise<void> {
  const beganAt = Date.now();
  const services = await Promise.all(Array.from({ length: count }, () => start('service', folder, url)));
  const readers: { cookie: string; url: string }[] = [];
  for (let n = 0; n < READERS; n += 1) {
    const at = `http://127.0.0.1:${services[n % count]?.port}`;
    const name = `Reader ${round}-${n}`;
    const of = { url: at, stateDir: folder, database: { url, listenUrl: undefined, connections: 4 } };
    await person(of, { name, account: `Account ${n % accounts}`, role: 'administrator' });
    readers.push({ ...(await visitor(callers(at), name)), url: at });
  }
  const agents = services.map(() => new Agent({ connections: 200, pipelining: 1 }));
  const times: Record<'event' | 'lookup' | 'page', number[]> = { event: [], lookup: [], page: [] };
  const failed = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  const ask = (kind: keyof typeof times, process: number, path: string, options: object) => {
    const began = performance.now();
    const port = services[process]?.port;
    const one = request(`http://127.0.0.1:${port}${path}`, {
      dispatcher: agents[process] as Agent,
      ...options,
    })
      .then(async ({ statusCode, body }) => {
        await body.dump();
        if (statusCode !== 200) throw new Error(`${kind} ${statusCode}`);
        times[kind].push(performance.now() - began);
      })
      .catch(({ message }: Error) => void failed.set(message, (failed.get(message) ?? 0) + 1))
      .finally(() => pending.delete(one));
    pending.add(one);
  };
  const cpu = async () => ({
    service: (await Promise.all(services.map((service) => service.cpu()))).reduce(
      (sum, used) => sum + used,
      0,
    ),
    database: serverCpu(cluster),
  });
  let sent = 0;
  const send = () => {
    const n = sent++;
    const bridge = n % accounts;
    const call = Math.floor(n / accounts / 3);
    const from = `+4930${1_000_000 + (n % 700)}`;
    const bearer = { authorization: `Bearer ${tokens[bridge]}`, 'content-type': 'application/json' };
    const body = {
      id: `${round}-${bridge}-${call}`,
      direction: 'inbound',
      status: callStatuses[Math.floor(n / accounts) % 3],
      from,
    };
    const process = bridge % count;
    ask('event', process, '/api/v1/voice/call', {
      method: 'POST',
      headers: bearer,
      body: JSON.stringify(body),
    });
    if (n % (1 / LOOKUPS) === 0)
      ask('lookup', process, `/api/v1/voice/priority?number=${encodeURIComponent(from)}`, {
        headers: bearer,
      });
    if (n % (1 / PAGES) === 0) {
      const index = (n * PAGES) % READERS;
      const path = ['/calls', '/call-back', '/reports', '/customers'][
        Math.floor((n * PAGES) / READERS) % 4
      ] as string;
      ask('page', index % count, path, { headers: { cookie: readers[index]?.cookie } });
    }
  };
  const run = async (ms: number) => {
    const began = performance.now();
    const first = sent;
    for (let passed = 0; passed < ms; passed = performance.now() - began) {
      while (sent - first < (passed / 1_000) * rate) send();
      await sleep(5);
    }
    await Promise.all(pending);
    return sent - first;
  };
  await run(5_000); // warms up
  for (const all of Object.values(times)) all.length = 0;
  failed.clear();
  const before = await cpu();
  const events = await run(seconds * 1_000);
  const after = await cpu();
  const text = (all: number[]) =>
    [50, 99]
      .map((percent) => `${percentile(all, percent).toFixed(1)}`.padStart(7))
      .join(' ')
      .padEnd(18);
  print(
    `  ${count} process${count > 1 ? 'es' : '  '}   ${text(times.event)} ${text(times.lookup)} ${text(times.page)}   ${((after.service - before.service) / events).toFixed(2)}, ${((after.database - before.database) / events).toFixed(2)}   (${events} events, load ${loadavg()[0]?.toFixed(1)})`,
  );
  for (const [what, times] of failed) print(`    not answered: ${what}, ${times} times`);
  const [stored] = await cluster.sql(
    `SELECT sum((SELECT count(*) FROM calls c WHERE c.account_id = a.id AND c.started_at >= ${beganAt}
       AND c.call_id LIKE '${round}-%'))::int AS calls FROM accounts a`,
    new URL(url).pathname.slice(1),
  );
  const expected = Math.ceil(sent / accounts / 3) * accounts;
  if (Number(stored?.calls) > expected || Number(stored?.calls) < expected - accounts)
    throw new Error(`${stored?.calls} calls are stored of ${expected}`);
  await Promise.all(agents.map((agent) => agent.close()));
  await Promise.all(services.map((service) => service.stop()));
}
