import { pairTests } from './service-pairs.ts';

pairTests('sqlite', async () => null);
