import { describe } from 'node:test';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import { steps } from '../../src/service/store/postgres/migrations.ts';
import { freshDatabase, withoutPostgres } from '../tools/servers/each-database.ts';
import { lateRequestTests } from './service-late-requests.ts';
import { upgradeTests } from './service-upgrade-removed.ts';

describe('late requests on a real PostgreSQL', { skip: withoutPostgres }, () => {
  lateRequestTests('postgres', () => freshDatabase(8));

  upgradeTests('postgres', async (_t, rows) => {
    const { sql, settings } = await freshDatabase(2);
    const { url } = settings;
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
