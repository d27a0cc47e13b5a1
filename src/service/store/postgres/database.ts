import PQueue from 'p-queue';
import { type ClientBase, Pool, type PoolClient } from 'pg';
import { StoreUnavailable } from '../../../shared/storage/storage-error.ts';
import { clientConfig, isFull, isRefusal, type Primary, unavailable } from './primary.ts';

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];
export type Row = Record<string, unknown>;

/** A transaction whose next statement may depend on the rows of the one before. */
export type Transaction = { rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]> };

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

const usual: Limits = { statement: 10_000, lock: 5_000, idle: 5_000, commit: 5_000 };

/** Connections that calls have for themselves: what accounts' pages ask for waits for one of the others. */
const OF_CALLS = 2;
/** A transaction may need another connection to end: that of withLock does. */
const LEAST_OF_OTHERS = 2;

/** SQLSTATE of a transaction that was ended since it and another waited for each other, and how often it is tried again. */
const [DEADLOCK, DEADLOCKS] = ['40P01', 3];

/** A server that had no connection left is asked for another one after this time, ms. */
const FULL_MS = 60_000;

/** Longer than what the server allows itself: an answer that is not there then will not come. */
const SILENCE_MS = 5_000;

/**
 * Warnings with which a COMMIT says that it gave up waiting for the synchronous standby: it counts on this server, and
 * is lost if the standby takes over. The sender must get an error, so that it sends the event again.
 */
const gaveUp = new Set<string | undefined>(['01000', '57P01']);

type Notice = { readonly code?: string | undefined; readonly routine?: string | undefined };

/** Why a change with such a notice does not count. Every shutdown says 57P01; the server's function has no language. */
export function failureOf({ code, routine }: Notice): string | undefined {
  if (!gaveUp.has(code)) return undefined;
  return code === '57P01' && routine !== 'SyncRepWaitForLSN'
    ? 'the server is shutting down'
    : 'the synchronous standby did not confirm in time';
}

/**
 * Ends waits of COMMITs for the standby: the server knows no limit to them, and a connection that is closed would leave
 * its process waiting, and there would be one more with every batch.
 */
