import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryResult, QueuedEvent } from '../../../shared/delivery/queue.ts';
import type { EventRow } from './due-events.ts';
import { deliveredState, slots } from './outcomes.ts';

/** One attempt to deliver an event, and what came of it. */
export type Attempt = Pick<
  DeliveryResult,
  'outcome' | 'at' | 'counted' | 'httpStatus' | 'error' | 'durationMs'
>;

/** An event with its attempts: the first fifteen attempts and the last. */
export type StoredEvent = QueuedEvent & {
  readonly state: 'waiting' | 'delivered' | 'dead';
  /** Unix ms at which it was delivered, or became a dead letter. */
  readonly finishedAt?: number;
  readonly attemptLog: readonly Attempt[];
};

/** An event that was delivered, and when: Unix ms. */
export type DeliveredEvent = Pick<QueuedEvent, 'seq' | 'callId' | 'status'> & { readonly at: number };

export const states = ['waiting', 'delivered', 'dead'] as const;
export const eventColumns = 'seq, call_id, status, body, queued_at, attempts, rejections, state, finished_at';

export const historySql = {
  ofCall: `SELECT ${eventColumns} FROM event WHERE call_id = ? ORDER BY seq`,
  attempts: 'SELECT * FROM attempt WHERE id >= ? AND id < ? ORDER BY id',
  oldest: 'SELECT queued_at FROM event WHERE newest_at IS NOT NULL AND seq > 0 ORDER BY seq LIMIT 1',
  last: 'SELECT seq, call_id, status, state, finished_at FROM event WHERE seq > 0 ORDER BY seq DESC LIMIT ?',
  old: 'SELECT seq, state, finished_at FROM event WHERE seq > ? ORDER BY seq LIMIT ?',
} as const;

/** Makes a row of `event` (`eventColumns`) an event with its attempts. */
export function createEventReader(db: DatabaseSync): (row: StoredRow) => StoredEvent {
  const attemptsOf = db.prepare(historySql.attempts);
  return (row) => {
    const { seq, status, body, state, attempts, rejections } = row;
    const attemptLog = (attemptsOf.all(seq * slots, seq * slots + slots) as AttemptRow[]).map(attempt);
    const event = {
      seq,
      callId: row.call_id,
      status,
      body,
      queuedAt: row.queued_at,
      attempts,
      rejections,
    };
    // Of an event that waits again, `finished_at` is when it finished before.
    const finished = row.finished_at === null || state === 0 ? {} : { finishedAt: row.finished_at };
    return { ...event, state: states[state] ?? 'waiting', ...finished, attemptLog };
  };
}

/** What is kept about events that are finished, and how long. */
export function createHistory(db: DatabaseSync) {
  const ofCall = db.prepare(historySql.ofCall);
  const toEvent = createEventReader(db);
  const oldest = db.prepare(historySql.oldest);
  const old = db.prepare(historySql.old);
  const last = db.prepare(historySql.last);
  const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
  const forgetEvent = db.prepare('DELETE FROM event WHERE seq = ?');

  return {
    eventsOf: (callId: string): StoredEvent[] => (ofCall.all(callId) as StoredRow[]).map(toEvent),

    /** Those of the `limit` events queued last that were delivered since (Unix ms). */
    lastDelivered: (since: number, limit: number): DeliveredEvent[] =>
      (last.all(limit) as Pick<StoredRow, 'seq' | 'call_id' | 'status' | 'state' | 'finished_at'>[])
        .filter((row) => row.state === deliveredState && (row.finished_at ?? 0) >= since)
        .map((row) => ({ seq: row.seq, callId: row.call_id, status: row.status, at: row.finished_at ?? 0 })),

    /** Unix ms at which the oldest waiting event was queued. */
    oldestWaiting: (): number | undefined => oldest.get()?.queued_at as number | undefined,

    /**
     * One step of deleting events that were delivered before `before` (Unix ms): reads the next `limit` events with numbers
     * above `after`. It reads all events, since an older one can have a higher number if a clock was set. `next`: `after`
     * of the next step; undefined at the end.
     */
    prune(before: number, after: number, limit: number): { done: number; next?: number } {
      const rows = old.all(after, limit) as Record<'seq' | 'state' | 'finished_at', number>[];
      let done = 0;
      for (const row of rows) {
        if (row.state !== deliveredState || row.finished_at >= before) continue;
        forgetAttempts.run(row.seq * slots, row.seq * slots + slots);
        forgetEvent.run(row.seq);
        done++;
      }
      const last = rows.at(-1);
      return last && rows.length === limit ? { done, next: last.seq } : { done };
    },
  };
}

export type StoredRow = EventRow & { readonly finished_at: number | null };

type AttemptRow = {
  readonly at: number;
  readonly outcome: DeliveryResult['outcome'];
  readonly counted: number;
  readonly http_status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
};

function attempt({ at, outcome, counted, http_status, error, duration_ms }: AttemptRow): Attempt {
  const answered = http_status === null ? {} : { httpStatus: http_status };
  const failed = error === null ? {} : { error };
  return { outcome, at, counted: counted === 1, ...answered, ...failed, durationMs: duration_ms };
}
