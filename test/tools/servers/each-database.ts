import { after, before, type TestContext, test } from 'node:test';
import type { DatabaseSettings } from '../../../src/service/database/open-store.ts';
import { type Cluster, postgresImpossible, startCluster } from './cluster.ts';

/** Why there is no PostgreSQL here; false if there is one. */
export const withoutPostgres = (await postgresImpossible()) ?? false;
let cluster: Cluster;
// Not in the first test that needs it: what awaits another test's promise counts as part of that test.
before(async () => {
  if (!withoutPostgres) cluster = await startCluster();
});
after(() => cluster?.remove());

type Body = (t: TestContext, database: DatabaseSettings) => Promise<void>;

/** An empty PostgreSQL database, and SQL on it from outside of the service. */
export async function freshDatabase(connections: number) {
  const url = await cluster.database();
  return {
    settings: { url, listenUrl: undefined, connections },
    sql: (text: string) => cluster.sql(text, new URL(url).pathname.slice(1)),
  };
}

/** A test that runs twice: on SQLite (`database` is null) and on an empty PostgreSQL database. */
export function testOnEachDatabase(name: string, body: Body): void {
  test(`${name} (SQLite)`, (t) => body(t, null));
  testOnPostgres(name, body);
}

export function testOnPostgres(name: string, body: Body): void {
  test(`${name} (PostgreSQL)`, { skip: withoutPostgres }, async (t) => {
    await body(t, (await freshDatabase(6)).settings);
  });
}
