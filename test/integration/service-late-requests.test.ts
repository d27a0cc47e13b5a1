import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lateRequestTests } from './service-late-requests.ts';

lateRequestTests('sqlite', async (_t, stateDir) => ({
  settings: null,
  async sql(text) {
    using db = new DatabaseSync(join(stateDir(), 'service.db'), { readOnly: true });
    return db.prepare(text).all();
  },
}));
