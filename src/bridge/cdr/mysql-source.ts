import { escapeId } from 'mysql2';
import { type Entry, type RecordSource, RecordsRefused } from './cdr-source.ts';
import { columnsToRead, faultOf, recordOf } from './cdr-table.ts';
import { createMysqlLink, type MysqlLink, type MysqlOptions } from './mysql-connection.ts';
import {
  boundsOf,
  type Candidate,
  candidatesOf,
  dayS,
  positionAfter,
  positionOf,
  possiblePosition,
  type RowTimes,
  type ScanPosition,
} from './table-scan.ts';

/** Rows of a page, of three columns; a page holds all rows of its last second. */
const pageRows = 2_000;
/** Calls whose rows are read by one query. */
const callsAtOnce = 500;
/** Maximum size of a table without an index: each read goes through all of it. */
const maxRowsWithoutIndex = 50_000;

const columnsTodo =
  'FreePBX makes the table with all of them; elsewhere see cdr_adaptive_odbc.conf, which writes each column that the table has.';

type Table = {
  readonly columns: readonly string[];
  /** The column of the time at which a record begins: `calldate`, or `start`. */
  readonly began: string;
  /** How many characters the column `uniqueid` can hold: FreePBX's 32, into which a long `systemname` does not fit. */
  readonly idWidth: number;
};

/**
 * `asteriskcdrdb.cdr` as FreePBX keeps it, and tables of cdr_adaptive_odbc, cdr_odbc or cdr_mysql. A row has no number
 * and no zone, and is written after its call, with the time at which the call began: see `table-scan.ts`. Nothing is
 * locked: each query is a plain SELECT of a bounded range of an index.
 */
export function createMysqlSource(options: MysqlOptions): RecordSource<ScanPosition> {
  const link = createMysqlLink(options);
  const { host, port, socket, database, table } = options;
  const name = `${database}.${table} at ${socket ?? `${host}:${port}`}`;
  const from = escapeId(table);
  let known: Table | undefined;

  async function tableOf(): Promise<Table> {
    known ??= await readTable(link, options);
    return known;
  }

  const at = (began: string) => `TIMESTAMPDIFF(SECOND, '1970-01-01', ${began})`;

  /** Rows in the order in which they began, with all rows of the last second. */
  async function readRowTimes({ began }: Table, bounds: { beganSince: number; endedSince: number }) {
    const sql = `SELECT uniqueid, ${at(began)} AS began, duration FROM ${from}
      WHERE ${began} >= ? AND ${began} + INTERVAL duration SECOND >= ? ORDER BY ${began} LIMIT ?`;
    for (let limit = pageRows; ; limit *= 2) {
      const rows = await link.query(sql, [text(bounds.beganSince), text(bounds.endedSince), limit]);
      const page = rows.map(rowTimesOf);
      const last = page.at(-1)?.began;
      const isFull = page.length === limit;
      if (!isFull || last !== page[0]?.began) return { page, cursor: isFull ? last : undefined };
    }
  }

  /** Those with new rows since they were read. */
  async function withNewRows(candidates: readonly Candidate[], seen: ReadonlyMap<string, number>) {
    const met = candidates.filter(({ uniqueid }) => seen.has(uniqueid)).map(({ uniqueid }) => uniqueid);
    const counted = await inParts(met, (ids) =>
      link.query(`SELECT uniqueid, COUNT(*) AS count FROM ${from} WHERE uniqueid IN (?) GROUP BY uniqueid`, [
        ids,
      ]),
    );
    const isMore = (id: string, count: number) => count > (seen.get(id) ?? 0);
    return new Set(
      counted
        .filter((row) => isMore(String(row.uniqueid), Number(row.count)))
        .map((row) => String(row.uniqueid)),
    );
  }

  async function recordsOf({ columns, began }: Table, uniqueids: readonly string[]) {
    const what = columns.map((column) => escapeId(column)).join();
    const order = columns.includes('sequence') ? `${began}, sequence` : began;
    const rows = await inParts(uniqueids, (ids) =>
      link.query(`SELECT ${what} FROM ${from} WHERE uniqueid IN (?) ORDER BY ${order}`, [ids]),
    );
    return Map.groupBy(rows, ({ uniqueid }) => String(uniqueid));
  }

  async function clock(): Promise<number> {
    const [row] = await link.query('SELECT UNIX_TIMESTAMP() AS now');
    return Number(row?.now);
  }

  return {
    name,
    positionOf,

    async end() {
      const { began } = await tableOf();
      const sql = `SELECT uniqueid, ${at(began)} AS began, duration FROM ${from} ORDER BY ${began} DESC LIMIT 100`;
      const newest = (await link.query(sql)).map(rowTimesOf);
      // Earlier calls are not reported, so this may be too early, but not too late.
      const start: ScanPosition = { at: 0, thoroughAt: 0, zone: null, seen: [], unfinished: null };
      const calls = candidatesOf(start, true, newest).map((call) => ({ ...call, rows: 0 }));
      const now = await clock();
      return calls.length === 0
        ? { ...start, at: now - dayS, thoroughAt: now - dayS }
        : { ...positionAfter(start, { cursor: undefined, thorough: true, read: calls, now }), seen: [] };
    },

    async read(last, how) {
      const table = await tableOf();
      const now = await clock();
      const position = possiblePosition(last, now);
      // A thorough scan does not continue a quick one.
      const restarts = how.thorough && position.unfinished?.thorough === false;
      const unfinished = restarts ? null : position.unfinished;
      const here = { ...position, unfinished };
      const thorough = unfinished?.thorough ?? how.thorough;
      const { page, cursor } = await readRowTimes(table, boundsOf(here, thorough));
      const seen = new Map(here.seen.map(([uniqueid, rows]) => [uniqueid, rows]));
      const candidates = candidatesOf(here, thorough, page);
      const more = await withNewRows(candidates, seen);
      const fresh = candidates.filter(({ uniqueid }) => !seen.has(uniqueid) || more.has(uniqueid));
      const rows = await recordsOf(
        table,
        fresh.map(({ uniqueid }) => uniqueid),
      );
      const rowsOf = ({ uniqueid }: Candidate) => rows.get(uniqueid) ?? [];
      const read = fresh.map((call) => ({ ...call, rows: rowsOf(call).length }));
      const records = fresh.flatMap(rowsOf).map((row) => recordOf(row, table.idWidth));
      const faults = new Set(page.flatMap(({ uniqueid }) => faultOf(uniqueid, table.idWidth) ?? []));
      return {
        entries: [...records, ...faults].map((record): Entry<ScanPosition> => ({ record, from: position })),
        next: positionAfter(here, { cursor, thorough, read, now }),
        atEnd: cursor === undefined,
        restarted: false,
      };
    },

    idWidth: () => known?.idWidth ?? Number.POSITIVE_INFINITY,

    async probe() {
      const { began } = await tableOf();
      const [last] = await link.query(`SELECT MAX(${began}) AS last FROM ${from}`);
      return last?.last == null
        ? 'can be read; it is empty'
        : `can be read; the last call began ${last.last}`;
    },

    close: link.close,
  };
}

async function readTable(link: MysqlLink, { database, table }: MysqlOptions): Promise<Table> {
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
