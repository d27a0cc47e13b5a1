import { describe } from 'node:test';
import { freshDatabase, withoutPostgres } from '../tools/servers/each-database.ts';
import { lookupTests } from './service-lookups.ts';

describe('lookups on a real PostgreSQL', { skip: withoutPostgres }, () => {
  lookupTests('postgres', async () => (await freshDatabase(8)).settings);
});
