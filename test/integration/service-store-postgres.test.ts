import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/service/store/postgres/postgres-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { storeConformance } from './service-store-conformance.ts';
import { askAboutDeliveries, fillBacklog } from './webhook-backlog.ts';

const skip = (await postgresImpossible()) ?? false;

describe('the store on a real PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
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

  test('an event finds its call by the index of its id, in plans from before the first call, too', async (t) => {
    const url = await cluster.database();
    const open = () => openPostgresStore({ url, connections: 8, secretMark: 'x' });
    await (await open()).close(); // makes the tables
    /** The server counts what a connection did at its end, which `close` does not wait for. */
    const counted = async () => {
      const left = `SELECT FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`;
      while ((await cluster.sql(left)).length > 0) await new Promise((next) => setTimeout(next, 10));
    };
    const scans = async () => {
      const sql = `SELECT relname AS name, seq_scan::integer AS scans FROM pg_stat_user_tables
         WHERE relname IN ('calls', 'customer_numbers')
       UNION ALL SELECT indexrelname, idx_scan::integer FROM pg_stat_user_indexes
         WHERE relname = 'calls' AND indexrelname NOT IN ('calls_pkey', 'calls_by_id') ORDER BY 1`;
      return cluster.sql(sql, new URL(url).pathname.slice(1));
    };
    await counted();
    const before = await scans();
    const store = await open();
    t.after(() => store.close());
    for (let n = 0; n < 20; n += 1) {
      // The server plans anew, for tables of one page.
      if (n === 5) await cluster.sql('ANALYZE calls, customer_numbers', new URL(url).pathname.slice(1));
      for (const status of ['ringing', 'answered', 'completed'] as const)
        await store.requests.record({
          ...{
            account: 1,
            integration: 1,
            at: 5,
            began: 0,
            method: 'POST',
            path: '/',
            request: '',
            status: 200,
          },
          ...{ response: null, callId: `${n}`, fromNumber: null },
          event: { id: `${n}`, status, from: '110', number: '110', callerId: null },
        });
    }
    await store.close();
    await counted();
    assert.deepEqual(await scans(), before);
  });

  test('missed callers are found by the missed calls of the span, however many calls are over', async (t) => {
    const url = await cluster.database();
    const name = new URL(url).pathname.slice(1);
    const open = () => openPostgresStore({ url, connections: 8, secretMark: 'x' });
    await (await open()).close(); // makes the tables
    await cluster.sql(
      `INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, completed_at, missed)
         SELECT 1, 1, n, 'completed', '', '+4930' || n % 20000, n, n + 5, n % 10 = 0 FROM generate_series(1, 60000) n`,
      name,
    );
    await cluster.sql('VACUUM ANALYZE calls', name);
    const read = async () => {
      const [row] = await cluster.sql(
        `SELECT seq_scan::int AS scans, (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes WHERE relname = 'calls') AS entries
           FROM pg_stat_user_tables WHERE relname = 'calls'`,
        name,
      );
      return row as { scans: number; entries: number };
    };
    const before = await read();
    const store = await open();
    t.after(() => store.close());
    assert.equal((await store.callers.missedCallers(1, 59_000)).length, 101);
    await store.close();
    // The server counts what a connection did at its end.
    let after = before;
    while (after.entries === before.entries) after = await read();
    assert.equal(after.scans, before.scans);
    assert.ok(after.entries - before.entries < 2000, `${after.entries - before.entries} of the indexes`);
  });

  test('with 25,000 deliveries in each of ten webhooks, nothing that is asked about them scans the table', async () => {
    const url = await cluster.database();
    const database = new URL(url).pathname.slice(1);
    const now = Date.UTC(2026, 10, 24);
    const open = () => openPostgresStore({ url, connections: 2, secretMark: 'x' });
    const store = await open();
    await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
    await store.directory.addIntegration({ uid: 'i', account: 1, name: 'I', createdAt: 0 });
    const backlog = await fillBacklog(store.webhooks, (sql) => cluster.sql(sql, database), now);
    assert.equal(await store.webhooks.waiting(null), 3 * 25_002);
    await store.close();
    /** The server counts what a connection did at its end, which `close` does not wait for. */
    const scans = async () => {
      const left = `SELECT FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()
        AND backend_type <> 'autovacuum worker'`;
      while ((await cluster.sql(left)).length > 0) await new Promise((next) => setTimeout(next, 10));
      const sql = `SELECT seq_scan::integer AS scans FROM pg_stat_user_tables WHERE relname = 'webhook_deliveries'`;
      return (await cluster.sql(sql, database))[0]?.scans;
    };
    // With and without the server's statistics of the table.
    for (const prepare of ['VACUUM webhook_deliveries', 'VACUUM ANALYZE']) {
      await cluster.sql(prepare, database);
      const before = await scans();
      const asking = await open();
      await askAboutDeliveries(asking.webhooks, backlog, now);
      await asking.close();
      assert.equal(await scans(), before, prepare);
    }
  });

  test('figures of a day are not counted past a transaction that moves one of its calls', async (t) => {
    const url = await cluster.database();
    const store = await openPostgresStore({ url, connections: 8, secretMark: 'x' });
    const other = new Client({ connectionString: url });
    t.after(() => Promise.all([store.close(), other.end()]));
    await store.requests.record({
      ...{ account: 1, integration: 1, at: 5, began: 0, method: 'POST', path: '/', request: '', status: 200 },
      ...{ response: null, callId: 'a', fromNumber: null },
      event: { id: 'a', status: 'ringing', from: '110', number: '110', callerId: null },
    });
    await other.connect();
    await other.query('BEGIN');
    // As one statement of recorder.ts does, whose snapshot is older than what follows.
    await other.query(
      `WITH gone AS (DELETE FROM kept_figures) UPDATE calls SET status = 'completed', completed_at = 9, missed = true`,
    );
    const missed = async () => {
      const day = { since: 0, until: DAY_MS };
      return (await Array.fromAsync(store.reports.figures(1, [day], DAY_MS)))[0]?.all.missed;
    };
    const asked = missed();
    const waits = async () => {
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted';
      while ((await cluster.sql(waiting)).length === 0) await new Promise((next) => setTimeout(next, 10));
    };
    await Promise.race([asked, waits()]);
    await other.query('COMMIT');
    assert.deepEqual([await asked, await missed()], [1, 1]);
  });
});
