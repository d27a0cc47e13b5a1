import { isUtf8 } from 'node:buffer';
import type { HistoryCursor, HistorySearch, StoredRequest } from '../request-store.ts';
import { placesOf } from '../shared/bloom-filter.ts';
import {
  CHUNK_SIZE,
  type HistoryFilter,
  type HistoryReader,
  type HistorySlice,
  type HistorySpan,
} from '../shared/history-pages.ts';
import { piecesOf } from '../shared/text-pieces.ts';
import type { Database, Row, Value } from './database.ts';

/** How an entry is found again: the account, the time (and so the partition) and the id. */
export type Place = HistoryCursor & { readonly account: number };

/** Pieces of a term that filters are asked for: by chance, few blocks have so many of them without the term. */
const ASKED = 4;

/** Reads the history in slices; a partition whose time a slice cannot reach is not looked at. */
export function historyReader(database: Database): HistoryReader<Place> {
  const one = async (sql: string, ...values: Value[]) =>
    Object.values((await database.rows(sql, ...values))[0] ?? {})[0] as number;

  async function filterFor(account: number, search: HistorySearch | null): Promise<HistoryFilter> {
    if (search === null) return { by: 'all' };
    if (search.in === 'call') return { by: 'call', id: search.term };
    const event = 'SELECT 1 FROM history WHERE account_id = $1 AND call_id = $2 LIMIT 1';
    const known = search.in === 'request' && (await database.rows(event, account, search.term)).length > 0;
    if (known) return { by: 'call', id: search.term };
    const spans = search.in === 'request' ? await spansFor(account, search.term) : undefined;
    return { by: 'text', search, ...(spans && { spans }) };
  }

  /** Where requests may hold a term: blocks that follow each other are one span. */
  async function spansFor(account: number, term: string): Promise<HistorySpan[]> {
    const wanted = textsOf(term).map((text) => piecesOf(account, text).slice(0, ASKED).flatMap(placesOf));
    const blocks = wanted.map((_, index) => `history_blocks_with(bits, blocks, $${index + 3}::bigint[])`);
    // One statement, so that what has a filter and what has none is one and the same state.
    const found = await database.rows<{ edges: string[] | null; blocks: string }>(
      `SELECT CASE WHEN strpos(blocks, '1') > 0 THEN edges::text[] END AS edges, blocks FROM (
         SELECT last_at, last_id, edges, (${blocks.join(' | ')})::text AS blocks
         FROM history_filters WHERE account_id = $1
         UNION ALL
         SELECT $2, 0, ARRAY[coalesce(max(last_at), 0), $2], '1' FROM history_filters WHERE account_id = $1
         OFFSET 0
       ) AS filters ORDER BY last_at, last_id`,
      account,
      Number.MAX_SAFE_INTEGER,
      ...wanted,
    );
    const spans: HistorySpan[] = [];
    let goesOn = false;
    for (const { edges, blocks } of found)
      for (let block = 0; block < blocks.length; block += 1) {
        const may = edges !== null && blocks[block] === '1';
        if (may) {
          const before = goesOn ? spans.pop() : undefined;
          const from = before?.from ?? Number(edges[block * 2]);
          spans.push({ from, to: Number(edges[block * 2 + 1]) });
        }
        goesOn = may;
      }
    return spans;
  }

  async function skip(slice: HistorySlice): Promise<HistoryCursor | null> {
    const { where, values } = conditions(slice);
    const [last] = await database.rows<{ at: number; id: number }>(
      `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice)} LIMIT 1 OFFSET $${values.length + 1}`,
      ...values,
      slice.rows - 1,
    );
    return last ?? null;
  }

  return {
    async start(account, search) {
      const filter = await filterFor(account, search);
      const [lastId, total] = await Promise.all([
        one('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM history_id_seq'),
        filter.by === 'call'
          ? one('SELECT count(*) FROM history WHERE account_id = $1 AND call_id = $2', account, filter.id)
          : one(
              'SELECT coalesce(sum(entries), 0)::bigint FROM history_counts WHERE account_id = $1',
              account,
            ),
      ]);
      return { lastId, filter, total };
    },

    skip,

    async slice(slice) {
      const { account, filter, rows: size } = slice;
      if (filter.by !== 'text') {
        const { where, values } = conditions(slice);
        const found = await database.rows<HistoryCursor>(
          `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice)} LIMIT $${values.length + 1}`,
          ...values,
          size,
        );
        return {
          ids: found.map((place) => ({ account, ...place })),
          rows: found.length,
          next: found[size - 1] ?? null,
        };
      }
      const spans = filter.spans ?? EVER;
      const span = nextSpan(spans, slice);
      if (span === undefined) return { ids: [], rows: 0, next: null };
      // A place outside the span would be where the server begins to look: it would read all that is between.
      const isIn = slice.after !== null && slice.after.at >= span.from && slice.after.at <= span.to;
      const { where, values } = conditions({ ...slice, after: isIn ? slice.after : null });
      const { term, in: column } = filter.search;
      const [from, to, limit, plain, ...texts] = Array.from(
        { length: 3 + textsOf(term).length },
        (_, n) => `$${values.length + n + 1}`,
      );
      const hits = [plain, ...texts].map((text) => `strpos(${column}, ${text}) > 0`);
      if (column === 'request') hits.push(`position(convert_to(${plain}, 'UTF8') IN request_bytes) > 0`);
      const found = await database.rows<HistoryCursor & { hit: boolean; n: number }>(
        `SELECT * FROM (
           SELECT *, row_number() OVER () AS n, count(*) OVER () AS rows FROM (
             SELECT created_at AS at, id, (${hits.join(' OR ')}) AS hit
             FROM history WHERE ${where} AND created_at BETWEEN ${from} AND ${to} ${orderBy(slice)} LIMIT ${limit}
           ) AS looked
         ) AS numbered WHERE hit OR n = rows`,
        ...[...values, span.from, span.to, size, ...textsOf(term)],
      );
      const last = found.at(-1);
      const full = last?.n === size;
      const next =
        last && full
          ? { at: last.at, id: last.id }
          : slice.order === 'newest'
            ? { at: span.from, id: 0 }
            : { at: span.to, id: Number.MAX_SAFE_INTEGER };
      return {
        ids: found.flatMap(({ at, id, hit }) => (hit ? [{ account, at, id }] : [])),
        rows: last?.n ?? 0,
        next: full || nextSpan(spans, { ...slice, after: next }) ? next : null,
      };
    },

    async entries(places) {
      const times = places.map(({ at }) => at);
      const rows = await database.rows(
        `SELECT * FROM (
           SELECT k.n, h.id, h.integration_id, h.created_at, h.method, h.path, h.request, h.request_bytes, h.status, h.response, h.duration,
             count(*) OVER () AS found, z.size, sum(z.size) OVER (ORDER BY k.n) AS up_to
           FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS k(at, id, n)
           JOIN history h ON h.created_at = k.at AND h.id = k.id AND h.account_id = $3
             AND h.created_at BETWEEN $4 AND $5
           CROSS JOIN LATERAL (SELECT coalesce(octet_length(h.request), octet_length(h.request_bytes))
             + coalesce(octet_length(h.response), 0) AS size) z
         ) e WHERE up_to - size < $6 ORDER BY n`,
        times,
        places.map(({ id }) => id),
        places[0]?.account ?? 0,
        Math.min(...times),
        Math.max(...times),
        CHUNK_SIZE,
      );
      // Those that the retention has deleted since they were found are taken too.
      const cut = rows.length < ((rows[0]?.found as number | undefined) ?? 0);
      return { entries: rows.map(entryOf), taken: cut ? (rows.at(-1)?.n as number) : places.length };
    },
  };
}

