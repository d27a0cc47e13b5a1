import type { RequestStore } from '../request-store.ts';
import { bitMatrix, bloomFilter } from '../shared/bloom-filter.ts';
import { addPieces } from '../shared/text-pieces.ts';
import type { Conversation, Database } from './database.ts';
import { DAY_MS } from './partitions.ts';

/**
 * Entries of a block, at most; and pieces: long payloads have many, and a filter of all pieces rules out nothing; and
 * bytes: so many are cut to pieces in a fifth of a second, in which nobody records.
 */
const ENTRIES = 4096;
const PIECES = 80_000;
const BYTES = 1_000_000;
/** Filters joined at most: 8 MB, made in a twentieth of a second. */
const JOINED = 64;
/** Entries read at once: between two reads others have their turn. */
const READ = 128;
/** So long entries are left out: one may be recorded late, or by a process whose clock is behind. */
const SETTLES_MS = 600_000;
const LOCK = 5_727_006;

/** A day of an account, how many entries it has, and a name for all of that. */
type Day = {
  readonly account: number;
  readonly day: number;
  readonly entries: number;
  readonly name: string;
};
type Place = { readonly at: number; readonly id: number };

/**
 * Makes digests of the history: of each block, a few thousand entries of an account in the order in which they are read,
 * a filter of the pieces (text-pieces.ts) that their requests hold. A text search reads only what a filter does not rule
 * out, and what has none yet. Blocks of an account follow each other without a gap, from its oldest entry on, none over
 * two days. The filters of a day are joined, so that a search reads about as much of a day however busy it was.
 * A version that does not know of this does no harm: that a filter lacks an entry which came too late shows when the day
 * is over, by the count of its entries, and the filters from that day on are made anew.
 */
export function digester(database: Database): RequestStore['digest'] {
  /** The day from which on there may be something to do, and that of the last look at all days. */
  let since = 0;
  let today = 0;
  /** The names of days that were done anew. */
  const anew = new Set<string>();

  /** Of each account that has enough to digest, its first such day. */
  const wanting = (settled: number) =>
    database.rows<Day>(
      `SELECT DISTINCT ON (account) account, day, entries, name FROM (
         SELECT account_id AS account, day, sum(entries)::bigint AS entries FROM history_counts
         WHERE day BETWEEN $1 AND $2 GROUP BY 1, 2) c
       LEFT JOIN (
         SELECT account_id AS account, day, sum(entries)::bigint AS digested FROM history_filters
         WHERE day BETWEEN $1 AND $2 GROUP BY 1, 2) d USING (account, day)
       CROSS JOIN LATERAL (SELECT account || ' ' || day || ' ' || entries AS name) n
       WHERE (entries - coalesce(digested, 0) >= CASE WHEN day < $2 THEN 1 ELSE $3 END
           -- Some of today's are deleted already: how many are to be digested cannot be told.
           OR day = $2 AND digested > entries)
         AND name <> ALL ($4)
       ORDER BY account, day`,
      since,
      dayOf(settled),
      ENTRIES,
      [...anew],
    );

  /** One process at a time, or digests would not follow each other. Rejects with AnotherIsAtIt. */
  const alone = <T>(work: (conversation: Conversation) => Promise<T>) =>
    database.converse(
      async ({ rows }) => {
        const [lock] = await rows<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', LOCK);
        if (!lock?.got) throw new AnotherIsAtIt();
        return work({ rows });
      },
      { statement: 60_000 },
    );

  /** Digests one block; gives of how many entries, 0 if there are not enough. */
  const next = (account: number, settled: number) =>
    alone(async ({ rows }) => {
      const block = await read({ rows }, account, settled);
      if (block === undefined) return 0;
      const { first, last, entries, pieces } = block;
      const filter = bloomFilter(pieces);
      await insert({ rows }, { account, day: dayOf(first), last, entries, edges: [first, last.at] }, filter);
      return entries;
    });

  /** Joins the filters of a day, as many as make a matrix, in which less is read. */
  const join = (account: number, day: number) =>
    alone(async ({ rows }) => {
      const found = await rows<{ at: number; id: number; entries: number; edges: string[]; bits: Buffer }>(
        `SELECT last_at AS at, last_id AS id, entries, edges::text[], bits FROM history_filters
         WHERE account_id = $1 AND day = $2 AND blocks = 1 ORDER BY last_at, last_id LIMIT $3`,
        ...[account, day, JOINED],
      );
      const joined = found.slice(0, found.length - (found.length % 8));
      const last = joined.at(-1);
      if (last === undefined) return;
      await rows(
        `DELETE FROM history_filters
         WHERE account_id = $1 AND day = $2 AND blocks = 1 AND (last_at, last_id) <= ($3, $4)`,
        ...[account, day, last.at, last.id],
      );
      const entries = joined.reduce((sum, block) => sum + block.entries, 0);
      const edges = joined.flatMap((block) => block.edges.map(Number));
      await insert(
        { rows },
        { account, day, last, entries, edges },
        bitMatrix(joined.map(({ bits }) => bits)),
      );
    });

  /** Days with enough filters to be joined: of one that is not over, as many as are joined at most. */
  const joinable = (settled: number) =>
    database.rows<{ account: number; day: number }>(
      `SELECT account_id AS account, day FROM history_filters WHERE blocks = 1 AND day BETWEEN $1 AND $2
       GROUP BY 1, 2 HAVING count(*) >= CASE WHEN day < $2 THEN 8 ELSE $3 END`,
      ...[since, dayOf(settled), JOINED],
    );

  /**
   * Some of a day's entries came late, or are still to be digested. They came late if there are digests after the day,
   * or nothing is left to digest; then it is done anew, if another process has not done it by now. True if there was
   * something to remove.
   */
  async function removeIncomplete(of: Day, nothingLeft: boolean): Promise<boolean> {
    const removed = await alone(({ rows }) =>
      rows(
        `DELETE FROM history_filters WHERE account_id = $1 AND last_at >= $2
           AND EXISTS (SELECT FROM history_filters WHERE account_id = $1 AND last_at >= $3)
           AND (SELECT coalesce(sum(entries), 0) FROM history_filters WHERE account_id = $1 AND day = $4) < $5
         RETURNING day`,
        ...[of.account, of.day * DAY_MS, nothingLeft ? 0 : (of.day + 1) * DAY_MS, of.day, of.entries],
      ),
    );
    return removed.length > 0;
  }

  return async (now) => {
    const settled = now - SETTLES_MS;
    if (dayOf(settled) > today) since = 0;
    const redone: string[] = [];
    let digested = 0;
    try {
      for (let goesOn = true; goesOn; ) {
        goesOn = false;
        for (const one of await wanting(settled)) {
          const over = one.day < dayOf(settled);
          let removed = over && (await removeIncomplete(one, false));
          let entries = await next(one.account, settled);
          if (entries === 0 && over && !removed) {
            removed = await removeIncomplete(one, true);
            if (removed) entries = await next(one.account, settled);
          }
          if (removed) {
            anew.add(one.name);
            redone.push(one.name);
          }
          for (; entries > 0; entries = await next(one.account, settled)) {
            digested += entries;
            goesOn = true;
          }
          goesOn ||= removed;
        }
      }
      for (let days = await joinable(settled); days.length > 0; days = await joinable(settled))
        for (const { account, day } of days) await join(account, day);
    } catch (error) {
      // `since` stays: the next run looks at the same days.
      for (const name of redone) anew.delete(name);
      if (error instanceof AnotherIsAtIt) return digested;
      throw error;
    }
    today = dayOf(settled);
    since = today - 1;
    return digested;
  };
}

