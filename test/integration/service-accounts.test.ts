import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { accountTests } from './service-accounts.ts';

accountTests('sqlite', async (_t, stateDir) => ({
  database: null,
  async sql(text) {
    using db = new DatabaseSync(join(stateDir(), 'service.db'), { timeout: 10_000 });
    db.exec(text);
  },
}));
