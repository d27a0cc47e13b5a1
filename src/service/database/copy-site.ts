import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { stepsIn } from '../../shared/storage/migrate.ts';
import { StorageRefused } from '../../shared/storage/storage-error.ts';
import { openDatabase, type Row, type Transaction } from '../store/postgres/database.ts';
import { refusalOf, settingsOf } from '../store/postgres/durability.ts';
import { migrate } from '../store/postgres/migrations.ts';
import { createPartitions, DAY_MS, widthFor } from '../store/postgres/partitions.ts';
import { addressesOf, findPrimary, isRefusal } from '../store/postgres/primary.ts';
import { openForReading, serviceSchema } from '../store/sqlite/open.ts';

/** The tables that are copied, each after those that it refers to. Both databases have their columns by the same names. */
export const copiedTables = [
  'accounts',
  'integrations',
  'segments',
  'customers',
  'customer_numbers',
  'users',
  'sessions',
  'extensions',
  'weekly_reports',
  'notifications',
  'push_devices',
  'caller_actions',
  'integration_use',
  'old_token_uses',
  'bridge_health',
  'certificates',
  'audit',
  'calls',
  'missed_notices',
  'history',
  'webhooks',
  'event_feeds',
  'person_events',
  'webhook_deliveries',
  'call_events',
];
/** What the other database makes for itself: sums of other tables, and caches. */
export const rebuiltTables = ['written_by', 'directory', 'history_counts', 'kept_figures', 'webhook_reader'];

type Source = ReturnType<typeof openForReading>;
type CopiedTable = { readonly name: string; readonly rows: number; readonly hash: string };

/** Rows that are written and read in one go. */
const STEP = 2_000;
/** For one statement, and for the commit, ms. */
const limits = { statement: 3_600_000, idle: 600_000, commit: 3_600_000 };

/**
 * Copies the data of a stopped service from SQLite to an empty PostgreSQL, in one transaction, and compares the number
 * of rows and a hash of each table before the commit. `keptMs`, `secretMark`: as for openPostgresStore.
 * @throws if the database holds a service already or its settings risk losing data, if it refuses a row (which is
 * named), or if a table is not equal. Then it is as empty as before. `progress` counts each row twice: it is written and
 * read again.
 */
export async function copySite(
  file: string,
  url: string,
  { keptMs, secretMark }: { keptMs: number | undefined; secretMark: string },
  progress: (rows: number, of: number) => void = () => {},
): Promise<CopiedTable[]> {
  const source = openForReading(file);
  const database = openDatabase(findPrimary(addressesOf(url)), 2);
  try {
    assertSameSteps(source, file);
    const refusal = refusalOf(await settingsOf(database));
    if (refusal !== undefined) throw new Error(refusal);
    await migrate(database);
    const days = source.prepare(`SELECT DISTINCT created_at / ${DAY_MS} AS day FROM history`).all();
    await createPartitions(database, widthFor(keptMs)).ensure(
      days.map(({ day }) => (day as number) * DAY_MS),
    );

    return await database.transaction(async (transaction) => {
      const [mark] = await transaction.rows(
        'INSERT INTO site (secret_mark) VALUES ($1) ON CONFLICT DO NOTHING RETURNING one',
        secretMark,
      );
      if (mark === undefined) throw new Error('the database holds a service already: copy to an empty one');
      const countOf = (name: string) =>
        Number(source.prepare(`SELECT count(*) AS count FROM ${name}`).get()?.count);
      const all = 2 * copiedTables.reduce((sum, name) => sum + countOf(name), 0);
      let done = 0;
      const copied: CopiedTable[] = [];
      for (const name of copiedTables)
        copied.push(
          await copyTable(source, transaction, name, (rows) => {
            done += rows;
            progress(done, all);
          }),
        );
      await copyDirectory(source, transaction);
      return copied;
    }, limits);
  } finally {
    source.close();
    await database.close();
  }
}

function assertSameSteps(source: Source, file: string): void {
  const [steps, known] = [stepsIn(source, serviceSchema), serviceSchema.steps.length];
  if (steps > known)
    throw new StorageRefused(
      `${file} has what a newer pbx-bridge added, which this one would leave behind: copy it with the newer version`,
    );
  if (steps < known)
    throw new StorageRefused(`${file} is of an older pbx-bridge: start this service on it once`);
}