/** Without a message: one that speaks of a connection would be taken for a failure of it (see unavailable.ts). */
class AnotherIsAtIt extends Error {}

/** One filter, or a matrix of several, of blocks that end with an entry. */
function insert(
  { rows }: Conversation,
  of: { account: number; day: number; last: Place; entries: number; edges: readonly number[] },
  bits: Uint8Array,
) {
  return rows(
    `INSERT INTO history_filters (account_id, day, last_at, last_id, entries, blocks, edges, bits)
     VALUES ($1, $2, $3, $4, $5, $6, $7::bigint[], $8)`,
    ...[of.account, of.day, of.last.at, of.last.id, of.entries, of.edges.length / 2],
    ...[of.edges, bits],
  );
}

const dayOf = (at: number) => Math.floor(at / DAY_MS);

/** The next block after those of an account that are digested; undefined if it is not full and its day is not over. */
async function read({ rows }: Conversation, account: number, settled: number) {
  const [known] = await rows<Place>(
    `SELECT last_at AS at, last_id AS id FROM history_filters WHERE account_id = $1
     ORDER BY last_at DESC, last_id DESC LIMIT 1`,
    account,
  );
  const pieces = new Set<number>();
  let first: number | undefined;
  let last = known ?? { at: 0, id: 0 };
  let entries = 0;
  let bytes = 0;
  let until = settled;
  let over = false;
  const full = () => entries >= ENTRIES || pieces.size >= PIECES || bytes >= BYTES;
  while (!full()) {
    const found = await rows<{
      at: number;
      id: number;
      request: string | null;
      request_bytes: Buffer | null;
    }>(
      `SELECT created_at AS at, id, request, request_bytes FROM history
       WHERE account_id = $1 AND created_at >= $2 AND (created_at, id) > ($2, $3) AND created_at < $4
       ORDER BY created_at, id LIMIT $5`,
      ...[account, last.at, last.id, until, READ],
    );
    first ??= found[0]?.at;
    if (first !== undefined) {
      const end = (dayOf(first) + 1) * DAY_MS;
      over = end <= settled;
      until = Math.min(settled, end);
    }
    for (const { at, id, request, request_bytes } of found) {
      if (at >= until || full()) break;
      const text = request_bytes ?? Buffer.from(request as string);
      addPieces(pieces, account, text);
      last = { at, id };
      entries += 1;
      bytes += text.length;
    }
    if (found.length < READ || (found.at(-1)?.at as number) >= until) break;
  }
  return first !== undefined && (over || full()) ? { first, last, entries, pieces } : undefined;
}
