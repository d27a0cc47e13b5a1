import { after, before, describe } from 'node:test';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { pairTests } from './service-pairs.ts';

const skip = (await postgresImpossible()) ?? false;

describe('two at the same moment, on a real PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  pairTests('postgres', async () => ({
    url: await cluster.database(),
    listenUrl: undefined,
    connections: 8,
  }));
});
