import PQueue from 'p-queue';
import type { ClientBase, PoolClient } from 'pg';
import { StoreUnavailable } from '../../../shared/storage/storage-error.ts';
import { type Connections, createConnections, type Limits, SILENCE_MS, usual } from './connections.ts';
import { isRefusal, type Primary, unavailable } from './primary.ts';

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];
export type Row = Record<string, unknown>;

/** A transaction whose next statement may depend on the rows of the one before. */
export type Transaction = { rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]> };

/** Connections that calls have for themselves: what accounts' pages ask for waits for one of the others. */
const OF_CALLS = 2;
/** A transaction may need another connection to end: that of withLock does. */
const LEAST_OF_OTHERS = 2;

/** SQLSTATE of a transaction that was ended since it and another waited for each other, and how often it is tried again. */
const [DEADLOCK, DEADLOCKS] = ['40P01', 3];

/**
 * Warnings with which a COMMIT says that it gave up waiting for the synchronous standby: it counts on this server, and
 * is lost if the standby takes over. The sender must get an error, so that it sends the event again.
 */
const unconfirmedCodes = new Set<string | undefined>(['01000', '57P01']);

type Notice = { readonly code?: string | undefined; readonly routine?: string | undefined };

/** Why a change with such a notice does not count. Every shutdown says 57P01; the server's function has no language. */
export function failureOf({ code, routine }: Notice): string | undefined {
  if (!unconfirmedCodes.has(code)) return undefined;
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
export type Queries = ReturnType<typeof queriesBy>;

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
  const others = new PQueue();
  const share = (connections: number) => {
    others.concurrency = Math.max(LEAST_OF_OTHERS, connections - OF_CALLS);
  };
  share(most);
  const connections = createConnections(primary, most, share);
  const use: Use = (limits, work) =>
    lend(connections, primary, limits, (olderMs) => ofCalls.rows(endWaits, olderMs), work);
  const names = new Map<string, string>();
  const ofCalls: Queries = queriesBy(use, names, connections.isWithoutPooler);
  return {
    ...queriesBy((limits, work) => others.add(() => use(limits, work)), names, connections.isWithoutPooler),
    /** For events, lookups and what they wait for. */
    ofCalls,
    close: connections.close,
  };
}

type Query = <R = Row>(sql: string, values?: readonly Value[], name?: string) => Promise<R[]>;

type Use = <T>(limits: Limits, work: (query: Query, client: PoolClient) => Promise<T>) => Promise<T>;

/** Lends a connection, which is lent again after success or a refusal only. */
async function lend<T>(
  { connect }: Connections,
  primary: Primary,
  { statement, idle, commit }: Limits,
  endWaits: (olderMs: number) => Promise<unknown>,
  work: (query: Query, client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect();
  let broken: Error | undefined;
  const notice = (said: Notice) => {
    const text = failureOf(said);
    if (text !== undefined) broken = new StoreUnavailable(text);
  };
  client.on('notice', notice);
  const timer = setInterval(() => void endWaits(commit / 2).catch(() => {}), commit);
  const query: Query = async (text, values, name) => {
    const config = { text, name, values: values as Value[], query_timeout: statement + idle + SILENCE_MS };
    return (await client.query(config)).rows;
  };
  try {
    const result = await work(query, client);
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
async function alone<R>(query: Query, sql: string, values: readonly Value[]): Promise<R[]> {
  const [, rows] = await Promise.all([query(begin(usual)), query<R>(sql, values), query('COMMIT')]);
  return rows;
}

/** What a database is asked, with the connections that `use` lends. `names`: of prepared statements. */
function queriesBy(use: Use, names: Map<string, string>, isWithoutPooler: (client: ClientBase) => boolean) {
  /**
   * The rows of one statement, as a transaction. One that the server ended because it and another waited for each other has
   * done nothing, and is sent again: the removal of an account can meet a change of its rows.
   */
  async function rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
    for (let more = DEADLOCKS; ; more -= 1)
      try {
        return await use(usual, (query) => alone<R>(query, sql, values));
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
      return use(usual, (query, client) =>
        isWithoutPooler(client) ? query<R>(sql, values, name) : alone(query, sql, values),
      );
    },

    /** One transaction in steps. For rare work: its locks are held while this process thinks. */
    transaction<T>(work: (transaction: Transaction) => Promise<T>, changed?: Partial<Limits>): Promise<T> {
      const limits = { ...usual, ...changed };
      return use(limits, async (query) => {
        await query(begin(limits));
        try {
          const result = await work({ rows: (sql, ...values) => query(sql, values) });
          await query('COMMIT');
          return result;
        } catch (error) {
          await query('ROLLBACK').catch(() => {});
          throw error;
        }
      });
    },
  };
}

// Statements count on seeing what others have committed before each of them: a role or database may have another default.
const begin = ({ statement, lock, idle }: Limits) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${statement}; SET LOCAL lock_timeout = ${lock};
   SET LOCAL idle_in_transaction_session_timeout = ${idle}; SET LOCAL enable_seqscan = on`;
