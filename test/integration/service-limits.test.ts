import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { limitTests } from './service-limits.ts';

limitTests('sqlite', async (_t, stateDir) => ({
  settings: null,
  async sql(text) {
    using db = new DatabaseSync(join(stateDir(), 'service.db'), { timeout: 10_000 });
    db.exec(text);
  },
}));
