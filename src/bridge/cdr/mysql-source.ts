import type { Entry, RecordSource } from './cdr-source.ts';
import { faultOf, recordOf } from './cdr-table.ts';
import { createMysqlLink, type MysqlOptions } from './mysql-connection.ts';
import { createTableQueries, readTable, type Table } from './mysql-table.ts';
import {
  boundsOf,
  type Candidate,
  candidatesOf,
  positionAfter,
  positionAtEnd,
  positionOf,
  positionSince,
  possiblePosition,
  type ScanPosition,
  scanFrom,
} from './table-scan.ts';

/**
 * `asteriskcdrdb.cdr` as FreePBX keeps it, and tables of cdr_adaptive_odbc, cdr_odbc or cdr_mysql. A row has no number
 * and no zone, and is written after its call, with the time at which the call began: see `table-scan.ts`. Nothing is
 * locked: each query is a plain SELECT of a bounded range of an index.
 */
export function createMysqlSource(options: MysqlOptions): RecordSource<ScanPosition> {
  const link = createMysqlLink(options);
  const { host, port, socket, database, table } = options;
  const name = `${database}.${table} at ${socket ?? `${host}:${port}`}`;
  const queries = createTableQueries(link, table);
  let known: Table | undefined;

  async function tableOf(): Promise<Table> {
    known ??= await readTable(link, options);
    return known;
  }

  return {
    name,
    positionOf,

    async end() {
      return positionAtEnd(await queries.newest(await tableOf()), await queries.now());
    },

    beginning: async (since) => ({ position: positionSince(Math.floor(since / 1_000)), unread: [] }),

    async read(last, how) {
      const table = await tableOf();
      const now = await queries.now();
      const position = possiblePosition(last, now);
      const { here, thorough } = scanFrom(position, how.thorough);
      const { page, cursor } = await queries.rowTimes(table, boundsOf(here, thorough));
      const seen = new Map(here.seen.map(([uniqueid, rows]) => [uniqueid, rows]));
      const candidates = candidatesOf(here, thorough, page);
      const more = await queries.withNewRows(candidates, seen);
      const fresh = candidates.filter(({ uniqueid }) => !seen.has(uniqueid) || more.has(uniqueid));
      const rows = await queries.records(
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
      const last = await queries.lastBegan(await tableOf());
      return last == null ? 'can be read; it is empty' : `can be read; the last call began ${last}`;
    },

    close: link.close,
  };
}
