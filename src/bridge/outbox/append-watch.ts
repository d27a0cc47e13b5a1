import { within } from '../../shared/process/within.ts';
import type { Appended, Batch, Outbox } from './outbox.ts';

export type WatchedOutbox = ReturnType<typeof watchAppends<Outbox>>;

/** What is on its way to the disk. */
export type AppendStatus = {
  readonly lastCommitAt?: number | undefined;
  /** Events that are only in memory: a restart would lose them while the disk takes nothing. */
  readonly uncommitted: number;
  /** When the oldest uncommitted batch was handed to the storage thread. */
  readonly uncommittedSince?: number | undefined;
};

/** An outbox that knows which batches are not on disk yet, and since when. Batches are written in their order. */
export function watchAppends<Watched extends Pick<Outbox, 'append'>>(outbox: Watched, now: () => number) {
  const underWay = new Map<Batch, { readonly since: number; readonly done: Promise<unknown> }>();
  let lastCommitAt: number | undefined;

  async function appendOne(batch: Batch): Promise<Appended> {
    try {
      const appended = await outbox.append(batch);
      lastCommitAt = now();
      return appended;
    } finally {
      underWay.delete(batch);
    }
  }

  return {
    ...outbox,
    append(batch: Batch): Promise<Appended> {
      const done = appendOne(batch);
      underWay.set(batch, { since: now(), done });
      return done;
    },
    /** Whether everything appended until now is on disk within `limitMs`. Rejects if a batch was refused. */
    written: (limitMs: number) =>
      within(limitMs, Promise.all([...underWay.values()].map(({ done }) => done))),
    /** Calls of which something is in memory only. */
    callsInMemory(): number {
      const batches = [...underWay.keys()];
      const changed = batches.flatMap(({ calls }) => calls.map(({ id }) => id));
      return new Set([...changed, ...batches.flatMap(({ events }) => events.map(({ callId }) => callId))])
        .size;
    },
    appendStatus(): AppendStatus {
      const [oldest] = underWay.values();
      const uncommitted = [...underWay.keys()].reduce((sum, { events }) => sum + events.length, 0);
      return { lastCommitAt, uncommitted, uncommittedSince: oldest?.since };
    },
  };
}
