import type { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from '../../../shared/storage/storage-error.ts';

/** How many events there are; `queued = delivered + waiting + dead` always. */
export type Counters = {
  readonly queued: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly dead: number;
  /** Events lost to a damaged file, as far as they could be counted; not part of `queued`. */
  readonly lost: number;
};

/**
 * No outbox ever has this many events: a higher number is damage. Sixteen times as much, which numbers the attempts, is
 * still a safe integer.
 */
export const highestSeq = 2 ** 48;

export type CounterKeeper = ReturnType<typeof createCounterKeeper>;

/** Counts what a transaction does and writes it once, as differences, just before the commit. */
export function createCounterKeeper(db: DatabaseSync) {
  const read = db.prepare(
    'SELECT queued, delivered, waiting, dead, lost, last_seq FROM counters WHERE id = 1',
  );
  const write = db.prepare(
    `UPDATE counters SET queued = queued + ?, delivered = delivered + ?, waiting = waiting + ?, dead = dead + ?,
     last_seq = ? WHERE id = 1`,
  );
  let delta = { queued: 0, delivered: 0, waiting: 0, dead: 0 };
  let lastSeq = readRow().lastSeq;
  let committedSeq = lastSeq;
  let dirty = false;

  function readRow(): { counters: Counters; lastSeq: number } {
    const row = read.get();
    if (!row) throw new BrokenInvariant('the row of counters is missing');
    const { last_seq, ...counters } = row as Record<keyof Counters | 'last_seq', number>;
    if (counters.queued !== counters.delivered + counters.waiting + counters.dead) {
      throw new BrokenInvariant('the counters do not add up');
    }
    if (last_seq > highestSeq) throw new BrokenInvariant(`${last_seq} is too high for a number of an event`);
    return { counters, lastSeq: last_seq };
  }

  function flush(): void {
    if (!dirty) return;
    write.run(delta.queued, delta.delivered, delta.waiting, delta.dead, lastSeq);
    forget();
  }

  function forget(): void {
    delta = { queued: 0, delivered: 0, waiting: 0, dead: 0 };
    dirty = false;
  }

  return {
    /** Counts one event as queued and gives its number. */
    take(): number {
      delta.queued++;
      delta.waiting++;
      dirty = true;
      return ++lastSeq;
    },
    /** Subtracts a dead letter that an operator has discarded. */
    discard(): void {
      delta.queued--;
      delta.dead--;
      dirty = true;
    },
    move(from: 'waiting' | 'dead' | 'delivered', to: 'waiting' | 'delivered' | 'dead'): void {
      delta[from]--;
      delta[to]++;
      dirty = true;
    },
    /** Writes the counts, before the commit. */
    flush,
    committed(): void {
      committedSeq = lastSeq;
    },
    /** Discards the counts, after a rollback. */
    rolledBack(): void {
      forget();
      lastSeq = committedSeq;
    },
    read(): Counters {
      flush();
      return readRow().counters;
    },
  };
}