function conditions({ account, filter, order, after, lastId }: HistorySlice) {
  const where = ['account_id = $1', 'id <= $2'];
  const values: Value[] = [account, lastId];
  if (filter.by === 'call') {
    values.push(filter.id);
    where.push(`call_id = $${values.length}`);
  }
  if (after !== null) {
    values.push(after.at, after.id);
    const [at, id] = [`$${values.length - 1}`, `$${values.length}`];
    // The first is for the partitions: a comparison of rows does not leave any out.
    where.push(order === 'newest' ? `created_at <= ${at}` : `created_at >= ${at}`);
    where.push(`(created_at, id) ${order === 'newest' ? '<' : '>'} (${at}, ${id})`);
  }
  return { where: where.join(' AND '), values };
}

/** What is looked for: the term, and how a query string has it. */
const textsOf = (term: string) => [...new Set([term, encodeURIComponent(term)])];

const EVER: readonly HistorySpan[] = [{ from: 0, to: Number.MAX_SAFE_INTEGER }];

/** The first span, in the slice's order, that has something after its place. Spans are in the order of time. */
function nextSpan(
  spans: readonly HistorySpan[],
  { order, after }: Pick<HistorySlice, 'order' | 'after'>,
): HistorySpan | undefined {
  if (order === 'newest')
    return spans.findLast(
      ({ from }) => after === null || from < after.at || (from === after.at && after.id > 0),
    );
  return spans.find(
    ({ to }) => after === null || to > after.at || (to === after.at && after.id < Number.MAX_SAFE_INTEGER),
  );
}

function orderBy({ order }: HistorySlice): string {
  return order === 'newest' ? 'ORDER BY created_at DESC, id DESC' : 'ORDER BY created_at, id';
}

function entryOf(row: Row): StoredRequest {
  const bytes = row.request_bytes as Buffer | null;
  return {
    id: row.id as number,
    integration: row.integration_id as number,
    at: row.created_at as number,
    method: row.method as string,
    path: row.path as string,
    request:
      bytes === null ? (row.request as string) : isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes),
    status: row.status as number,
    response: row.response as string | null,
    duration: row.duration as number,
  };
}
