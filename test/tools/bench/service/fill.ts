import { join } from 'node:path';
import { firstAccount } from '../../../../src/service/accounts/directory.ts';
import { createKeys, serverSecret } from '../../../../src/service/accounts/keys.ts';
import { type DatabaseSettings, openStore } from '../../../../src/service/database/open-store.ts';
import type { Store } from '../../../../src/service/database/store.ts';
import { customer } from '../../../../src/service/people/customer.fixture.ts';
import { openForWriting } from '../../../../src/service/store/sqlite/open.ts';

/** Makes a state folder, and in a new database the first account, as the service's first start does. */
async function prepared(
  stateDir: string,
  work: (store: Store) => Promise<void>,
  database: DatabaseSettings = null,
) {
  const store = await openStore({ stateDir, database, retention: {} }, createKeys(serverSecret(stateDir)));
  await firstAccount(store, 'DE', 0);
  await work(store);
  await store.close();
}

export const numberOf = (index: number) => `+4930${1_000_000 + index}`;

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

const DAY_MS = 86_400_000;

/**
 * `count` calls of the last year on SQLite, from 7 to 19 h UTC: half a million numbers, forty extensions, five
 * numbers called, every seventh call missed. As events leave them; the history stays empty.
 */
export async function fillCalls(stateDir: string, count: number): Promise<void> {
  await prepared(stateDir, async () => {});
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  const made = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'calls' AND sql > ''";
  const indexes = db.prepare(made).all() as { name: string; sql: string }[];
  // Made afterwards, sorted, they take a fraction of the time.
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  db.exec(
    `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count}) ${insertCalls(count)}`,
  );
  for (const { sql } of indexes) db.exec(sql);
  db.exec('ANALYZE');
  db.close();
}

function insertCalls(count: number): string {
  const began = Math.floor(Date.now() / DAY_MS) * DAY_MS - 365 * DAY_MS;
  const perDay = Math.ceil(count / 365);
  return `
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at,
      answered_at, completed_at, missed, number_called, missed_where, missed_by, missed_after)
    SELECT 1, 1, 'pbx-' || n, 'completed', number, number,
      CASE WHEN NOT gone THEN '' || (1000 + n % 40) END, at, at, CASE WHEN NOT gone THEN at + 2000 + (n * 97) % 40000 END,
      at + 45000 + (n * 57) % 600000, CASE WHEN gone THEN 1 ELSE 0 END, '+4989123456' || (n % 5),
      CASE WHEN gone THEN CASE n % 3 WHEN 0 THEN 'queue' WHEN 1 THEN 'voicemail' ELSE 'ringing' END END,
      CASE WHEN gone THEN 'caller' END, CASE WHEN gone THEN n % 60 END
    FROM (SELECT n, '+4930' || (1000000 + n * 7919 % 500000) AS number, n % 7 = 0 AS gone,
        ${began} + n / ${perDay} * ${DAY_MS} + 25200000 + n % ${perDay} * 43200000 / ${perDay} AS at
      FROM numbers) x`;
}
