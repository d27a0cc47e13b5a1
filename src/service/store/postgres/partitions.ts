import type { Queries, Transaction } from './database.ts';

/** A part of the history: the entries created from `from` to before `to`, both whole days, Unix ms. */
export type Range = { readonly from: number; readonly to: number };
export type Width = 'day' | 'month';

export const DAY_MS = 86_400_000;
/** With this many days or fewer to keep, a partition holds one day: what is too old then goes the day after. */
const DAILY = 100;
/** How long dropping a partition waits for readers, ms; writers wait behind it. Then it is tried again later. */
const DROP_WAIT_MS = 300;
const LOCK = 5_727_002;

/**
 * How much time a partition holds. Few, so that a search by call, which asks each partition's index, stays quick; and
 * short ones where entries are kept for a short time, because retention drops whole partitions.
 */
export function widthFor(maxAgeMs: number | undefined): Width {
  return maxAgeMs !== undefined && maxAgeMs <= DAILY * DAY_MS ? 'day' : 'month';
}

/** The partition that is to hold `at`, next to those that exist: they may be of another width, and never overlap. */
export function rangeFor(at: number, width: Width, existing: readonly Range[]): Range {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const whole =
    width === 'day'
      ? { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
      : { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  return {
    from: Math.max(whole.from, ...existing.map(({ to }) => (to <= at ? to : whole.from))),
    to: Math.min(whole.to, ...existing.map(({ from }) => (from > at ? from : whole.to))),
  };
}

/** `history_20261101_20261201` */
export function nameOf({ from, to }: Range): string {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
  return `history_${date(from)}_${date(to)}`;
}

function rangeOf(name: string): Range | undefined {
  const [, from, to] = /^history_(\d{8})_(\d{8})$/.exec(name) ?? [];
  const at = (date: string) => Date.parse(date.replace(/(....)(..)(..)/, '$1-$2-$3'));
  return from && to ? { from: at(from), to: at(to) } : undefined;
}

export type Partitions = ReturnType<typeof createPartitions>;

export function createPartitions(database: Queries, width: Width) {
  let known: readonly Range[] = [];
  const has = (at: number) => known.some(({ from, to }) => from <= at && at < to);

  /** One process at a time; the partition is made as a table of its own and then attached, so that no reader or writer waits. */
  function create(at: number): Promise<void> {
    return database.transaction(async (transaction) => {
      await transaction.rows('SELECT pg_advisory_xact_lock($1)', LOCK);
      known = await list(transaction);
      if (has(at)) return;
      const range = rangeFor(at, width, known);
      const name = nameOf(range);
      await transaction.rows(`CREATE TABLE ${name} (LIKE history INCLUDING ALL EXCLUDING IDENTITY)`);
      await transaction.rows(
        `ALTER TABLE history ATTACH PARTITION ${name} FOR VALUES FROM (${range.from}) TO (${range.to})`,
      );
      known = [...known, range];
    });
  }

  return {
    /** Makes the partitions for these times if they are missing; those that are known cost no query. */
    async ensure(times: readonly number[]): Promise<void> {
      for (const at of times) if (!has(at)) await create(at);
    },
    /** Reads the list of partitions again before the next use: one of them is gone. */
    forget(): void {
      known = [];
    },
    /** Drops every partition that ends by `before`; returns the number of their entries. */
    async drop(before: number): Promise<number> {
      let dropped = 0;
      for (const range of await list(database)) {
        if (range.to > before) continue;
        dropped += await database.transaction(
          async ({ rows }) => {
            await rows('SELECT pg_advisory_xact_lock($1)', LOCK);
            await rows(`DROP TABLE IF EXISTS ${nameOf(range)}`);
            const [gone] = await rows<{ entries: number }>(
              `WITH gone AS (DELETE FROM history_counts WHERE day >= $1 AND day < $2 RETURNING entries)
               SELECT coalesce(sum(entries), 0)::bigint AS entries FROM gone`,
              range.from / DAY_MS,
              range.to / DAY_MS,
            );
            return gone?.entries ?? 0;
          },
          { lock: DROP_WAIT_MS },
        );
        known = known.filter(({ from }) => from !== range.from);
      }
      return dropped;
    },
  };
}

async function list({ rows }: Pick<Transaction, 'rows'>): Promise<Range[]> {
  const found = await rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'history'::regclass ORDER BY 1`,
  );
  return found.flatMap(({ name }) => rangeOf(name) ?? []);
}
