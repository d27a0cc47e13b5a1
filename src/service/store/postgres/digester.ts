import type { RequestStore } from '../request-store.ts';
import { addPieces } from '../text-pieces.ts';
import type { Conversation, Database } from './database.ts';
import { DAY_MS } from './partitions.ts';

/** Entries that a digest is of, at most; and pieces: long payloads have many, and a digest of all pieces rules out nothing. */
const ENTRIES = 4096;
const PIECES = 50_000;
/** Entries read at once. */
const READ = 512;
/** So long entries are left out: one may be recorded late, or by a process whose clock is behind. */
const SETTLES_MS = 600_000;
const LOCK = 5_727_006;

type Day = { readonly account: number; readonly day: number; readonly entries: number };

/**
 * Makes digests of the history: of each few thousand entries of an account, in the order in which they are read, the
 * pieces (text-pieces.ts) that their requests hold. A text search reads only what a digest does not rule out, and what
 * has none yet. Digests of an account follow each other without a gap, from its oldest entry on, none over two days.
 * Nobody who records waits for this, and a version that does not know of it does no harm: that a digest lacks an entry
 * which came too late shows when the day is over, by the count of its entries, and the day's are made anew.
 */
export function digester(database: Database): RequestStore['digest'] {
  /** The day from which on there may be something to do, and that of the last look at all days. */
  let since = 0;
  let today = 0;
  const anew = new Set<string>();

  /** Of each account that has enough to digest, its first such day. */
  async function wanting(settled: number): Promise<Day[]> {
    const days = await database.rows<Day>(
      `SELECT account, day, entries FROM (
         SELECT account_id AS account, day, sum(entries)::bigint AS entries FROM history_counts
         WHERE day BETWEEN $1 AND $2 GROUP BY 1, 2) c
       LEFT JOIN (
         SELECT account_id AS account, day, sum(entries)::bigint AS digested FROM history_digests
         WHERE day BETWEEN $1 AND $2 GROUP BY 1, 2) d USING (account, day)
       WHERE entries - coalesce(digested, 0) >= CASE WHEN day < $2 THEN 1 ELSE $3 END
       ORDER BY account, day`,
      since,
      dayOf(settled),
      ENTRIES,
    );
    const first = days.filter((day) => !anew.has(nameOf(day))).toReversed();
    return [...new Map(first.map((day) => [day.account, day])).values()];
  }

  /** One process at a time, or digests would not follow each other; undefined if another one is at it. */
  const alone = <T>(work: (conversation: Conversation) => Promise<T>) =>
    database.converse(
      async ({ rows }) => {
        const [lock] = await rows<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', LOCK);
        return lock?.got ? work({ rows }) : undefined;
      },
      { statement: 60_000 },
    );

  /** One digest; gives of how many entries, 0 if there are not enough. */
  const next = (account: number, settled: number) =>
    alone(async ({ rows }) => {
      const block = await read({ rows }, account, settled);
      if (block === undefined) return 0;
      await rows(
        `INSERT INTO history_digests (account_id, day, first_at, last_at, last_id, entries, pieces)
         VALUES ($1, $2, $3, $4, $5, $6, $7::int[])`,
        ...[account, dayOf(block.first), block.first, block.last.at, block.last.id, block.entries],
        [...block.pieces],
      );
      return block.entries;
    });

  /**
   * Some of a day's entries came late, or are still to be digested. They came late if there are digests after the day,
   * or nothing is left to digest; then it is done anew, once for each count of entries.
   */
  async function removeIncomplete(of: Day, nothingLeft: boolean): Promise<boolean> {
    const removed = await alone(({ rows }) =>
      rows(
        `DELETE FROM history_digests WHERE account_id = $1 AND last_at >= $2
           AND EXISTS (SELECT FROM history_digests WHERE account_id = $1 AND last_at >= $3) RETURNING day`,
        ...[of.account, of.day * DAY_MS, nothingLeft ? 0 : (of.day + 1) * DAY_MS],
      ),
    );
    if (!removed?.length) return false;
    anew.add(nameOf(of));
    return true;
  }

  return async (now) => {
    const settled = now - SETTLES_MS;
    if (dayOf(settled) > today) since = 0;
    let digested = 0;
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      for (const one of await wanting(settled)) {
        const over = one.day < dayOf(settled);
        let removed = over && (await removeIncomplete(one, false));
        let entries = await next(one.account, settled);
        if (entries === 0 && over && !removed) removed = await removeIncomplete(one, true);
        for (; entries; entries = await next(one.account, settled)) {
          digested += entries;
          goesOn = true;
        }
        if (entries === undefined) return digested;
        goesOn ||= removed;
      }
    }
    today = dayOf(settled);
    since = today - 1;
    return digested;
  };
}

const nameOf = ({ account, day, entries }: Day) => `${account} ${day} ${entries}`;
const dayOf = (at: number) => Math.floor(at / DAY_MS);

/** The next block after an account's last digest; undefined if it is not full and its day is not over. */
async function read({ rows }: Conversation, account: number, settled: number) {
  const [known] = await rows<{ at: number; id: number }>(
    `SELECT last_at AS at, last_id AS id FROM history_digests WHERE account_id = $1
     ORDER BY last_at DESC, last_id DESC LIMIT 1`,
    account,
  );
  const pieces = new Set<number>();
  let first: number | undefined;
  let last = known ?? { at: 0, id: 0 };
  let entries = 0;
  let until = settled;
  let over = false;
  while (entries < ENTRIES && pieces.size < PIECES) {
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
      if (at >= until || entries >= ENTRIES || pieces.size >= PIECES) break;
      addPieces(pieces, account, request_bytes ?? (request as string));
      last = { at, id };
      entries += 1;
    }
    if (found.length < READ || (found.at(-1)?.at as number) >= until) break;
  }
  const enough = over || entries >= ENTRIES || pieces.size >= PIECES;
  return first !== undefined && enough ? { first, last, entries, pieces } : undefined;
}
