import { isUtf8 } from 'node:buffer';
import type { Database } from '../store/postgres/database.ts';
import { CHUNK_SIZE, type HistoryReader } from './history-paging.ts';
import type { StoredRequest } from './request-store.ts';

/** Partitions outside the time of the entries are not read. */
export function historyEntries(database: Database): HistoryReader['entries'] {
  return async (account, places) => {
    const times = places.map(({ at }) => at);
    const rows = await database.rows<
      StoredRequest & { request_bytes: Buffer | null; n: number; found: number }
    >(
      `SELECT * FROM (
         SELECT k.n, h.id, h.integration_id AS integration, h.created_at AS at, h.method, h.path, h.request,
           h.request_bytes, h.status, h.response, h.duration, h.effect,
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
    const cut = rows.length < (rows[0]?.found ?? 0);
    const entries = rows.map(
      ({
        id,
        integration,
        at,
        method,
        path,
        request,
        request_bytes: bytes,
        status,
        response,
        duration,
        effect,
      }) => ({
        id,
        integration,
        at,
        method,
        path,
        status,
        response,
        duration,
        effect,
        request: bytes === null ? request : isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes),
      }),
    );
    return { entries, taken: cut ? (rows.at(-1)?.n ?? 0) : places.length };
  };
}
