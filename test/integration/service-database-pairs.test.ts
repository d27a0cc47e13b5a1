import { describe } from 'node:test';
import { freshDatabase, withoutPostgres } from '../tools/servers/each-database.ts';
import { pairTests } from './service-pairs.ts';

describe('two at the same moment, on a real PostgreSQL', { skip: withoutPostgres }, () => {
  pairTests('postgres', async () => (await freshDatabase(8)).settings);
});
