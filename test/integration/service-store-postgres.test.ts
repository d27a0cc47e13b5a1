import { after, before, describe } from 'node:test';
import { openPostgresStore } from '../../src/service/store/postgres/postgres-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { storeConformance } from './service-store-conformance.ts';

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
      return { store, reopen };
    },
    // Retention by age drops whole days.
    { ageStepMs: DAY_MS },
  );
});
