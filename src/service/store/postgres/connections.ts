import { Pool, type PoolClient } from 'pg';
import { StoreUnavailable } from '../statements.ts';
import { clientConfig } from './client-config.ts';
import { isRefusal, type Primary, unavailable } from './primary.ts';

type PoolConfig = ConstructorParameters<typeof Pool>[0];

/**
 * Warnings with which a COMMIT says that it gave up waiting for the synchronous standby: it counts on this server, and
 * is lost if the standby takes over. The sender must get an error, so that it sends the event again.
 */
const uncertain = new Set(['01000', '57P01']);
const ALONE = 'the synchronous standby did not confirm in time';

export type Connections = {
  /**
   * Lends a connection to the primary. One that breaks meanwhile is not lent again. Rejects with StoreUnavailable if the
   * server cannot be reached or fails, with its own error if it refuses a statement.
   */
  use<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** At most `most` connections to the primary, which may change. Nothing is connected before the first use. */
export function openConnections(primary: Primary, most: number): Connections {
  const pools = new Map<string, Pool>();
  let closing: Promise<unknown> | undefined;

  function poolOf(address: string): Pool {
    const known = pools.get(address);
    if (known !== undefined) return known;
    const pool = new Pool({ ...clientConfig(address), max: most, pipeline: true } as PoolConfig);
    pool.on('error', () => {}); // an idle connection broke; another is made when it is needed
    // A server may end a connection before the pool hands it out. Its first query reports that.
    pool.on('connect', (client) => client.on('error', () => {}));
    pools.set(address, pool);
    return pool;
  }

  /** If a server refuses the connection, another may have taken over; nothing has been sent yet. */
  async function connect(): Promise<PoolClient> {
    const address = await primary.address();
    return poolOf(address)
      .connect()
      .catch(async (error: Error) => {
        primary.suspect();
        const next = await primary.address();
        if (next === address) throw error;
        return poolOf(next).connect();
      });
  }

  async function use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closing !== undefined) throw new StoreUnavailable('the store is closed');
    const client = await connect().catch((error: Error) => {
      primary.suspect();
      throw unavailable(error);
    });
    let broken: Error | undefined;
    const breaks = (error: Error) => {
      broken = error;
    };
    const warns = (notice: { code?: string | undefined }) => {
      if (notice.code !== undefined && uncertain.has(notice.code)) broken = new StoreUnavailable(ALONE);
    };
    client.on('error', breaks).on('notice', warns);
    try {
      const result = await work(client);
      if (broken !== undefined) throw broken;
      return result;
    } catch (error) {
      const cause = broken ?? (error as Error);
      if (isRefusal(cause)) throw cause;
      broken = cause;
      primary.suspect();
      throw unavailable(cause);
    } finally {
      client.off('error', breaks).off('notice', warns);
      client.release(broken);
    }
  }

  return {
    use,
    close() {
      closing ??= Promise.all([...pools.values()].map((pool) => pool.end()));
      return closing.then(() => {});
    },
  };
}
