import { join } from 'node:path';
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
/** The first call of fillCalls; the calls of a year and a half follow, or as many as are asked for. */
const FIRST_CALL = Date.UTC(2024, 0, 1);
const PER_DAY = 5000;

/**
 * `count` calls, 5000 a day between 7 and 19 h UTC: half a million numbers, forty extensions, every seventh missed. As events leave them; the history stays empty.
 */
export async function fillCalls(stateDir: string, count: number): Promise<void> {
  await prepared(stateDir, async () => {});
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  // Made afterwards, sorted, they take a fraction of the time.
  const indexes = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'calls' AND sql IS NOT NULL",
    )
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  const insert = db.prepare(
    `INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, caller_id, started_at, ringing_at, answered_at, completed_at, missed)
     VALUES (1, 1, ?, 'completed', ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let start = 0; start < count; start += 50_000) {
    db.exec('BEGIN');
    for (let n = start; n < Math.min(count, start + 50_000); n += 1) {
      const at = callTime(n);
      const caller = (n * 7919) % 500_000;
      const missed = n % 7 === 0;
      const answeredAt = at + 2000 + ((n * 104_729) % 40_000);
      const end = missed
        ? at + 5000 + ((n * 15_485) % 60_000)
        : answeredAt + 20_000 + ((n * 32_452) % 900_000);
      insert.run(
        `pbx-${n}.${n % 97}`,
        numberOf(caller),
        numberOf(caller),
        missed ? null : `${1000 + (n % 40)}`,
        at,
        at,
        missed ? null : answeredAt,
        end,
        Number(missed),
      );
    }
    db.exec('COMMIT');
  }
  for (const { sql } of indexes) db.exec(sql as string);
  db.close();
}

/** When the nth call of fillCalls began. */
export function callTime(n: number): number {
  return (
    FIRST_CALL + Math.floor(n / PER_DAY) * DAY_MS + 7 * 3_600_000 + ((n % PER_DAY) * 12 * 3_600_000) / PER_DAY
  );
}