const endWaits = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE usename = current_user AND datname = current_database() AND wait_event = 'SyncRep'
    AND query_start < clock_timestamp() - $1 * interval '1 ms'`;

export type Database = ReturnType<typeof openDatabase>;

/** What a database can be asked, whichever connections are used. */
export type Queries = Database['ofCalls'];

/**
 * PostgreSQL as the store uses it, with at most `most` connections to the primary, which may change. Nothing is
 * connected before the first use.
 *
 * Everything works through PgBouncer in transaction mode, where each transaction may be on another connection to the
 * server: what is set and prepared for later is only used on connections without a pooler.
 *
 * What is asked `ofCalls` has connections of its own: no event and no lookup waits for what accounts' pages ask for.
 *
 * Everything rejects with StoreUnavailable if the database cannot be reached or does not answer in time; whether a
 * transaction that was under way then counts is not known. What the server refuses rejects with its own error.
 */
export function openDatabase(primary: Primary, most: number) {
  const pools = new Map<string, Pool>();
  const withoutPooler = new WeakSet<ClientBase>();
  /** Of prepared statements. */
  const names = new Map<string, string>();
  let closing: Promise<unknown> | undefined;
  const others = new PQueue();
  share(most);

  /** How many connections there are, at most. */
  function share(connections: number): void {
    others.concurrency = Math.max(LEAST_OF_OTHERS, connections - OF_CALLS);
  }

  function poolOf(address: string): Pool {
    const known = pools.get(address);
    if (known !== undefined) return known;
    const pool = new Pool({ ...clientConfig(address), max: most, onConnect: prepare, ...{ pipeline: true } });
    pool.on('error', primary.suspect); // an idle connection broke; another is made when it is needed
    // A server may end a connection before the pool lends it. Its first query reports that.
    pool.on('connect', (client) => client.on('error', () => {}));
    pools.set(address, pool);
    return pool;
  }

  /**
   * Prepared statements without scans of whole tables: the server would keep a plan with one that it made while the
   * table was small. No compiled plans and no helpers of the server's: they would take more processors for one page than
   * for all events beside it.
   */
  async function prepare(client: ClientBase): Promise<void> {
    const ask = (text: string) => client.query({ text, ...{ query_timeout: SILENCE_MS } });
    const { rows } = await ask('SELECT pg_backend_pid() AS pid');
    // A pooler has told the client another number than the server's.
    if (rows[0].pid !== (client as unknown as { processID: number }).processID) return;
    await ask(
      `SET default_transaction_isolation = 'read committed'; SET enable_seqscan = off; SET jit = off; SET max_parallel_workers_per_gather = 0; SET statement_timeout = ${usual.statement}; SET lock_timeout = ${usual.lock}`,
    );
    withoutPooler.add(client);
  }

  /**
   * A connection of a pool, which goes on with those that it has if the server gives it no more: each waits for one of them.
   * After a while it tries to have more again.
   */
  async function lent(pool: Pool): Promise<PoolClient> {
    for (;;)
      try {
        return await pool.connect();
      } catch (error) {
        if (!isFull(error) || pool.totalCount === 0) throw error;
        if (pool.options.max === most) setTimeout(() => grow(pool), FULL_MS).unref();
        pool.options.max = Math.min(pool.options.max, pool.totalCount);
        share(pool.options.max);
      }
  }
  function grow(pool: Pool): void {
    pool.options.max = most;
    share(most);
  }

  /** If a server refuses the connection, another may have taken over: nothing has been sent yet. */
  async function connect(): Promise<PoolClient> {
    if (closing !== undefined) throw new StoreUnavailable('the store is closed');
    const address = await primary.address();
    try {
      return await lent(poolOf(address)).catch(async (error) => {
        if (isFull(error)) throw error;
        primary.suspect();
        const next = await primary.address();
        if (next === address) throw error;
        return lent(poolOf(next));
      });
    } catch (error) {
      throw unavailable(error as Error);
    }
  }

  type Ask = <R = Row>(sql: string, values?: readonly Value[], name?: string) => Promise<R[]>;

  type Use = <T>(limits: Limits, work: (ask: Ask, client: PoolClient) => Promise<T>) => Promise<T>;

  /** Lends a connection, which is lent again after success or a refusal only. */
  async function use<T>(
    { statement, idle, commit }: Limits,
    work: (ask: Ask, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect();
    let broken: Error | undefined;
    const notice = (said: Notice) => {
      const text = failureOf(said);
      if (text !== undefined) broken = new StoreUnavailable(text);
    };
    client.on('notice', notice);
    const timer = setInterval(() => void ofCalls.rows(endWaits, commit / 2).catch(() => {}), commit);
    const ask: Ask = async (text, values, name) => {
      const query = { text, name, values: values as Value[], query_timeout: statement + idle + SILENCE_MS };
      return (await client.query(query)).rows;
    };
    try {
      const result = await work(ask, client);
      if (broken !== undefined) throw broken;
      return result;
    } catch (error) {
      const cause = broken ?? (error as Error);
      if (isRefusal(cause)) throw cause;
      broken = cause;
      primary.suspect();
      throw unavailable(cause);
    } finally {
      clearInterval(timer);
      client.off('notice', notice);
      client.release(broken);
    }
  }

  /** A transaction of one statement, sent in one go. */
  async function alone<R>(ask: Ask, sql: string, values: readonly Value[]): Promise<R[]> {
    const [, rows] = await Promise.all([ask(begin(usual)), ask<R>(sql, values), ask('COMMIT')]);
    return rows;
  }

  /** What a database is asked, with the connections that `use` lends. */
  function asked(use: Use) {
    /**
     * The rows of one statement, as a transaction. One that the server ended because it and another waited for each other has
     * done nothing, and is sent again: the removal of an account can meet a change of its rows.
     */
    async function rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
      for (let more = DEADLOCKS; ; more -= 1)
        try {
          return await use(usual, (ask) => alone<R>(ask, sql, values));
        } catch (error) {
          const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
          if (more === 0 || code !== DEADLOCK) throw error;
        }
    }

    return {
      rows,

      /**
       * The same for a frequent statement that finds its rows by an index: the server keeps its plan, and without BEGIN and
       * COMMIT, which cost half as much as a small statement itself. Use few different texts.
       */
      prepared<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
        const name = names.get(sql) ?? `pbx_${names.size}`;
        names.set(sql, name);
        return use(usual, (ask, client) =>
          withoutPooler.has(client) ? ask<R>(sql, values, name) : alone(ask, sql, values),
        );
      },

      /** One transaction in steps. For rare work: its locks are held while this process thinks. */
      transaction<T>(work: (transaction: Transaction) => Promise<T>, changed?: Partial<Limits>): Promise<T> {
        const limits = { ...usual, ...changed };
        return use(limits, async (ask) => {
          await ask(begin(limits));
          try {
            const result = await work({ rows: (sql, ...values) => ask(sql, values) });
            await ask('COMMIT');
            return result;
          } catch (error) {
            await ask('ROLLBACK').catch(() => {});
            throw error;
          }
        });
      },
    };
  }

  const ofCalls = asked(use);
  return {
    ...asked((limits, work) => others.add(() => use(limits, work))),
    /** For events, lookups and what they wait for. */
    ofCalls,

    close(): Promise<unknown> {
      closing ??= Promise.all([...pools.values()].map((pool) => pool.end()));
      return closing;
    },
  };
}

// Statements count on seeing what others have committed before each of them: a role or database may have another default.
const begin = ({ statement, lock, idle }: Limits) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${statement}; SET LOCAL lock_timeout = ${lock};
   SET LOCAL idle_in_transaction_session_timeout = ${idle}; SET LOCAL enable_seqscan = on`;
