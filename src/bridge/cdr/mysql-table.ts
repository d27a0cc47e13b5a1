import { escapeId } from 'mysql2';
import { RecordsRefused } from './cdr-source.ts';
import { columnsToRead } from './cdr-table.ts';
import type { MysqlLink, MysqlOptions } from './mysql-connection.ts';
import type { Candidate, RowTimes } from './table-scan.ts';

/** Rows of a page, of three columns; a page holds all rows of its last second. */
const pageRows = 2_000;
/** Calls whose rows are read by one query. */
const callsAtOnce = 500;
/** Maximum size of a table without an index: each read goes through all of it. */
const maxRowsWithoutIndex = 50_000;

const columnsTodo =
  'FreePBX makes the table with all of them; elsewhere see cdr_adaptive_odbc.conf, which writes each column that the table has.';

export type Table = {
  readonly columns: readonly string[];
  /** The column of the time at which a record begins: `calldate`, or `start`. */
  readonly began: string;
  /** How many characters the column `uniqueid` can hold: FreePBX's 32, into which a long `systemname` does not fit. */
  readonly idWidth: number;
};

/** The queries of a table of call records. */
export function createTableQueries(link: MysqlLink, table: string) {
  const from = escapeId(table);
  const at = (began: string) => `TIMESTAMPDIFF(SECOND, '1970-01-01', ${began})`;
  const timesFrom = (began: string) => `SELECT uniqueid, ${at(began)} AS began, duration FROM ${from}`;

  return {
    /** Rows in the order in which they began, with all rows of the last second. */
    async rowTimes({ began }: Table, bounds: { beganSince: number; endedSince: number }) {
      const sql = `${timesFrom(began)}
        WHERE ${began} >= ? AND ${began} + INTERVAL duration SECOND >= ? ORDER BY ${began} LIMIT ?`;
      for (let limit = pageRows; ; limit *= 2) {
        const rows = await link.query(sql, [text(bounds.beganSince), text(bounds.endedSince), limit]);
        const page = rows.map(rowTimesOf);
        const last = page.at(-1)?.began;
        const isFull = page.length === limit;
        if (!isFull || last !== page[0]?.began) return { page, cursor: isFull ? last : undefined };
      }
    },
    /** Those with new rows since they were read. */
    async withNewRows(candidates: readonly Candidate[], seen: ReadonlyMap<string, number>) {
      const met = candidates.filter(({ uniqueid }) => seen.has(uniqueid)).map(({ uniqueid }) => uniqueid);
      const counted = await inParts(met, (ids) =>
        link.query(
          `SELECT uniqueid, COUNT(*) AS count FROM ${from} WHERE uniqueid IN (?) GROUP BY uniqueid`,
          [ids],
        ),
      );
      const isMore = (id: string, count: number) => count > (seen.get(id) ?? 0);
      return new Set(
        counted
          .filter((row) => isMore(String(row.uniqueid), Number(row.count)))
          .map((row) => String(row.uniqueid)),
      );
    },
    async records({ columns, began }: Table, uniqueids: readonly string[]) {
      const what = columns.map((column) => escapeId(column)).join();
      const order = columns.includes('sequence') ? `${began}, sequence` : began;
      const rows = await inParts(uniqueids, (ids) =>
        link.query(`SELECT ${what} FROM ${from} WHERE uniqueid IN (?) ORDER BY ${order}`, [ids]),
      );
      return Map.groupBy(rows, ({ uniqueid }) => String(uniqueid));
    },
    async newest({ began }: Table) {
      return (await link.query(`${timesFrom(began)} ORDER BY ${began} DESC LIMIT 100`)).map(rowTimesOf);
    },
    async lastBegan({ began }: Table) {
      const [row] = await link.query(`SELECT MAX(${began}) AS last FROM ${from}`);
      return row?.last;
    },
    /** By the database's clock, Unix s. */
    async now(): Promise<number> {
      const [row] = await link.query('SELECT UNIX_TIMESTAMP() AS now');
      return Number(row?.now);
    },
  };
}

export async function readTable(link: MysqlLink, { database, table }: MysqlOptions): Promise<Table> {
  const rows = await link.query(
    'SELECT COLUMN_NAME AS name, CHARACTER_MAXIMUM_LENGTH AS width FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    [database, table],
  );
  if (rows.length === 0)
    throw new RecordsRefused(
      `there is no table ${table} in ${database}, or this user may not read it`,
      `Correct CDR_SOURCE, or as the database's administrator: GRANT SELECT ON ${database}.${table} TO the user.`,
    );
  const names = rows.map(({ name }) => String(name).toLowerCase());
  const columns = columnsToRead(names, `table ${table}`, columnsTodo);
  const began = ['calldate', 'start'].find((column) => names.includes(column));
  const missing = [...(began ? [] : ['calldate']), ...(names.includes('duration') ? [] : ['duration'])];
  if (began === undefined || missing.length > 0)
    throw new RecordsRefused(`table ${table} has no column ${missing.join(', ')}`, columnsTodo);
  await assertIndexed(link, { database, table, columns: [began, 'uniqueid'] });
  const ids = rows.find(({ name }) => String(name).toLowerCase() === 'uniqueid');
  return {
    columns: names.includes('sequence') ? [...columns, 'sequence'] : columns,
    began,
    idWidth: Number(ids?.width) || Number.POSITIVE_INFINITY,
  };
}

async function assertIndexed(
  link: MysqlLink,
  { database, table, columns }: { database: string; table: string; columns: readonly string[] },
): Promise<void> {
  const rows = await link.query(
    'SELECT COLUMN_NAME AS name FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND SEQ_IN_INDEX = 1',
    [database, table],
  );
  const indexed = rows.map(({ name }) => String(name).toLowerCase());
  const missing = columns.filter((column) => !indexed.includes(column));
  if (missing.length === 0) return;
  const [size] = await link.query(
    'SELECT TABLE_ROWS AS count FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    [database, table],
  );
  if (Number(size?.count) > maxRowsWithoutIndex)
    throw new RecordsRefused(
      `table ${table} has ${size?.count} rows and no index on ${missing.join(' and ')}: each read would go through all of it`,
      missing.map((column) => `CREATE INDEX ${column} ON ${database}.${table} (${column});`).join(' '),
    );
}

function rowTimesOf(row: Readonly<Record<string, unknown>>): RowTimes {
  return {
    uniqueid: String(row.uniqueid ?? ''),
    began: Number(row.began),
    duration: Number(row.duration),
  };
}

/** `2026-11-20 06:51:16` */
function text(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

async function inParts<T>(all: readonly string[], work: (part: readonly string[]) => Promise<T[]>) {
  const found: T[] = [];
  for (let first = 0; first < all.length; first += callsAtOnce)
    found.push(...(await work(all.slice(first, first + callsAtOnce))));
  return found;
}
