import type { DatabaseSync } from 'node:sqlite';
import { type DeliveryQueue, longestWaitMs, type QueuedEvent } from '../delivery/queue.ts';
import { BrokenInvariant } from './sqlite-trouble.ts';

/** From this number of attempts on, heads are alike to the lane `retry`: their waits are the longest anyway. */
export const mostTries = 16;

const columns = 'h.seq, e.call_id, e.status, e.body, e.taken_at, e.attempts, e.state';
// LEFT JOIN: a head whose event is missing is a damaged file, and must not just be invisible.
const heads = 'FROM head h LEFT JOIN event e ON e.seq = h.seq';

/** The statements of `createLanes`: here, so that a test can ask SQLite for their plans. */
export const laneSql = {
  fresh: `SELECT ${columns} ${heads} WHERE h.tries = 0 AND h.newest_at >= ?
    ORDER BY h.newest_at DESC, h.seq DESC LIMIT ?`,
  backlog: `SELECT ${columns} ${heads} WHERE h.tries = 0 AND h.newest_at < ? ORDER BY h.newest_at, h.seq LIMIT ?`,
  come: `SELECT ${columns} ${heads} WHERE h.tries > 0 AND h.tries = ? AND h.next_at <= ?
    ORDER BY h.next_at, h.seq LIMIT ?`,
  beyond: `SELECT ${columns} ${heads} WHERE h.tries > 0 AND h.tries = ? AND h.next_at > ?
    ORDER BY h.next_at, h.seq LIMIT ?`,
  next: `SELECT next_at FROM head WHERE tries > 0 AND tries = ? AND next_at > ? AND next_at <= ?
    ORDER BY next_at LIMIT 1`,
} as const;

/** Gives out heads. Every statement goes straight to its rows, however many wait. */
export function createLanes(db: DatabaseSync) {
  const fresh = db.prepare(laneSql.fresh);
  const backlog = db.prepare(laneSql.backlog);
  const come = db.prepare(laneSql.come);
  const beyond = db.prepare(laneSql.beyond);
  const next = db.prepare(laneSql.next);

  function* candidates(query: Parameters<DeliveryQueue['due']>[0], limit: number): Generator<HeadRow> {
    if (query.lane === 'fresh') yield* fresh.all(query.freshSince, limit) as HeadRow[];
    else if (query.lane === 'backlog') yield* backlog.all(query.freshSince, limit) as HeadRow[];
    else {
      for (let tries = 1; tries <= mostTries; tries++) {
        yield* come.all(tries, query.now, limit) as HeadRow[];
        yield* beyond.all(tries, query.now + longestWaitMs, limit) as HeadRow[];
      }
    }
  }

  return {
    due(query: Parameters<DeliveryQueue['due']>[0]): QueuedEvent[] {
      const except = new Set(query.except);
      const found: QueuedEvent[] = [];
      if (query.limit <= 0) return found;
      for (const row of candidates(query, query.limit + except.size)) {
        const event = queuedEvent(row);
        if (!except.has(event.callId) && found.push(event) === query.limit) break;
      }
      return found;
    },

    nextDue(now: number): number | undefined {
      let soonest: number | undefined;
      for (let tries = 1; tries <= mostTries; tries++) {
        const at = next.get(tries, now, now + longestWaitMs)?.next_at as number | undefined;
        if (at !== undefined && (soonest === undefined || at < soonest)) soonest = at;
      }
      return soonest;
    },
  };
}

/** A row of `head` joined with its event; null where that is missing. */
export type HeadRow = {
  readonly seq: number;
  readonly call_id: string;
  readonly status: QueuedEvent['status'];
  readonly body: string;
  readonly taken_at: number;
  readonly attempts: number;
  readonly state: number | null;
};

export function queuedEvent(row: HeadRow): QueuedEvent {
  if (row.state !== 0) throw new BrokenInvariant(`the head ${row.seq} is not a waiting event`);
  const { seq, status, body, attempts } = row;
  return { seq, callId: row.call_id, status, body, takenAt: row.taken_at, attempts };
}
