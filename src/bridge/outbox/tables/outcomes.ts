import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryResult, QueuedEvent } from '../../../shared/delivery/queue.ts';
import type { CounterKeeper } from './counters.ts';
import { type EventRow, queuedEvent } from './due-events.ts';

export const deliveredState = 1;
export const deadState = 2;

/** Attempts that are kept per event: the first fifteen and the last. */
export const slots = 16;

/** An error's text is kept up to this many characters. */
const longestError = 500;

/** The age of a waiting event. If it finished before, an operator has sent it again, and its age counts from then. */
const columns = `seq, call_id, status, body, queued_at, attempts, rejections, state,
  max(queued_at, coalesce(finished_at, 0)) AS waits_since`;

export const outcomeSql = {
  nextOfCall: `SELECT ${columns} FROM event WHERE call_id = ? AND state = 0 ORDER BY seq LIMIT 1`,
  nextEvents: `SELECT ${columns} FROM event WHERE newest_at IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?`,
} as const;

/** Records what became of attempts. Runs inside the caller's transaction. */
export function createOutcomes(db: DatabaseSync, counters: CounterKeeper) {
  const find = db.prepare('SELECT state, attempts, rejections, call_id, newest_at FROM event WHERE seq = ?');
  const finish = db.prepare(
    `UPDATE event SET state = ?, finished_at = ?, attempts = ?, rejections = ?, newest_at = NULL, next_at = NULL
     WHERE seq = ?`,
  );
  const postpone = db.prepare('UPDATE event SET attempts = ?, rejections = ?, next_at = ? WHERE seq = ?');
  const nextOfCall = db.prepare(outcomeSql.nextOfCall);
  // An event with attempts that lost its place to a requeued dead letter is due at once.
  const promote = db.prepare('UPDATE event SET newest_at = ?, next_at = 0 WHERE seq = ?');
  const nextEvents = db.prepare(outcomeSql.nextEvents);
  const remember = createAttemptWriter(db);

  /** Returns the next event of the call, if it has more to send. */
  function recordOne(result: DeliveryResult): WaitingRow | undefined {
    const event = find.get(result.seq) as FoundRow | undefined;
    // Deleted, delivered or a dead letter meanwhile: a late result is ignored, except a late success.
    if (!event || event.state === deliveredState) return undefined;
    if (event.state === deadState && result.outcome !== 'delivered') return undefined;
    remember(result);
    const attempts = event.attempts + (result.counted ? 1 : 0);
    const rejections = event.rejections + (result.rejected ? 1 : 0);
    if (result.outcome === 'retry') {
      postpone.run(attempts, rejections, result.nextAt ?? result.at, result.seq);
      return undefined;
    }
    counters.move(event.state === deadState ? 'dead' : 'waiting', result.outcome);
    finish.run(
      result.outcome === 'delivered' ? deliveredState : deadState,
      result.at,
      attempts,
      rejections,
      result.seq,
    );
    if (event.newest_at === null) return undefined;
    const next = nextOfCall.get(event.call_id) as WaitingRow | undefined;
    if (next) promote.run(event.newest_at, next.seq);
    return next;
  }

  return {
    /** Returns the new next events of the calls that have more to send. */
    record(results: readonly DeliveryResult[]): QueuedEvent[] {
      return results.flatMap((result) => recordOne(result) ?? []).map(queuedEvent);
    },

    /**
     * One step of DeliveryQueue.expire: reads the next `limit` calls whose next events have numbers above `after`. It reads
     * all calls, since an older event can have a higher number if a clock was set. `next`: `after` of the next step;
     * undefined at the end.
     */
    expire(queuedBefore: number, at: number, after: number, limit: number): { done: number; next?: number } {
      const rows = nextEvents.all(after, limit) as WaitingRow[];
      const done = expireEach(rows, queuedBefore, at, recordOne);
      const last = rows.at(-1);
      return last && rows.length === limit ? { done, next: last.seq } : { done };
    },
  };
}

/** Expires the events that have waited since before `queuedBefore`, from these on; returns how many. */
function expireEach(
  rows: readonly WaitingRow[],
  queuedBefore: number,
  at: number,
  record: (result: DeliveryResult) => WaitingRow | undefined,
): number {
  let done = 0;
  for (const first of rows) {
    let row: WaitingRow | undefined = first;
    for (; row && row.waits_since < queuedBefore; done++) {
      const { seq, callId } = queuedEvent(row);
      const error = 'not delivered within the longest time that events are tried';
      row = record({ seq, callId, outcome: 'dead', at, counted: false, error, durationMs: 0 });
    }
  }
  return done;
}

/** Keeps attempts; beyond `slots` of an event, each replaces the last. */
function createAttemptWriter(db: DatabaseSync): (result: DeliveryResult) => void {
  const lastSlot = db.prepare('SELECT max(id) AS id FROM attempt WHERE id >= ? AND id < ?');
  const record = db.prepare(
    `INSERT OR REPLACE INTO attempt (id, at, outcome, counted, http_status, error, duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );

  return (result) => {
    const first = result.seq * slots;
    const last = lastSlot.get(first, first + slots)?.id as number | null;
    const id = last === null ? first : Math.min(last + 1, first + slots - 1);
    const error = result.error?.slice(0, longestError) ?? null;
    record.run(
      id,
      result.at,
      result.outcome,
      result.counted ? 1 : 0,
      result.httpStatus ?? null,
      error,
      result.durationMs,
    );
  };
}

type WaitingRow = EventRow & { readonly waits_since: number };

type FoundRow = {
  readonly state: number;
  readonly attempts: number;
  readonly rejections: number;
  readonly call_id: string;
  readonly newest_at: number | null;
};
