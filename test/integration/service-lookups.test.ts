import { lookupTests } from './service-lookups.ts';

lookupTests('sqlite', async () => null);
