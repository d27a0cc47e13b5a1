import type { PoolClient, QueryResult } from 'pg';
import { openConnections } from './connections.ts';
import type { Primary } from './primary.ts';

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];
export type Row = Record<string, unknown>;
type Statement = readonly [sql: string, ...values: Value[]];

/** A transaction whose next statement may depend on the rows of the one before. */
export type Transaction = { rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]> };

/**
 * PostgreSQL as the store uses it. Nothing is kept in a session between transactions (no prepared statements, no SET,
 * no session locks), so that it works through PgBouncer in transaction mode.
 * Everything rejects with StoreUnavailable if the database cannot be reached or does not answer in time; whether a
 * transaction that was under way then counts is not known.
 */
export type Database = {
  /** One transaction, sent in one go; returns each statement's rows. */
  pipeline(statements: readonly Statement[], limits?: Partial<Limits>): Promise<Row[][]>;
  /**
   * Queries that an index answers, each on its own, sent in one go; returns the rows of each. Use few different texts:
   * the server keeps their plans where it can.
   */
  read(questions: readonly Statement[]): Promise<Row[][]>;
  /** The rows of one statement, as a transaction. */
  rows<R = Row>(sql: string, ...values: Value[]): Promise<R[]>;
  /** One transaction in steps. For rare work: its locks are held while this process thinks. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, limits?: Partial<Limits>): Promise<T>;
  close(): Promise<void>;
};

/** How long the server lets a transaction of ours be, ms. */
export type Limits = {
  /** One statement. */
  readonly statement: number;
  /** One wait for a lock. */
  readonly lock: number;
  /** The server's wait for our next statement. */
  readonly idle: number;
  /** Its wait for a synchronous standby; the server knows no limit to that. */
  readonly commit: number;
  /** The statements' texts are few: the server keeps their plans where it can. One that is alone is the transaction. */
  readonly planned: boolean;
};

const usual: Limits = { statement: 10_000, lock: 5_000, idle: 5_000, commit: 5_000, planned: false };

/** Longer than what the server allows itself: an answer that is not there then will not come. */
const SILENCE_MS = 5_000;

/** The database behind at most `most` connections to the primary. */
export function openDatabase(primary: Primary, most: number): Database {
  const connections = openConnections(primary, most);
  /** Connections without a pooler: the server process is theirs alone. */
  const direct = new WeakSet<PoolClient>();
  const names = new Map<string, string>();

  function nameOf(sql: string): string {
    const name = names.get(sql) ?? `pbx_${names.size}`;
    names.set(sql, name);
    return name;
  }

  /** Questions to one connection, in order; without an answer in time, it is given up. */
  const asker =
    (client: PoolClient, { statement, idle }: Limits) =>
    (sql: string, values?: readonly Value[], planned = false) =>
      client.query({
        text: sql,
        ...(values && { values: values as Value[] }),
        ...(planned && direct.has(client) && { name: nameOf(sql) }),
        query_timeout: statement + idle + SILENCE_MS,
      } as { text: string });

  /**
   * Through a pooler a plan would be one connection's, and the next statement is another's. Kept plans are without scans
   * of whole tables: the server would keep one that it made while a table was small.
   */
  const notePooler = (client: PoolClient, begun: Promise<QueryResult>) =>
    begun
      .then((result) => {
        if (pidOf(result) !== processOf(client)) return undefined;
        direct.add(client);
        const { statement, lock } = usual;
        return client.query(
          `SET enable_seqscan = off; SET statement_timeout = ${statement}; SET lock_timeout = ${lock}`,
        );
      })
      .catch(() => {});

  /**
   * Commits; a wait for the synchronous standby that takes too long is cancelled. (To close the connection
   * would not do: its process would wait on, and there would be one more with every batch.)
   */
  function commit(
    ask: ReturnType<typeof asker>,
    begun: Promise<QueryResult>,
    before: readonly Promise<unknown>[],
    limits: Limits,
  ): Promise<QueryResult> {
    const committed = ask('COMMIT');
    let timer: NodeJS.Timeout | undefined;
    void Promise.allSettled(before).then(() => {
      timer = setTimeout(
        () => void begun.then((result) => cancel(pidOf(result))).catch(() => {}),
        limits.commit,
      );
      void committed.finally(() => clearTimeout(timer)).catch(() => {});
    });
    return committed;
  }

  async function cancel(pid: number): Promise<void> {
    await database.rows('SELECT pg_cancel_backend($1)', pid);
  }

  /**
   * One statement without BEGIN and COMMIT, which cost half as much as a small one itself. It is cancelled when it and
   * its commit take longer than a commit may, which no limit of the server's covers.
   */
  async function alone(client: PoolClient, [sql, ...values]: Statement, limits: Limits): Promise<Row[]> {
    const timer = setTimeout(() => void cancel(processOf(client)).catch(() => {}), limits.commit);
    try {
      return (await asker(client, limits)(sql, values, true)).rows;
    } finally {
      clearTimeout(timer);
    }
  }

  const database: Database = {
    pipeline: (statements, changed) => {
      const limits = { ...usual, ...changed };
      return connections.use(async (client) => {
        const [first, second] = statements;
        if (limits.planned && direct.has(client) && first !== undefined && second === undefined)
          return [await alone(client, first, limits)];
        const ask = asker(client, limits);
        const begun = ask(begin(limits));
        if (!direct.has(client)) void notePooler(client, begun);
        const asked = statements.map(([sql, ...values]) => ask(sql, values, limits.planned));
        const settled = await Promise.allSettled([begun, ...asked, commit(ask, begun, asked, limits)]);
        const failed = settled.find((one) => one.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
        return settled.slice(1, -1).map((one) => (one as PromiseFulfilledResult<QueryResult>).value.rows);
      });
    },
    read: (questions) =>
      connections.use(async (client) => {
        const ask = asker(client, usual);
        const answers = await Promise.all(questions.map(([sql, ...values]) => ask(sql, values, true)));
        return answers.map(({ rows }) => rows);
      }),
    async rows<R>(sql: string, ...values: Value[]) {
      const [rows] = await database.pipeline([[sql, ...values]]);
      return rows as R[];
    },
    transaction: (work, changed) => {
      const limits = { ...usual, ...changed };
      return connections.use(async (client) => {
        const ask = asker(client, limits);
        const begun = ask(begin(limits));
        await begun;
        try {
          const result = await work({
            async rows<R>(sql: string, ...values: Value[]) {
              return (await ask(sql, values)).rows as R[];
            },
          });
          await commit(ask, begun, [], limits);
          return result;
        } catch (error) {
          await ask('ROLLBACK').catch(() => {});
          throw error;
        }
      });
    },
    close: connections.close,
  };
  return database;
}

function begin({ statement, lock, idle, planned }: Limits): string {
  const limits = {
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idle,
  };
  const set = Object.entries(limits).map(([name, ms]) => `set_config('${name}', '${ms}', true)`);
  set.push(`set_config('enable_seqscan', '${planned ? 'off' : 'on'}', true)`);
  return `BEGIN; SELECT ${set.join(', ')}, pg_backend_pid() AS pid`;
}

/** The process of the server, or of the pooler, as it named itself when the connection was made. */
function processOf(client: PoolClient): number {
  return (client as unknown as { processID: number }).processID;
}

/** The server's process, from the answer to `begin`: one result for each statement of its text. */
function pidOf(begun: QueryResult): number {
  const [, { rows: [{ pid } = { pid: 0 }] = [] } = {}] = begun as unknown as QueryResult<{ pid: number }>[];
  return pid;
}
