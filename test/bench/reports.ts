import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { silentLog } from '../../src/log/log.ts';
import { makeKeys } from '../../src/service/accounts/keys.ts';
import { serverSecret } from '../../src/service/accounts/server-secret.ts';
import { openStore } from '../../src/service/store/open-store.ts';
import { openForWriting } from '../../src/service/store/sqlite/open.ts';
import { startService } from '../../src/service.ts';
import { person, visitor } from '../integration/people.ts';
import { callers, options } from '../integration/service-harness.ts';
import { postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { median, print } from './compare.ts';

/**
 * The pages of reports and the call list over a year of calls of one account, on both databases. Each page three times:
 * the first counts what was never counted, the others find it kept.
 * Smaller: `node test/bench/reports.ts --only sqlite --calls 500000`.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'sqlite,postgres' },
    calls: { type: 'string', default: '5000000' },
  },
});
const count = Number(flags.calls);
const perDay = Math.ceil(count / 365);
const DAY_MS = 86_400_000;
const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - 365 * DAY_MS;

/**
 * Calls from 7 to 19 h UTC as SQL of both databases, `n` from 0: half a million numbers, every tenth of them a
 * customer's, forty extensions, five numbers called, every seventh call missed.
 */
const columns = `account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at, answered_at, completed_at, missed, number_called, missed_where,
  missed_by, missed_after`;
const calls = (yes: string, no: string) => `
  SELECT 1, 1, 'pbx-' || n, 'completed', number, number,
    CASE WHEN NOT gone THEN '' || (1000 + n % 40) END, at, at, CASE WHEN NOT gone THEN at + 2000 + (n * 97) % 40000 END,
    at + 45000 + (n * 57) % 600000, CASE WHEN gone THEN ${yes} ELSE ${no} END, '+4989123456' || (n % 5),
    CASE WHEN gone THEN CASE n % 3 WHEN 0 THEN 'queue' WHEN 1 THEN 'voicemail' ELSE 'ringing' END END,
    CASE WHEN gone THEN 'caller' END, CASE WHEN gone THEN n % 60 END
  FROM (SELECT n, '+4930' || (1000000 + n * 7919 % 500000) AS number, n % 7 = 0 AS gone,
      ${began} + n / ${perDay} * ${DAY_MS} + 25200000 + n % ${perDay} * 43200000 / ${perDay} AS at FROM numbers) x`;

const folder = mkdtempSync(join(tmpdir(), 'bench-reports-'));
try {
  if (flags.only.includes('sqlite')) await measured('SQLite', null, fillSqlite);
  if (flags.only.includes('postgres')) {
    const impossible = await postgresImpossible();
    if (impossible !== undefined) throw new Error(impossible);
    const cluster = await startCluster({
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      maintenance_work_mem: '512MB',
    });
    try {
      const url = await cluster.database();
      await measured('PostgreSQL', url, () => fillPostgres(url));
    } finally {
      await cluster.remove();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function fillSqlite(stateDir: string): void {
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  const indexes = db
    .prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'calls' AND sql > ''`)
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  db.exec(`WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})
    INSERT INTO calls (${columns}) ${calls('1', '0')}`);
  for (const { sql } of indexes) db.exec(sql as string);
  db.exec('ANALYZE');
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = 'calls' AND indexdef NOT LIKE '%UNIQUE%'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await client.query(
    `WITH numbers AS (SELECT n FROM generate_series(0::bigint, ${count - 1}) AS n) INSERT INTO calls (${columns}) ${calls('true', 'false')}`,
  );
  for (const { sql } of rows) await client.query(sql);
  await client.query('VACUUM ANALYZE calls');
  await client.end();
}

async function measured(
  name: string,
  url: string | null,
  fill: (stateDir: string) => void | Promise<void>,
): Promise<void> {
  const stateDir = join(folder, name);
  const database = url === null ? null : { url, listenUrl: undefined, connections: 8 };
  const start = () => startService({ ...options(stateDir), database }, { log: silentLog });
  await (await start()).stop(); // makes the tables and the first account
  const filling = performance.now();
  await fill(stateDir);
  const known = await openStore({ stateDir, database, retention: {} }, makeKeys(serverSecret(stateDir)));
  await known.customers.putSegment(1, { name: 'VIP', priority: 10 });
  for (let first = 0; first < 500_000; first += 10_000)
    await known.customers.put(
      1,
      Array.from({ length: 1000 }, (_, n) => {
        const reference = `${first + n * 10}`;
        const numbers = [`+4930${1_000_000 + first + n * 10}`];
        return { reference, name: `Customer ${reference}`, segment: 'VIP', numbers };
      }),
    );
  await known.close();
  print(`${name}: ${count} calls of a year filled in ${Math.round((performance.now() - filling) / 1000)} s`);
  const service = await start();
  try {
    const served = { ...callers(service.url), stateDir, database };
    await person(served, { name: 'Bench', account: 'Main', role: 'administrator' });
    const { cookie } = await visitor(served, 'Bench');
    for (const [what, path] of pages()) {
      const times: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const at = performance.now();
        const { status, text } = await served.ask(`${service.url}${path}`, { headers: { cookie } });
        if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
        times.push(performance.now() - at);
      }
      const [first = 0, ...again] = times;
      print(
        `  ${what.padEnd(44)} first ${first.toFixed(0).padStart(6)} ms, again ${median(again).toFixed(0).padStart(6)} ms`,
      );
    }
  } finally {
    await service.stop();
  }
}

function pages(): (readonly [string, string])[] {
  const day = (ago: number) =>
    new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - ago * DAY_MS).toISOString().slice(0, 10);
  const [week, month, year] = [
    `from=${day(7)}&to=${day(1)}`,
    `from=${day(30)}&to=${day(1)}`,
    `from=${day(365)}&to=${day(1)}`,
  ];
  const one = `from=${day(3)}&to=${day(3)}`;
  const number = (n: number) => encodeURIComponent(`+4930${1_000_000 + ((n * 7919) % 500_000)}`);
  return [
    ['report: a day', `/reports?${one}`],
    ['report: a day, segment', `/reports?${one}&of=segment:VIP`],
    ['report: seven days', `/reports?${week}`],
    ['report: a month', `/reports?${month}`],
    ['report: a month, answered by one', `/reports?${month}&of=answered:1001`],
    ['report: a month, number called', `/reports?${month}&of=called:%2B49891234561`],
    ['report: a year', `/reports?${year}`],
    ['report: a year, number called', `/reports?${year}&of=called:%2B49891234561`],
    ['report: the week', '/reports/week'],
    ['calls', '/calls'],
    ['calls of a day in autumn', `/calls?from=${day(60)}&to=${day(60)}`],
    ['calls missed', '/calls?outcome=missed'],
    [
      'calls of an hour, missed (from a bar)',
      `/calls?outcome=missed&from=${day(30)}T09:00&to=${day(30)}T10:00`,
    ],
    ['calls missed within 5 s', '/calls?outcome=short'],
    ['calls missed in the queue, a month', `/calls?place=queue&${month}`],
    ['calls for a number called', '/calls?called=%2B49891234561'],
    ['calls of an extension', '/calls?extension=1001'],
    ['calls of two extensions', '/calls?extension=1001|1002'],
    ['calls of a segment', '/calls?segment=VIP'],
    ['calls from a number', `/calls?q=${number(7)}`],
    ['calls of a part of a name', '/calls?q=customer+49990'],
    ['calls of a name that no call has', '/calls?q=nobody+here'],
    ['calls of a customer', '/calls?customer=79190'],
    ['calls of a customer by the whole name', '/calls?q=customer+79190'],
    ['dashboard', '/'],
    ['call details', '/calls/details?id=pbx-7'],
  ];
}
