import { after, before, describe } from 'node:test';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { accountTests } from './service-accounts.ts';

const skip = (await postgresImpossible()) ?? false;

describe('accounts on a real PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  accountTests('postgres', async () => {
    const url = await cluster.database();
    return {
      database: { url, listenUrl: undefined, connections: 8 },
      sql: (text) => cluster.sql(text, new URL(url).pathname.slice(1)),
    };
  });
});
