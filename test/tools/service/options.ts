import type { ServiceOptions } from '../../../src/service/service.ts';

export const options = (stateDir: string): ServiceOptions => ({
  listen: { host: '127.0.0.1', port: 0 },
  stateDir,
  database: null,
  country: 'DE',
  retention: {},
  requestsPerMinute: null,
  trustedProxies: [],
  hosts: [],
});
