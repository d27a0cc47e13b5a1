import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { startService } from '../../src/service/service.ts';
import { openDatabase } from '../../src/service/store/postgres/database.ts';
import { migrate, steps } from '../../src/service/store/postgres/migrations.ts';
import { findPrimary } from '../../src/service/store/postgres/primary.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { stateFolder } from '../tools/service/harness.ts';
import { options } from '../tools/service/options.ts';
import { statementsOf, textOf, without, writtenOtherwise } from './released.ts';
import { goesOn } from './service-goes-on.ts';
import { valueFromJson } from './statements.ts';

const skip = (await postgresImpossible()) ?? false;
const release = '1.0.0';
/** How many of the steps it had. */
const asReleased = steps.slice(0, 1);
/** What differs on another server, which counts its transactions and changes otherwise: events of webhooks are found by them. */
const ofTheServer = /^(calls\.changed|directory\.version|webhook_reader\.place|webhook_deliveries\..*)$/;

describe('the database of the service on PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  /** Sends statements to a database, or what it holds. */
  async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
  async function restored(): Promise<string> {
    const url = await cluster.database();
    await withClient(url, (client) => client.query(textOf(release, 'service-postgres.sql')));
    return url;
  }
  async function bringUpToDate(url: string, known = steps): Promise<void> {
    const database = openDatabase(findPrimary([url]), 1);
    await migrate(database, known).finally(database.close);
  }
  const columnsIn = (url: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ table: string; columns: string[] }>(
        `SELECT c.relname AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'written_by' GROUP BY 1`,
      );
      return new Map(rows.map(({ table, columns }) => [table, columns]));
    });
  const rowsIn = (url: string, columns: ReadonlyMap<string, readonly string[]>) =>
    withClient(url, async (client) => {
      const all: Record<string, unknown[]> = {};
      for (const [table, names] of columns) {
        const order = names.map((_, at) => at + 1).join();
        all[table] = (await client.query(`SELECT ${names.join()} FROM ${table} ORDER BY ${order}`)).rows;
      }
      return all;
    });

  test(`of ${release} is brought up to date with every row as before, and ${release} opens it then`, async () => {
    const url = await restored();
    const columns = without(await columnsIn(url), writtenOtherwise);
    const rows = await rowsIn(url, columns);
    for (const [table, { length }] of Object.entries(rows)) assert.ok(length > 0, `${table} has rows`);
    for (const known of [steps, asReleased, steps]) await bringUpToDate(url, known);
    assert.deepEqual(await rowsIn(url, columns), rows);
  });

  test(`what ${release} did to it, it can do to a database of today, which then holds the same`, async (t) => {
    const released = await restored();
    const url = await cluster.database();
    await bringUpToDate(url);
    const connections = new Map<string, Client>();
    t.after(() => Promise.all([...connections.values()].map((client) => client.end())));
    for (const [name, sql, values] of statementsOf(release, 'service-postgres')) {
      const client = connections.get(name) ?? new Client({ connectionString: url });
      if (!connections.has(name)) await client.connect();
      connections.set(name, client);
      const given = values.length === 0 ? {} : { values: values.map(valueFromJson) };
      await client.query({ text: sql, ...given }).catch((error) => {
        throw new Error(`${sql} ${JSON.stringify(values)}`, { cause: error });
      });
    }
    const columns = without(await columnsIn(released), writtenOtherwise, ofTheServer);
    assert.deepEqual(await rowsIn(url, columns), await rowsIn(released, columns));
  });

  test(`a service on the data of ${release} goes on with all of it`, async (t) => {
    const stateDir = stateFolder(t);
    const secret = textOf(release, 'service-postgres.secret');
    writeFileSync(join(stateDir, 'service-secret'), secret, { mode: 0o600 });
    const database = { url: await restored(), listenUrl: undefined, connections: 4 };
    const service = await startService({ ...options(stateDir), database }, { log: silentLog });
    t.after(() => service.stop());
    await goesOn(service.url, JSON.parse(textOf(release, 'service-postgres.json')));
  });
});
