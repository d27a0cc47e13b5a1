import { isUtf8 } from 'node:buffer';
import { type CopiedRow, type CopiedTable, calls, history, smallTables } from '../shared/copied-tables.ts';
import { type Conversation, type Database, openDatabase, type Row, type Value } from './database.ts';
import { refusalOf, settingsOf } from './durability.ts';
import { migrate } from './migrations.ts';
import { DAY_MS, makePartitions, widthFor } from './partitions.ts';
import { addressesOf, findPrimary } from './primary.ts';

/** How far a copy has come; the table `copying` with this row is there as long as it is not finished. */
export type Progress = { readonly history: number; readonly calls: number };

export type CopyTarget = {
  progress(): Promise<Progress>;
  /** Adds rows, or makes those that are there equal; and how far that is, in the same transaction. */
  put(table: CopiedTable, rows: readonly CopiedRow[], progress?: Partial<Progress>): Promise<void>;
  /** Makes a small table equal as a whole. */
  replace(tables: readonly { table: CopiedTable; rows: readonly CopiedRow[] }[]): Promise<void>;
  withIds(table: CopiedTable, rows: readonly CopiedRow[]): Promise<CopiedRow[]>;
  all(table: CopiedTable): Promise<CopiedRow[]>;
  openCalls(): Promise<number[]>;
  /** Deletes what the retention of the other side has deleted since it was copied. */
  trim(account: number, oldest: { readonly at: number; readonly id: number } | null): Promise<void>;
  historyOf(account: number): Promise<number>;
  count(table: CopiedTable): Promise<number>;
  /** The database is a service's from now on. */
  finish(directoryVersion: number): Promise<void>;
  close(): Promise<void>;
};

/** @throws if the database holds a service already, or cannot be trusted with one. */
export async function openCopyTarget(
  url: string,
  { keptMs, secretMark }: { keptMs: number | undefined; secretMark: string },
): Promise<CopyTarget> {
  const database = openDatabase(findPrimary(addressesOf(url)), 4);
  const partitions = makePartitions(database, widthFor(keptMs));
  try {
    const refusal = refusalOf(await settingsOf(database));
    if (refusal !== undefined) throw new Error(refusal);
    await migrate(database);
    await begin(database, secretMark);
  } catch (error) {
    await database.close();
    throw error;
  }

  return {
    async progress() {
      const [row] = await database.rows<Progress>('SELECT history, calls FROM copying');
      return row as Progress;
    },
    async put(table, rows, progress = {}) {
      if (table === history) await partitions.ensure(rows.map((row) => row.created_at as number));
      await database.converse(async (conversation) => {
        await insert(conversation, table, rows);
        if (table === history) await countEntries(conversation, rows);
        for (const [name, id] of Object.entries(progress))
          await conversation.rows(`UPDATE copying SET ${name} = $1`, id);
      }, patient);
    },
    replace: (tables) =>
      database.converse(async (conversation) => {
        for (const { table } of tables.toReversed()) await conversation.rows(`DELETE FROM ${table.name}`);
        for (const { table, rows } of tables)
          for (let at = 0; at < rows.length; at += STEP)
            await insert(conversation, table, rows.slice(at, at + STEP));
      }, patient),
    async withIds(table, rows) {
      const ids = rows.map(({ id }) => id as number);
      const found = await database.rows(
        `SELECT ${targetColumns(table)} FROM ${table.name} WHERE id = ANY($1::bigint[])
           ${table === history ? 'AND created_at = ANY($2::bigint[])' : ''} ORDER BY id`,
        ids,
        ...(table === history ? [[...new Set(rows.map((row) => row.created_at as number))]] : []),
      );
      return found.map((row) => sourceRow(table, row));
    },
    async all(table) {
      const rows = await database.rows(
        `SELECT ${targetColumns(table)} FROM ${table.name} ORDER BY ${table.key.join(', ')}`,
      );
      return rows.map((row) => sourceRow(table, row));
    },
    async openCalls() {
      const rows = await database.rows<{ id: number }>("SELECT id FROM calls WHERE status <> 'completed'");
      return rows.map(({ id }) => id);
    },
    async trim(account, oldest) {
      const older = oldest === null ? '' : 'AND created_at <= $2 AND (created_at, id) < ($2, $3)';
      const values: Value[] = oldest === null ? [account] : [account, oldest.at, oldest.id];
      await database.rows(
        `WITH gone AS (DELETE FROM history WHERE account_id = $1 ${older} RETURNING created_at),
           sums AS (SELECT created_at / ${DAY_MS} AS day, count(*) AS entries FROM gone GROUP BY 1)
         UPDATE history_counts c SET entries = c.entries - s.entries FROM sums s
         WHERE c.account_id = $1 AND c.day = s.day AND c.shard = 0`,
        ...values,
      );
    },
    async historyOf(account) {
      const [row] = await database.rows<{ n: number }>(
        'SELECT count(*) AS n FROM history WHERE account_id = $1',
        account,
      );
      return row?.n ?? 0;
    },
    async count({ name }) {
      const [row] = await database.rows<{ n: number }>(`SELECT count(*) AS n FROM ${name}`);
      return row?.n ?? 0;
    },
    finish: (directoryVersion) =>
      database.converse(async ({ rows }) => {
        for (const { name, columns } of [history, calls, ...smallTables])
          if (columns.includes('id') && name !== 'sessions')
            await rows(
              `SELECT setval('${name}_id_seq', greatest((SELECT max(id) FROM ${name}), 1),
                 EXISTS (SELECT FROM ${name}))`,
            );
        await rows('UPDATE directory SET version = greatest(version, $1) + 1', directoryVersion);
        await rows('DROP TABLE copying');
      }, patient),
    close: () => database.close(),
  };
}

