import { describe } from 'node:test';
import { freshDatabase, withoutPostgres } from '../tools/servers/each-database.ts';
import { limitTests } from './service-limits.ts';

describe('limits on a real PostgreSQL', { skip: withoutPostgres }, () => {
  limitTests('postgres', () => freshDatabase(8));
});
