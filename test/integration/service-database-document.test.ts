import { after, before, describe } from 'node:test';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { documentSuite } from './service-document-suite.ts';

describe('on a real PostgreSQL', { skip: (await postgresImpossible()) ?? false }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  documentSuite('the document, sentence by sentence', async () => ({
    url: await cluster.database(),
    listenUrl: undefined,
    connections: 8,
  }));
});