const STEP = 2_000;
const patient = { statement: 300_000, idle: 60_000 };

/** Takes the database for this copy, or goes on with one that was cut off. */
async function begin(database: Database, secretMark: string): Promise<void> {
  await database.converse(async ({ rows }) => {
    await rows('LOCK TABLE site');
    const [state] = await rows<{ copying: boolean; mark: string | null }>(
      "SELECT to_regclass('copying') IS NOT NULL AS copying, (SELECT secret_mark FROM site) AS mark",
    );
    if (state?.mark === null) {
      await rows('INSERT INTO site (secret_mark) VALUES ($1)', secretMark);
      await rows('CREATE TABLE copying AS SELECT 0::bigint AS history, 0::bigint AS calls');
    } else if (!state?.copying || state.mark !== secretMark)
      throw new Error('the database holds a service already: copy to an empty one');
  });
}

async function insert(
  { rows }: Conversation,
  table: CopiedTable,
  given: readonly CopiedRow[],
): Promise<void> {
  if (given.length === 0) return;
  const { name, columns } = table;
  const own = targetColumns(table);
  const shard = table.name === 'report_hours' || table.name === 'integration_use';
  const known =
    table === calls
      ? `ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`
      : '';
  await rows(
    `INSERT INTO ${name} (${own}${shard ? ', shard' : ''})
     SELECT ${own}${shard ? ', 0' : ''} FROM json_populate_recordset(null::${name}, $1::json) ${known}`,
    JSON.stringify(given.map((row) => (table === history ? targetEntry(row) : row))),
  );
}

async function countEntries({ rows }: Conversation, entries: readonly CopiedRow[]): Promise<void> {
  await rows(
    `INSERT INTO history_counts AS c
     SELECT account, at / ${DAY_MS}, 0, count(*) FROM unnest($1::bigint[], $2::bigint[]) AS e(account, at) GROUP BY 1, 2
     ON CONFLICT (account_id, day, shard) DO UPDATE SET entries = c.entries + excluded.entries`,
    entries.map((row) => row.account_id as number),
    entries.map((row) => row.created_at as number),
  );
}

function targetColumns(table: CopiedTable): string {
  return [...table.columns, ...(table === history ? ['request_bytes'] : [])].join(', ');
}

/** As recorder.ts writes it: a payload that is no text of PostgreSQL's stands in a column of its own. */
function targetEntry(row: CopiedRow) {
  const { request } = row;
  const asText = typeof request === 'string' && !request.includes('\0');
  return {
    ...row,
    request: asText ? request : null,
    request_bytes: asText ? null : `\\x${Buffer.from(request as string | Uint8Array).toString('hex')}`,
  };
}

/** A row as SQLite holds it. */
function sourceRow(table: CopiedTable, row: Row): CopiedRow {
  const { request_bytes, ...rest } = row as Record<string, never>;
  const bytes = request_bytes as Buffer | null | undefined;
  if (table === history && bytes)
    return { ...rest, request: isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes) };
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  );
}
