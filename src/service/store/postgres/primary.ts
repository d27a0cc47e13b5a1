import { Client, type ClientConfig, DatabaseError, types } from 'pg';
import { trustSystemAuthorities } from '../../../shared/process/authorities.ts';
import { StoreUnavailable, TookTooLong } from '../../../shared/storage/storage-error.ts';

/** How long another server may still say that it is the newer primary, once one has answered. One that hangs never says. */
const GRACE_MS = 500;

/** The timeline of a server that takes writes, as SQL: each takeover begins another one. */
export const timelineSql = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

/**
 * The addresses of a connection text: several servers stand with commas between them, as libpq takes them
 * (`postgres://user@one:5432,two:5432/name`); one of them is the primary, and another may become it.
 */
export function addressesOf(url: string): string[] {
  const [, head = '', hosts = '', tail = ''] = /^(\w+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  const several = hosts.split(',').filter((host) => host !== '');
  return several.length < 2 ? [url] : several.map((host) => `${head}${host}${tail}`);
}

export type Primary = {
  /** The address of the server that takes writes. Rejects with StoreUnavailable if none does. */
  address(): Promise<string>;
  /** The known server does not answer, or takes no writes any more: search again. */
  suspect(): void;
};

/** Finds the primary among several servers; with one address, that is it. */
export function findPrimary(addresses: readonly string[]): Primary {
  const [only] = addresses;
  if (addresses.length < 2) return { address: async () => only as string, suspect: () => {} };
  let known: Promise<string> | undefined;
  const forget = () => {
    known = undefined;
  };
  return {
    address() {
      known ??= search(addresses).catch((error: unknown) => {
        forget();
        throw error;
      });
      return known;
    },
    suspect: forget,
  };
}

/** The writable server with the highest timeline: an old primary that came back by itself is behind. */
async function search(addresses: readonly string[]): Promise<string> {
  const found: { address: string; timeline: number }[] = [];
  const grace = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const answers = addresses.map(async (address) => {
    const timeline = await timelineOf(address);
    if (timeline === undefined) return 'a standby';
    found.push({ address, timeline });
    timer ??= setTimeout(grace.resolve, GRACE_MS);
    return 'the primary';
  });
  const reasons = answers.map((answer) => answer.catch((error: Error) => error.message || 'no answer'));
  await Promise.race([Promise.all(reasons), grace.promise]);
  clearTimeout(timer);
  const [best] = found.sort((a, b) => b.timeline - a.timeline);
  if (best !== undefined) return best.address;
  throw new StoreUnavailable(`no database server takes writes (${(await Promise.all(reasons)).join('; ')})`);
}

/** Undefined for a standby. */
async function timelineOf(address: string): Promise<number | undefined> {
  const client = new Client({ ...clientConfig(address), query_timeout: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT CASE WHEN NOT pg_is_in_recovery() THEN ${timelineSql} END AS timeline`,
    );
    const { timeline } = rows[0] as { timeline: string | null };
    return timeline === null ? undefined : Number.parseInt(timeline, 16);
  } finally {
    await client.end().catch(() => {});
  }
}

/** SQLSTATE of a server that answers, but has no connection left: for the role, the database, or at all. */
const TOO_MANY = '53300';

export const isFull = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === TOO_MANY;

/** SQLSTATE classes in which the server says that it cannot, not that it will not. */
const cannot = /^(08|40|53|55|57|58|XX|25006$|25P03$)/;

/** True if the database refused a statement for what it says. */
export function isRefusal(error: Error): boolean {
  if (error instanceof StoreUnavailable) return false;
  if (error instanceof DatabaseError) return !cannot.test(error.code ?? '');
  return !isOfTheConnection(error);
}

function isOfTheConnection(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code !== undefined && /^E[A-Z]+$/.test(code)) ||
    /connection|terminated|timeout|did not answer|socket|not queryable|closed/i.test(error.message)
  );
}

export function unavailable(error: Error): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const isTimeout = timeouts.has((error as { code?: unknown }).code);
  return new (isTimeout ? TookTooLong : StoreUnavailable)(reasonOf(error), { cause: error });
}

/** SQLSTATE of a statement that was cancelled, as by statement_timeout, and of one that did not get a lock in time. */
const timeouts = new Set<unknown>(['57014', '55P03']);

/** AggregateError, of a name with several addresses, has no message of its own. */
function reasonOf(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return inner.message || (inner as NodeJS.ErrnoException).code || inner.name;
}

const CONNECT_MS = 5_000;
const INT8 = 20;

/** How a client is made, whatever it is for. Whole numbers stay numbers: all of ours fit in 53 bits. */
export function clientConfig(address: string): ClientConfig {
  trustSystemAuthorities();
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
