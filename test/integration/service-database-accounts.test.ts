import { describe } from 'node:test';
import { freshDatabase, withoutPostgres } from '../tools/servers/each-database.ts';
import { accountTests } from './service-accounts.ts';

describe('accounts on a real PostgreSQL', { skip: withoutPostgres }, () => {
  accountTests('postgres', async () => {
    const { settings: database, sql } = await freshDatabase(8);
    return { database, sql };
  });
});
