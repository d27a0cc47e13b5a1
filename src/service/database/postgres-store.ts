import { randomBytes } from 'node:crypto';
import { StoreUnavailable } from '../../shared/storage/storage-error.ts';
import type { Step } from '../../shared/storage/written-by.ts';
import { historyEntries, trimmer } from '../history/history-entries-postgres.ts';
import { historyPaging } from '../history/history-paging.ts';
import { historyReader, integrationUse, maskedEntry } from '../history/history-reader.ts';
import type { Recorded, RecordedRequest } from '../history/request-store.ts';
import { createCustomerStore } from '../people/customer-store.ts';
import { customerWriter } from '../people/customer-writer-postgres.ts';
import { figureRows } from '../reports/figure-rows-postgres.ts';
import { createBatches } from '../store/postgres/batches.ts';
import { type Database, openDatabase } from '../store/postgres/database.ts';
import { aboutServer, refusalOf, settingsOf } from '../store/postgres/durability.ts';
import { migrate } from '../store/postgres/migrations.ts';
import { createPartitions, widthFor } from '../store/postgres/partitions.ts';
import { addressesOf, findPrimary, type Primary } from '../store/postgres/primary.ts';
import { createSerialise, type Statements } from '../store/statements.ts';
import { callChanges, createFeed } from './postgres-feed.ts';
import { recorder } from './postgres-recorder.ts';
import { postgresStatements } from './postgres-statements.ts';
import { roomStores, type Store } from './store.ts';

export type PostgresSettings = {
  /** `postgres://user:password@host:port/database`; several servers with commas between them. */
  readonly url: string;
  /** For LISTEN, past a pooler in front of the server; undefined: as `url`. */
  readonly listenUrl?: string | undefined;
  /** Most connections, without the one that listens; CONNECTIONS when absent. */
  readonly connections?: number;
  /** How long the history is kept, ms: it decides how much time one of its partitions holds. */
  readonly keptMs?: number | undefined;
  /** Made from the server secret: all processes on one database must have the same, or tokens of one fail at others. */
  readonly secretMark: string;
};

/** A batch, the pages of a few people and the upkeep; ten processes stay below PostgreSQL's own limit of 100. */
const CONNECTIONS = 8;
/** SQLSTATE: since PostgreSQL 15 only a database's owner may make tables in it. */
const NOT_ALLOWED = '42501';
/** Requests in one transaction: more are slower for all of them. */
const BATCH = 200;
/** Rows that a slice of a text search reads, and that a step to a later page counts. */
const ROWS = { text: 4_000, skip: 50_000 };
/** Two processes rarely share a shard, and a sum has at most this many rows. */
const SHARDS = 64;
/** Limit of the work that one process does at a time, ms. */
const LOCK_MS = 60_000;
const LOCK_ID = 5_727_005;

/**
 * The store on PostgreSQL, for any number of processes on one database. Everything is a statement or a transaction of
 * its own, so that it works through PgBouncer in transaction mode.
 * @throws if the server cannot be trusted with an event (see durability.ts), or is of a newer version than this program.
 */
