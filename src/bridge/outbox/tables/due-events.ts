import type { DatabaseSync } from 'node:sqlite';
import { type DeliveryQueue, longestWaitMs, type QueuedEvent } from '../../../shared/delivery/queue.ts';
import { BrokenInvariant } from '../../../shared/storage/storage-error.ts';
import { highestSeq } from './counters.ts';
import { isBodyOf } from './intake.ts';

/** From this number of attempts on, `retry` does not order events by it: their waits are the longest anyway. */
const mostAttempts = 16;

const columns = 'seq, call_id, status, body, queued_at, attempts, rejections, state';
const untried = 'FROM event WHERE newest_at IS NOT NULL AND attempts = 0';
const retry = `FROM event WHERE newest_at IS NOT NULL AND attempts > 0 AND min(attempts, ${mostAttempts}) = ?`;

/** The statements of `createDueEvents`: here, so that a test can ask SQLite for their plans. */
export const prioritySql = {
  fresh: `SELECT ${columns} ${untried} AND newest_at >= ? ORDER BY newest_at DESC, seq DESC LIMIT ?`,
  backlog: `SELECT ${columns} ${untried} AND newest_at < ? ORDER BY newest_at, seq LIMIT ?`,
  come: `SELECT ${columns} ${retry} AND next_at <= ? ORDER BY next_at, seq LIMIT ?`,
  beyond: `SELECT ${columns} ${retry} AND next_at > ? ORDER BY next_at, seq LIMIT ?`,
  nextDue: `SELECT next_at ${retry} AND next_at > ? AND next_at <= ? ORDER BY next_at LIMIT 1`,
} as const;

/** Finds next events. Every statement reads only its rows, however many wait. */
export function createDueEvents(db: DatabaseSync) {
  const fresh = db.prepare(prioritySql.fresh);
  const backlog = db.prepare(prioritySql.backlog);
  const come = db.prepare(prioritySql.come);
  const beyond = db.prepare(prioritySql.beyond);
  const nextDue = db.prepare(prioritySql.nextDue);

  function* candidates(query: Parameters<DeliveryQueue['due']>[0], limit: number): Generator<EventRow> {
    if (query.priority === 'fresh') yield* fresh.all(query.freshSince, limit) as EventRow[];
    else if (query.priority === 'backlog') yield* backlog.all(query.freshSince, limit) as EventRow[];
    else {
      for (let attempts = 1; attempts <= mostAttempts; attempts++) {
        yield* come.all(attempts, query.now, limit) as EventRow[];
        yield* beyond.all(attempts, query.now + longestWaitMs, limit) as EventRow[];
      }
    }
  }

  return {
    due(query: Parameters<DeliveryQueue['due']>[0]): QueuedEvent[] {
      const except = new Set(query.except);
      const found: QueuedEvent[] = [];
      for (const row of candidates(query, query.limit + except.size)) {
        const event = queuedEvent(row);
        if (!except.has(event.callId) && found.push(event) === query.limit) break;
      }
      return found;
    },

    nextDue(now: number): number | undefined {
      let soonest: number | undefined;
      for (let attempts = 1; attempts <= mostAttempts; attempts++) {
        const at = nextDue.get(attempts, now, now + longestWaitMs)?.next_at as number | undefined;
        if (at !== undefined && (soonest === undefined || at < soonest)) soonest = at;
      }
      return soonest;
    },
  };
}

/** A row of `event`, as far as sending it goes. */
export type EventRow = {
  readonly seq: number;
  readonly call_id: string;
  readonly status: string;
  readonly body: string;
  readonly queued_at: number;
  readonly attempts: number;
  readonly rejections: number;
  readonly state: number;
};

/** The event of a row that must be a waiting one. */
export function queuedEvent(row: EventRow): QueuedEvent {
  if (row.state !== 0) throw new BrokenInvariant(`event ${row.seq} is the next of its call, but finished`);
  if (row.seq > highestSeq) throw new BrokenInvariant(`${row.seq} is too high for a number of an event`);
  const { seq, status, body, attempts, rejections } = row;
  if (!isBodyOf(body, row.call_id, status))
    throw new BrokenInvariant(`what event ${seq} says is not of its call`);
  return { seq, callId: row.call_id, status, body, queuedAt: row.queued_at, attempts, rejections };
}
