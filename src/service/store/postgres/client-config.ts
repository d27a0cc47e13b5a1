import { type ClientConfig, types } from 'pg';

const CONNECT_MS = 5_000;
const INT8 = 20;

/** How a client is made, whatever it is for. Whole numbers stay numbers: all of ours fit in 53 bits. */
export function clientConfig(address: string): ClientConfig {
  return {
    connectionString: address,
    application_name: 'pbx-bridge service',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format as 'text'),
    } as typeof types,
  };
}
