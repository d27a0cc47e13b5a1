import { type ClientBase, Pool, type PoolClient } from 'pg';
import { StoreUnavailable } from '../../../shared/storage/storage-error.ts';
import { clientConfig, isFull, type Primary, unavailable } from './primary.ts';

/** How long a transaction may take, ms. */
export type Limits = {
  /** One statement. */
  readonly statement: number;
  /** One wait for a lock. */
  readonly lock: number;
  /** The server's wait for our next statement. */
  readonly idle: number;
  /** About as long may a COMMIT wait for a synchronous standby. */
  readonly commit: number;
};

export const usual: Limits = { statement: 10_000, lock: 5_000, idle: 5_000, commit: 5_000 };

/** A server that had no connection left is asked for another one after this time, ms. */
const FULL_MS = 60_000;

/** Longer than what the server allows itself: an answer that is not there then will not come. */
export const SILENCE_MS = 5_000;

/**
 * Prepared statements without scans of whole tables: the server would keep a plan with one that it made while the
 * table was small. No compiled plans and no helpers of the server's: they would take more processors for one page than
 * for all events beside it.
 */
async function prepare(client: ClientBase): Promise<boolean> {
  const query = (text: string) => client.query({ text, ...{ query_timeout: SILENCE_MS } });
  const { rows } = await query('SELECT pg_backend_pid() AS pid');
  // A pooler reports another process id than the server's.
  if (rows[0].pid !== (client as unknown as { processID: number }).processID) return false;
  await query(
    `SET default_transaction_isolation = 'read committed'; SET enable_seqscan = off; SET jit = off; SET max_parallel_workers_per_gather = 0; SET statement_timeout = ${usual.statement}; SET lock_timeout = ${usual.lock}`,
  );
  return true;
}

/**
 * A connection of a pool, which goes on with those that it has if the server gives it no more: each waits for one of them.
 * After a while it tries to have more again.
 */
async function lent(pool: Pool, most: number, granted: (connections: number) => void): Promise<PoolClient> {
  const grow = () => {
    pool.options.max = most;
    granted(most);
  };
  for (;;)
    try {
      return await pool.connect();
    } catch (error) {
      if (!isFull(error) || pool.totalCount === 0) throw error;
      if (pool.options.max === most) setTimeout(grow, FULL_MS).unref();
      pool.options.max = Math.min(pool.options.max, pool.totalCount);
      granted(pool.options.max);
    }
}

export type Connections = ReturnType<typeof createConnections>;

/**
 * At most `most` connections to the primary, which may change. `granted` is called with how many the server gives. Nothing is
 * connected before the first use.
 */
export function createConnections(primary: Primary, most: number, granted: (connections: number) => void) {
  const pools = new Map<string, Pool>();
  const withoutPooler = new WeakSet<ClientBase>();
  let closing: Promise<unknown> | undefined;

  function poolOf(address: string): Pool {
    const known = pools.get(address);
    if (known !== undefined) return known;
    const onConnect = async (client: ClientBase) => {
      if (await prepare(client)) withoutPooler.add(client);
    };
    const pool = new Pool({ ...clientConfig(address), max: most, onConnect, ...{ pipeline: true } });
    pool.on('error', primary.suspect); // an idle connection broke; another is made when it is needed
    // A server may end a connection before the pool lends it. Its first query reports that.
    pool.on('connect', (client) => client.on('error', () => {}));
    pools.set(address, pool);
    return pool;
  }

  return {
    /** If a server refuses the connection, another may have taken over: nothing has been sent yet. */
    async connect(): Promise<PoolClient> {
      if (closing !== undefined) throw new StoreUnavailable('the store is closed');
      const address = await primary.address();
      try {
        return await lent(poolOf(address), most, granted).catch(async (error) => {
          if (isFull(error)) throw error;
          primary.suspect();
          const next = await primary.address();
          if (next === address) throw error;
          return lent(poolOf(next), most, granted);
        });
      } catch (error) {
        throw unavailable(error as Error);
      }
    },
    /** Whether what is set and prepared on a connection stays there. */
    isWithoutPooler: (client: ClientBase): boolean => withoutPooler.has(client),
    close(): Promise<unknown> {
      closing ??= Promise.all([...pools.values()].map((pool) => pool.end()));
      return closing;
    },
  };
}
