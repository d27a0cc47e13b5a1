import { join } from 'node:path';
import { Client } from 'pg';
import { makeKeys } from '../../../src/service/accounts/keys.ts';
import { serverSecret } from '../../../src/service/accounts/server-secret.ts';
import { firstAccount } from '../../../src/service/accounts/setup.ts';
import { customer } from '../../../src/service/store/customer.fixture.ts';
import { type DatabaseSettings, openStore } from '../../../src/service/store/open-store.ts';
import { openForWriting } from '../../../src/service/store/sqlite/open.ts';
import type { Store } from '../../../src/service/store/store.ts';

/** Makes a state folder, and in a new database the first account, as the service's first start does. */
async function prepared(
  stateDir: string,
  work: (store: Store) => Promise<void>,
  database: DatabaseSettings = null,
) {
  const store = await openStore({ stateDir, database, retention: {} }, makeKeys(serverSecret(stateDir)));
  await firstAccount(store, 'DE', 0);
  await work(store);
  await store.close();
}

export const numberOf = (index: number) => `+4930${1_000_000 + index}`;
export const callIdOf = (index: number) => `pbx-1763${String(index).padStart(6, '0')}.${index % 97}`;

/** `count` customers in two segments, one number each. */
export function fillCustomers(stateDir: string, count: number, database?: DatabaseSettings): Promise<void> {
  const put = async ({ customers }: Store) => {
    await customers.putSegment(1, { name: 'VIP', priority: 10 });
    await customers.putSegment(1, { name: 'Regular', priority: 1 });
    for (let start = 0; start < count; start += 1000) {
      const batch = Array.from({ length: Math.min(1000, count - start) }, (_, index) => {
        const n = start + index;
        const segment = n % 10 === 0 ? 'VIP' : 'Regular';
        return customer({ reference: `${n}`, name: `Customer ${n}`, segment, numbers: [numberOf(n)] });
      });
      await customers.put(1, batch);
    }
  };
  return prepared(stateDir, put, database);
}

/** `rows` entries of history, three for each call, as call events leave them. */
export async function fillHistory(stateDir: string, rows: number): Promise<void> {
  await prepared(stateDir, async () => {});
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  const insert = db.prepare(
    `INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, status, response, duration)
     VALUES (1, 1, ?, 'POST', '/api/v1/voice/call', ?, ?, ?, 200, ?, 1.5)`,
  );
  const response = JSON.stringify({ result: 'x'.repeat(48) });
  const statuses = ['ringing', 'answered', 'completed'];
  for (let start = 0; start < rows; start += 50_000) {
    db.exec('BEGIN');
    for (let n = start; n < Math.min(rows, start + 50_000); n += 1) {
      const id = callIdOf(Math.floor(n / 3));
      const event = { id, direction: 'inbound', status: statuses[n % 3], from: numberOf(n % 9_000_000) };
      insert.run(1_763_600_000_000 + n, id, event.from, JSON.stringify(event), response);
    }
    db.exec('COMMIT');
  }
  db.prepare('INSERT INTO history_counts VALUES (1, ?)').run(rows);
  db.close();
}

const DAY_MS = 86_400_000;

/**
 * `count` calls of the last year on either database, from 7 to 19 h UTC: half a million numbers, forty extensions, five
 * numbers called, every seventh call missed. As events leave them; the history stays empty.
 */
export async function fillCalls(
  stateDir: string,
  count: number,
  database: DatabaseSettings = null,
): Promise<void> {
  await prepared(stateDir, async () => {}, database);
  const { run, end } = database === null ? openSqlite(stateDir) : await openPostgres(database.url);
  const indexes = await run(
    database === null
      ? `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'calls' AND sql > ''`
      : `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = 'calls' AND indexdef NOT LIKE '%UNIQUE%'`,
  );
  // Made afterwards, sorted, they take a fraction of the time.
  for (const { name } of indexes) await run(`DROP INDEX ${name}`);
  await run(
    `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count}) ${insertCalls(count, database === null)}`,
  );
  for (const { sql } of indexes) await run(sql ?? '');
  await run(database === null ? 'ANALYZE' : 'VACUUM ANALYZE calls');
  await end();
}

function insertCalls(count: number, isSqlite: boolean): string {
  const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - 365 * DAY_MS;
  const perDay = Math.ceil(count / 365);
  const [yes, no, big] = isSqlite ? ['1', '0', ''] : ['true', 'false', '::bigint'];
  return `
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at,
      answered_at, completed_at, missed, number_called, missed_where, missed_by, missed_after)
    SELECT 1, 1, 'pbx-' || n, 'completed', number, number,
      CASE WHEN NOT gone THEN '' || (1000 + n % 40) END, at, at, CASE WHEN NOT gone THEN at + 2000 + (n * 97) % 40000 END,
      at + 45000 + (n * 57) % 600000, CASE WHEN gone THEN ${yes} ELSE ${no} END, '+4989123456' || (n % 5),
      CASE WHEN gone THEN CASE n % 3 WHEN 0 THEN 'queue' WHEN 1 THEN 'voicemail' ELSE 'ringing' END END,
      CASE WHEN gone THEN 'caller' END, CASE WHEN gone THEN n % 60 END
    FROM (SELECT n, '+4930' || (1000000 + n${big} * 7919 % 500000) AS number, n % 7 = 0 AS gone,
        ${began}${big} + n / ${perDay} * ${DAY_MS}${big} + 25200000 + n % ${perDay} * 43200000${big} / ${perDay} AS at
      FROM numbers) x`;
}

type Sql = { run(sql: string): Promise<Record<string, string>[]>; end(): Promise<void> };

function openSqlite(stateDir: string): Sql {
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  return {
    run: async (sql) => db.prepare(sql).all() as Record<string, string>[],
    end: async () => db.close(),
  };
}

async function openPostgres(connectionString: string): Promise<Sql> {
  const client = new Client({ connectionString });
  await client.connect();
  return { run: async (sql) => (await client.query(sql)).rows, end: () => client.end() };
}