/** Writes the rows of a table, reads them again, and compares. `progress` is called after some rows, each time. */
async function copyTable(
  source: Source,
  transaction: Transaction,
  name: string,
  progress: (rows: number) => void,
): Promise<CopiedTable> {
  const { rows } = transaction;
  const columns = source.prepare('SELECT name, pk FROM pragma_table_info(?)').all(name) as Column[];
  const sent = createTableHash(columns);
  let step: Row[] = [];
  const write = async () => {
    await insert(transaction, name, columns, step);
    progress(step.length);
    step = [];
  };
  for (const row of source.prepare(`SELECT * FROM ${name}`).iterate()) {
    sent.add(row);
    step.push(row);
    if (step.length === STEP) await write();
  }
  await write();

  const found = createTableHash(columns);
  await rows(`DECLARE copied NO SCROLL CURSOR FOR SELECT * FROM ${name}`);
  for (let read: Row[] = []; ; ) {
    read = await rows(`FETCH ${STEP} FROM copied`);
    for (const row of read) found.add(sourceRow(row));
    progress(read.length);
    if (read.length < STEP) break;
  }
  await rows('CLOSE copied');
  const [expected, actual] = [`${sent.rows()} rows, ${sent.hash()}`, `${found.rows()} rows, ${found.hash()}`];
  if (expected !== actual) throw new Error(`${name}: ${expected}, but the copy has ${actual}`);
  // No id that was given out comes back, that of a removed row neither.
  // 0: a trigger has ignored all that was inserted.
  const given = source.prepare('SELECT seq FROM sqlite_sequence WHERE name = ? AND seq > 0').get(name)?.seq;
  if (given !== undefined) await rows(`SELECT setval('${name}_id_seq', $1)`, given as number);
  return { name, rows: sent.rows(), hash: sent.hash() };
}

/** What the other database makes for itself of what was copied, and the counters of the site's tokens. */
async function copyDirectory(source: Source, { rows }: Transaction): Promise<void> {
  await rows(
    `INSERT INTO history_counts (account_id, day, shard, entries)
     SELECT account_id, created_at / ${DAY_MS}, 0, count(*) FROM history GROUP BY 1, 2`,
  );
  const { version, operator, fleet } = source
    .prepare('SELECT version, operator_counter AS operator, fleet_counter AS fleet FROM directory')
    .get() as Record<'version' | 'operator' | 'fleet', number>;
  await rows(
    `UPDATE directory SET version = greatest(version, $1) + 1, operator_counter = $2, fleet_counter = $3`,
    ...[version, operator, fleet],
  );
}

type Column = { readonly name: string; readonly pk: number };

/** Counts rows and adds their hashes up, in whatever order they come. */
function createTableHash(columns: readonly Column[]) {
  let count = 0;
  let sum = 0n;
  return {
    add(row: Row): void {
      const values = columns.map(({ name }) => {
        const value = row[name];
        return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value;
      });
      count += 1;
      sum += BigInt(`0x${createHash('sha256').update(JSON.stringify(values)).digest('hex')}`);
    },
    rows: () => count,
    hash: () => BigInt.asUintN(256, sum).toString(16).padStart(64, '0'),
  };
}

async function insert(
  { rows }: Transaction,
  table: string,
  columns: readonly Column[],
  given: readonly Row[],
): Promise<void> {
  const names = columns.map(({ name }) => name);
  if (table === 'history') names.push('request_bytes');
  const list = names.join(', ');
  const sharded = table === 'integration_use' ? [', shard', ', 0'] : ['', ''];
  const put = (some: readonly Row[]) =>
    rows(
      `INSERT INTO ${table} (${list}${sharded[0]}) SELECT ${list}${sharded[1]}
       FROM json_populate_recordset(null::${table}, $1::json)`,
      JSON.stringify(table === 'history' ? some.map(targetEntry) : some),
    );
  await rows('SAVEPOINT step');
  try {
    await put(given);
    await rows('RELEASE step');
  } catch (error) {
    if (!isRefusal(error as Error)) throw error;
    await rows('ROLLBACK TO step');
    for (const row of given)
      await put([row]).catch(({ message }: Error) => {
        throw new Error(`PostgreSQL refuses a row of ${table} (${nameOf(row, columns)}): ${message}`);
      });
    throw error;
  }
}

/** Its key, and the columns that are likely at fault. */
function nameOf(row: Row, columns: readonly Column[]): string {
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => `${name} ${JSON.stringify(row[name])}`);
  const nul = columns.filter(({ name }) => `${row[name]}`.includes('\0')).map(({ name }) => `NUL in ${name}`);
  return [...key, ...nul].join(', ');
}

/** As postgres-recorder.ts writes it: a payload that is not a text for PostgreSQL has a column of its own. */
function targetEntry(row: Row): Row {
  const request = row.request as string | Uint8Array;
  const asText = typeof request === 'string' && !request.includes('\0');
  return {
    ...row,
    request: asText ? request : null,
    request_bytes: asText ? null : `\\x${Buffer.from(request).toString('hex')}`,
  };
}

/** A row as SQLite holds it: no booleans, payloads as text or bytes. */
function sourceRow({ request_bytes: bytes, ...row }: Row): Row {
  const plain = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? Number(value) : value,
  ]);
  if (!Buffer.isBuffer(bytes)) return Object.fromEntries(plain);
  return { ...Object.fromEntries(plain), request: isUtf8(bytes) ? bytes.toString() : bytes };
}