export async function openPostgresStore(
  { url, listenUrl, connections = CONNECTIONS, keptMs, secretMark }: PostgresSettings,
  steps?: readonly Step[],
): Promise<Store> {
  const addresses = addressesOf(url);
  const primary = findPrimary(addresses);
  const direct = listenUrl === undefined ? primary : findPrimary(addressesOf(listenUrl));
  const database = await openUsable(primary, connections, secretMark, steps);

  const random = randomBytes(8);
  const shard = random.readUInt8() % SHARDS;
  const { ofCalls } = database;
  const partitions = createPartitions(ofCalls, widthFor(keptMs));
  const feed = createFeed(ofCalls, direct, random.toString('hex'));
  const write = recorder(ofCalls, partitions, shard, feed.notify);
  const batches = createBatches<RecordedRequest, Recorded>(BATCH, write);

  const statements = postgresStatements(database);
  const customers = createCustomerStore(
    // Its lookups are those of priorities.
    { ...statements, lookup: ofCalls.prepared },
    customerWriter(database),
    feed.customersChanged,
  );
  // Activity and reports use one connection at a time, so that lookups and events have the others.
  const serialiseCalls = createSerialise();
  const figures = figureRows(database, serialiseCalls);

  const rooms = roomStores(statements, {
    customers,
    serialise: serialiseCalls,
    figures,
    callChanges,
    onCallerAction: feed.notifyCalledBack,
  });

  return {
    requests: {
      record: (request) => batches.add(request, request.event === null),
      ...postgresHistory(database, statements, batches.drained),
      ...trimmer(database, partitions, shard),
    },
    ...rooms,
    async openCalls(account, max) {
      await batches.drained();
      return rooms.calls.open(account, max);
    },
    otherProcesses: feed,
    withLock: siteLock(database),
    about: async () => aboutServer(await settingsOf(ofCalls)),
    purge: async () => true, // the server's own vacuum and log are not ours to run
    async close() {
      feed.stop();
      await batches.drained();
      await database.close();
    },
  };
}

/** The first process leaves the mark of its server secret; no other secret is let in after it. */
async function checkSecret(database: Database, mark: string): Promise<void> {
  await database.rows('INSERT INTO site (secret_mark) VALUES ($1) ON CONFLICT DO NOTHING', mark);
  const [known] = await database.rows('SELECT secret_mark FROM site');
  if (known?.secret_mark !== mark)
    throw new Error(
      'the server secret is not the one that the tokens of this database are made with: copy the file service-secret of its first machine into SERVICE_STATE_DIR',
    );
}

/** Opens a database that an event can be trusted to, brings it up to date and checks that it is of this server secret. */
async function openUsable(
  primary: Primary,
  connections: number,
  secretMark: string,
  steps: readonly Step[] | undefined,
): Promise<Database> {
  const database = openDatabase(primary, connections);
  try {
    const refusal = refusalOf(await settingsOf(database));
    if (refusal !== undefined) throw new Error(refusal);
    await migrate(database, steps);
    await checkSecret(database, secretMark);
    return database;
  } catch (error) {
    await database.close();
    const { code, message } = error as { code?: string; message: string };
    const todo =
      code === NOT_ALLOWED
        ? 'make its user the owner of the database (ALTER DATABASE ... OWNER TO ...)'
        : error instanceof StoreUnavailable && 'start it, or correct DATABASE_URL';
    if (todo === false) throw error;
    throw new Error(`the database of DATABASE_URL cannot be used: ${message}; ${todo}`, { cause: error });
  }
}

/** `drained`: when all requests that were answered before are written. */
function postgresHistory(database: Database, statements: Statements, drained: () => Promise<unknown>) {
  const history = historyReader(statements, {
    lastId: '(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM history_id_seq)',
    inPayload: (term) =>
      `(strpos(request, ${term}) > 0 OR position(convert_to(${term}, 'UTF8') IN request_bytes) > 0)`,
    entries: historyEntries(database),
  });
  return {
    ...historyPaging(
      // With all requests that were answered before.
      { ...history, lastId: () => drained().then(history.lastId) },
      createSerialise(),
      ROWS,
    ),
    mask: maskedEntry(statements, 'request_bytes = NULL, '),
    ...integrationUse(statements),
  };
}

/** Of this process one at a time: those that wait for the lock would hold all connections. */
function siteLock(database: Database): Store['withLock'] {
  const serialise = createSerialise();
  return (work) =>
    serialise(() =>
      database.transaction(
        async ({ rows }) => {
          await rows('SELECT pg_advisory_xact_lock($1)', LOCK_ID);
          return work();
        },
        { statement: LOCK_MS, lock: LOCK_MS, idle: LOCK_MS },
      ),
    );
}
