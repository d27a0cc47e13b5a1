import { isUtf8 } from 'node:buffer';
import type { Database } from '../store/postgres/database.ts';
import { DAY_MS, type Partitions } from '../store/postgres/partitions.ts';
import { untilNone } from '../store/statements.ts';
import { CHUNK_SIZE } from './history-paging.ts';
import type { ReadEntries } from './history-reader.ts';
import type { RequestStore, StoredRequest } from './request-store.ts';

/** Partitions outside the time of the entries are not read. */
export function historyEntries(database: Database): ReadEntries {
  return async (account, places) => {
    const times = places.map(({ at }) => at);
    const rows = await database.rows<
      StoredRequest & { request_bytes: Buffer | null } & Record<'n' | 'found' | 'size' | 'up_to', number>
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
      ({ request_bytes: bytes, n, found, size, up_to, ...entry }): StoredRequest =>
        bytes === null
          ? entry
          : { ...entry, request: isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes) },
    );
    return { entries, taken: cut ? (rows.at(-1)?.n ?? 0) : places.length };
  };
}

/** Rows deleted in one transaction. */
const STEP = 5000;
const LOCK = 5_727_003;

/**
 * Retention. By age, whole partitions go when the last day in them is too old; that costs the same however much they
 * hold. By count, and by an account's own age, entries of single accounts are deleted row by row, by one process at a time.
 */
export function trimmer(
  database: Database,
  partitions: Partitions,
  shard: number,
): Pick<RequestStore, 'trim' | 'trimAccount'> {
  const excessive = (keep: number) =>
    database.rows<{ account: number }>(
      `SELECT account_id AS account FROM history_counts GROUP BY 1 HAVING sum(entries) > $1`,
      keep,
    );

  const deleteOldest = (account: number, { keep = 0, before = Number.MAX_SAFE_INTEGER }) =>
    database.transaction(async ({ rows }) => {
      await rows('SELECT pg_advisory_xact_lock($1)', LOCK);
      const [sum] = await rows<{ entries: number }>(
        'SELECT coalesce(sum(entries), 0)::bigint AS entries FROM history_counts WHERE account_id = $1',
        account,
      );
      const excess = Math.min(STEP, (sum?.entries ?? 0) - keep);
      if (excess <= 0) return 0;
      const [gone] = await rows<{ entries: number }>(
        `WITH oldest AS MATERIALIZED (
           SELECT created_at, id FROM history WHERE account_id = $1 AND created_at < $5 ORDER BY created_at, id LIMIT $2
         ), gone AS (
           DELETE FROM history h USING oldest o
           WHERE h.account_id = $1 AND h.created_at = o.created_at AND h.id = o.id RETURNING h.created_at
         ), counted AS (
           INSERT INTO history_counts AS c (account_id, day, shard, entries)
           SELECT $1, created_at / $4, $3::integer, -count(*) FROM gone GROUP BY 2
           ON CONFLICT (account_id, day, shard) DO UPDATE SET entries = c.entries + excluded.entries
         ) SELECT count(*) AS entries FROM gone`,
        account,
        excess,
        shard,
        DAY_MS,
        before,
      );
      return gone?.entries ?? 0;
    });
  const deleteAll = (account: number, limits: Parameters<typeof deleteOldest>[1]) =>
    untilNone(() => deleteOldest(account, limits));

  return {
    async trim({ before, keep }) {
      let deleted = before === undefined ? 0 : await partitions.drop(before);
      if (keep === undefined) return deleted;
      for (const { account } of await excessive(keep)) deleted += await deleteAll(account, { keep });
      return deleted;
    },
    trimAccount: (account, before) => deleteAll(account, { before }),
  };
}
