import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { firstAccount } from '../../src/service/accounts/directory.ts';
import { closeCall } from '../../src/service/activity/close-call.ts';
import type { CallRecord } from '../../src/service/calls/call-record.ts';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { openDatabase } from '../../src/service/store/postgres/database.ts';
import { addressesOf, findPrimary } from '../../src/service/store/postgres/primary.ts';
import { callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { report } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';
import { storeConformance } from './service-store-conformance.ts';

const skip = (await postgresImpossible()) ?? false;

describe('the store on a real PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    // The time zone of the server does not matter; nor does its clock: most tests are in 1970.
    cluster = await startCluster({ timezone: 'Pacific/Chatham' });
  });
  after(() => cluster.remove());

  const DAY_MS = 86_400_000;
  storeConformance(
    'postgres',
    async (t) => {
      const url = await cluster.database();
      const open = () => openPostgresStore({ url, connections: 8, keptMs: 90 * DAY_MS, secretMark: 'x' });
      let store: Store = await open();
      t.after(() => store.close());
      const reopen = async () => {
        await store.close();
        store = await open();
        return store;
      };
      const database = new URL(url).pathname.slice(1);
      const readColumns = async () => {
        const sql = `SELECT c.relname AS "table", a.attname AS "column" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('text'::regtype, 'bytea'::regtype)`;
        const read = async ({ table, column }: Record<string, unknown>) => {
          const text = `string_agg(CASE WHEN pg_typeof(${column}) = 'bytea'::regtype
            THEN encode(${column}::text::bytea, 'escape') ELSE ${column}::text END, ' ')`;
          const [row] = await cluster.sql(`SELECT ${text} AS "values" FROM ${table}`, database);
          return { table: `${table}`, column: `${column}`, values: `${row?.values}` };
        };
        return Promise.all((await cluster.sql(sql, database)).map(read));
      };
      return { store, reopen, readColumns };
    },
    // Retention by age drops whole days.
    { ageStepMs: DAY_MS },
  );

  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const openIn = (url: string) => openPostgresStore({ url, connections: 8, secretMark: 'x' });
  /** A database with one account and its integration. */
  async function prepared(): Promise<{ url: string; sql(text: string): Promise<Record<string, unknown>[]> }> {
    const url = await cluster.database();
    const store = await openIn(url);
    await firstAccount(store, 'DE', 0);
    await store.close();
    return { url, sql: (text) => cluster.sql(text, nameOf(url)) };
  }
  /** What the server has counted by `sql`; it counts what a connection did at its end, which `close` does not wait for. */
  async function counted(url: string, sql: string) {
    const left = `SELECT state FROM pg_stat_activity WHERE datname = '${nameOf(url)}' AND pid <> pg_backend_pid()
      AND backend_type <> 'autovacuum worker'`;
    const read = () => cluster.sql(left);
    await until('the connections to end', async () => (await read()).length === 0, { state: read });
    return cluster.sql(sql, nameOf(url));
  }

  test('an event finds its call by the index of its id, in plans from before the first call, too', async (t) => {
    const { url, sql } = await prepared();
    const scans = `SELECT relname AS name, seq_scan::integer AS scans FROM pg_stat_user_tables
         WHERE relname IN ('calls', 'customer_numbers')
       UNION ALL SELECT indexrelname, idx_scan::integer FROM pg_stat_user_indexes
         WHERE relname = 'calls' AND indexrelname NOT IN ('calls_pkey', 'calls_by_id') ORDER BY 1`;
    const before = await counted(url, scans);
    const store = await openIn(url);
    t.after(() => store.close());
    for (let n = 0; n < 20; n += 1) {
      // The server plans again, for tables of one page.
      if (n === 5) await sql('ANALYZE calls, customer_numbers');
      for (const status of callStatuses) await report(store, { id: `${n}`, status, from: '110' });
    }
    await store.close();
    assert.deepEqual(await counted(url, scans), before);
  });

  test('a statement that the server ends because it and another wait for each other is sent again', async (t) => {
    const { url, sql } = await prepared();
    await sql('CREATE TABLE pair AS SELECT n FROM generate_series(1, 2) n; GRANT ALL ON pair TO PUBLIC');
    const other = new Client({ connectionString: cluster.url(nameOf(url), 'postgres') });
    const database = openDatabase(findPrimary(addressesOf(url)), 1);
    t.after(() => Promise.all([other.end(), database.close()]));
    await other.connect();
    await other.query("SET deadlock_timeout = '1min'; BEGIN; SELECT FROM pair WHERE n = 1 FOR UPDATE");
    const locked = database.rows('SELECT n FROM pair ORDER BY n DESC FOR UPDATE');
    const waiting = async () => (await cluster.sql('SELECT FROM pg_locks WHERE NOT granted')).length > 0;
    await until('the statement to wait for the first row', waiting);
    await other.query('SELECT FROM pair WHERE n = 2 FOR UPDATE; COMMIT');
    assert.equal((await locked).length, 2);
  });

  test('an event and a lookup have a connection while all that others may have wait for a lock', async (t) => {
    const { url } = await prepared();
    const store = await openIn(url);
    const other = new Client({ connectionString: url });
    t.after(() => Promise.all([store.close(), other.end()]));
    await report(store, { id: 'first', at: 100, from: '110' }); // its partition is there
    await store.customers.putSegment(1, { name: 'VIP', priority: 1 });
    await other.connect();
    await other.query('BEGIN; SELECT FROM segments FOR UPDATE');
    const removals = Array.from({ length: 12 }, () =>
      store.customers.removeSegment(1, 'VIP').catch((error: Error) => error.message),
    );
    const waiting = async () => (await cluster.sql('SELECT FROM pg_locks WHERE NOT granted')).length >= 6;
    await until('the removals to wait for the segment', waiting);
    await report(store, { id: 'second', at: 200, from: '110' });
    assert.equal((await store.customers.whoCalls(1, '110', 0)).name, null);
    await other.query('COMMIT');
    assert.deepEqual((await Promise.all(removals)).toSorted(), [...Array(11).fill(false), true]);
  });

  test('a database whose default is serializable: every statement sees what others have committed before it', async (t) => {
    const { url, sql } = await prepared();
    await sql(`ALTER DATABASE ${nameOf(url)} SET default_transaction_isolation = serializable`);
    const database = openDatabase(findPrimary(addressesOf(url)), 1);
    t.after(() => database.close());
    const ask = "SELECT current_setting('transaction_isolation') AS level";
    const levels = [
      await database.rows(ask),
      await database.prepared(ask),
      await database.transaction(({ rows }) => rows(ask)),
    ];
    assert.deepEqual(levels.flat(), Array(3).fill({ level: 'read committed' }));
  });

  test('two processes that hear the end of a call at the same moment, which was closed without it, move it once', async (t) => {
    const { url } = await prepared();
    const stores = await Promise.all([openIn(url), openIn(url)]);
    const [store] = stores;
    const other = new Client({ connectionString: url });
    t.after(() => Promise.all([...stores.map((one) => one.close()), other.end()]));
    const call = (await report(store, { id: 'lost', at: 100, from: '110' })) as CallRecord;
    assert.ok(await closeCall({ store, screens: { publish: () => {} } }, 1, call, 200));
    await other.connect();
    await other.query("BEGIN; SELECT FROM calls WHERE call_id = 'lost' FOR UPDATE");
    const ends = stores.map((one, n) =>
      report(one, { id: 'lost', at: 300 + n, status: 'completed', from: '110' }),
    );
    const waiting = async () => (await cluster.sql('SELECT FROM pg_locks WHERE NOT granted')).length >= 2;
    await until('both to have read the call and to wait for it', waiting);
    await other.query('COMMIT');
    const [moved, ...more] = (await Promise.all(ends)).filter((one) => one !== undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(await store.calls.get(1, 'lost'), moved);
  });

  test('figures of a day are not counted past a transaction that moves one of its calls', async (t) => {
    const { url } = await prepared();
    const store = await openIn(url);
    const other = new Client({ connectionString: url });
    t.after(() => Promise.all([store.close(), other.end()]));
    await report(store, { at: 5, from: '110' });
    await other.connect();
    await other.query('BEGIN');
    // As one statement of postgres-recorder.ts does, whose snapshot is older than what follows.
    await other.query(
      `WITH gone AS (DELETE FROM kept_figures) UPDATE calls SET status = 'completed', completed_at = 9, missed = true`,
    );
    const missed = async () => {
      const day = { since: 0, until: DAY_MS };
      return (await Array.fromAsync(store.reports.figures(1, [day], DAY_MS)))[0]?.all.missed;
    };
    const asked = missed();
    const waits = async () => (await cluster.sql('SELECT FROM pg_locks WHERE NOT granted')).length > 0;
    await Promise.race([asked, until('the figures to wait for a lock', waits)]);
    await other.query('COMMIT');
    assert.deepEqual([await asked, await missed()], [1, 1]);
  });
});
