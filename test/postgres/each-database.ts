import { after, before, type TestContext, test } from 'node:test';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import { type Cluster, postgresImpossible, startCluster } from './cluster.ts';

const skip = (await postgresImpossible()) ?? false;
let cluster: Cluster;
// Not in the first test that needs it: what awaits another test's promise counts as part of that test.
before(async () => {
  if (!skip) cluster = await startCluster();
});
after(() => cluster?.remove());

type Body = (t: TestContext, database: DatabaseSettings) => Promise<void>;

/** A test that runs twice: on SQLite (`database` is null) and on an empty PostgreSQL database. */
export function testOnEachDatabase(name: string, body: Body): void {
  test(`${name} (SQLite)`, (t) => body(t, null));
  testOnPostgres(name, body);
}

export function testOnPostgres(name: string, body: Body): void {
  test(`${name} (PostgreSQL)`, { skip }, async (t) => {
    await body(t, { url: await cluster.database(), listenUrl: undefined, connections: 6 });
  });
}
