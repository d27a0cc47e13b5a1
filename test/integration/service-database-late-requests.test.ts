import { after, before, describe } from 'node:test';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import { steps } from '../../src/service/store/postgres/migrations.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { lateRequestTests } from './service-late-requests.ts';
import { upgradeTests } from './service-upgrade-removed.ts';

const skip = (await postgresImpossible()) ?? false;

describe('late requests on a real PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  lateRequestTests('postgres', async () => {
    const url = await cluster.database();
    return {
      settings: { url, listenUrl: undefined, connections: 8 },
      sql: (text) => cluster.sql(text, new URL(url).pathname.slice(1)),
    };
  });

  upgradeTests('postgres', async (_t, rows) => {
    const url = await cluster.database();
    const sql = (text: string) => cluster.sql(text, new URL(url).pathname.slice(1));
    const released = () => openPostgresStore({ url, connections: 2, secretMark: 'x' }, steps.slice(0, 1));
    await (await released()).close();
    await sql(rows('1, 0, 0, 1 UNION ALL SELECT 5, 0, 0, 1'));
    await sql("SELECT setval('accounts_id_seq', 6), setval('calls_id_seq', 6)");
    return {
      sql,
      open: () => openPostgresStore({ url, connections: 2, secretMark: 'x' }),
      goBack: async () => (await released()).close(),
    };
  });
});
