import { isUtf8 } from 'node:buffer';
import type { HistoryCursor, StoredRequest } from '../request-store.ts';
import { CHUNK_SIZE, type HistoryReader, type HistorySlice } from '../shared/history-paging.ts';
import type { Database, Row, Value } from './database.ts';

/** Reads the history in slices; partitions outside the time of a slice are not read. */
export function historyReader(database: Database): HistoryReader {
  const one = async (sql: string, ...values: Value[]) =>
    Object.values((await database.rows(sql, ...values))[0] ?? {})[0] as number;

  return {
    lastId: () => one('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM history_id_seq'),

    total: (account) =>
      one('SELECT coalesce(sum(entries), 0)::bigint FROM history_counts WHERE account_id = $1', account),

    async skip(slice) {
      const { where, values } = conditions(slice);
      const [last] = await database.rows<HistoryCursor>(
        `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice)} LIMIT 1 OFFSET $${values.length + 1}`,
        ...values,
        slice.rows - 1,
      );
      return last ?? null;
    },

    async slice(slice) {
      const { search, rows: size } = slice;
      const { where, values } = conditions(slice);
      const n = values.length;
      if (search?.in !== 'request' && search?.in !== 'response') {
        const hits = await database.rows<HistoryCursor>(
          `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice)} LIMIT $${n + 1}`,
          ...values,
          size,
        );
        return { hits, next: hits[size - 1] ?? null };
      }
      const [limit, term, encoded] = [`$${n + 1}`, `$${n + 2}::text`, `$${n + 3}::text`];
      const texts = [term, encoded].map((text) => `strpos(${search.in}, ${text}) > 0`);
      if (search.in === 'request') texts.push(`position(convert_to(${term}, 'UTF8') IN request_bytes) > 0`);
      const named =
        search.in === 'request'
          ? `coalesce(call_id = ${term}, false) OR coalesce(from_number = ${term}, false)`
          : 'false';
      const found = await database.rows<HistoryCursor & { hit: boolean; named: boolean; n: number }>(
        `SELECT at, id, named, named OR hit AS hit, n FROM (
           SELECT *, row_number() OVER () AS n, count(*) OVER () AS rows FROM (
             SELECT created_at AS at, id, (${texts.join(' OR ')}) AS hit, ${named} AS named
             FROM history WHERE ${where} ${orderBy(slice)} LIMIT ${limit}
           ) AS looked
         ) AS numbered WHERE named OR hit OR n = rows`,
        ...[...values, size, search.term, encodeURIComponent(search.term)],
      );
      const last = found.at(-1);
      return {
        hits: found.filter(({ hit }) => hit).map(({ at, id, named }) => ({ at, id, named })),
        next: last?.n === size ? { at: last.at, id: last.id } : null,
      };
    },

    async entries(account, places) {
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
        account,
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

function conditions({ account, search, order, after, lastId }: HistorySlice) {
  const where = ['account_id = $1', 'id <= $2'];
  const values: Value[] = [account, lastId];
  if (search?.in === 'call' || search?.in === 'number') {
    values.push(search.term);
    where.push(`${search.in === 'call' ? 'call_id' : 'from_number'} = $${values.length}`);
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
