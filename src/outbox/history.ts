import type { DatabaseSync } from 'node:sqlite';
import type { QueuedEvent, Settlement } from '../delivery/queue.ts';
import type { EventRow } from './lanes.ts';
import { deadState, deliveredState, slots } from './outcomes.ts';
import type { TallyKeeper } from './tally.ts';

/** One attempt to deliver an event, and what came of it. */
export type Attempt = Pick<Settlement, 'outcome' | 'at' | 'counted' | 'httpStatus' | 'error' | 'durationMs'>;

/** An event with its whole tale: the first fifteen attempts and the last. */
export type ToldEvent = QueuedEvent & {
  readonly state: 'waiting' | 'delivered' | 'dead';
  /** Unix ms at which it was delivered or parked. */
  readonly settledAt?: number;
  readonly tale: readonly Attempt[];
};

export const states = ['waiting', 'delivered', 'dead'] as const;
export const eventColumns = 'seq, call_id, status, body, taken_at, attempts, state, settled_at';

export const historySql = {
  ofCall: `SELECT ${eventColumns} FROM event WHERE call_id = ? ORDER BY seq`,
  dead: `SELECT ${eventColumns} FROM event WHERE state = 2 AND seq > ? ORDER BY seq LIMIT ?`,
  headOf: 'SELECT seq, next_at FROM event WHERE call_id = ? AND newest_at IS NOT NULL',
  newest: 'SELECT max(taken_at) AS at FROM event WHERE call_id = ?',
  attempts: 'SELECT * FROM attempt WHERE id >= ? AND id < ? ORDER BY id',
  oldest: 'SELECT taken_at FROM event WHERE newest_at IS NOT NULL AND seq > 0 ORDER BY seq LIMIT 1',
  old: 'SELECT seq, state, settled_at, taken_at FROM event WHERE seq > ? ORDER BY seq LIMIT ?',
} as const;

/** Makes a row of `event` (`eventColumns`) an event with its tale. */
export function createTeller(db: DatabaseSync): (row: ToldRow) => ToldEvent {
  const attempts = db.prepare(historySql.attempts);
  return (row) => {
    const { seq, status, body, state } = row;
    const tale = (attempts.all(seq * slots, seq * slots + slots) as AttemptRow[]).map(attempt);
    const event = { seq, callId: row.call_id, status, body, takenAt: row.taken_at, attempts: row.attempts };
    const settled = row.settled_at === null ? {} : { settledAt: row.settled_at };
    return { ...event, state: states[state] ?? 'waiting', ...settled, tale };
  };
}

/** What operators ask for and do: look at events, send dead letters again, forget what is old. */
export function createHistory(db: DatabaseSync, tally: TallyKeeper) {
  const ofCall = db.prepare(historySql.ofCall);
  const dead = db.prepare(historySql.dead);
  const told = createTeller(db);
  const oldest = db.prepare(historySql.oldest);
  const old = db.prepare(historySql.old);
  const revive = db.prepare(
    `UPDATE event SET state = 0, attempts = 0, settled_at = NULL WHERE seq = ? AND state = ${deadState}
     RETURNING call_id`,
  );
  const headOf = db.prepare(historySql.headOf);
  const newest = db.prepare(historySql.newest);
  const place = db.prepare('UPDATE event SET newest_at = ?, next_at = ? WHERE seq = ?');
  const forgetAttempts = db.prepare('DELETE FROM attempt WHERE id >= ? AND id < ?');
  const forgetEvent = db.prepare('DELETE FROM event WHERE seq = ?');

  /** Makes a dead letter wait again; the older of it and the call's head is the head then. */
  function reviveOne(seq: number): boolean {
    const row = revive.get(seq) as { call_id: string } | undefined;
    if (!row) return false;
    tally.move('dead', 'waiting');
    const head = headOf.get(row.call_id) as { seq: number; next_at: number | null } | undefined;
    const newestAt = newest.get(row.call_id)?.at as number;
    if (head && head.seq < seq) place.run(newestAt, head.next_at, head.seq);
    else {
      if (head) place.run(null, null, head.seq);
      place.run(newestAt, null, seq);
    }
    return true;
  }

  return {
    eventsOf: (callId: string): ToldEvent[] => (ofCall.all(callId) as ToldRow[]).map(told),

    /** Dead letters with a number above `after`, oldest first. */
    deadLetters: (after: number, limit: number): ToldEvent[] =>
      (dead.all(after, limit) as ToldRow[]).map(told),

    /** Gives how many of them were dead letters and wait again now. */
    resend: (seqs: readonly number[]): number => seqs.filter(reviveOne).length,

    /** One step of sending all dead letters again: gives how many; 0 when there are no more. */
    resendSome(limit: number): number {
      const seqs = dead.all(0, limit).map((row) => row.seq as number);
      return seqs.filter(reviveOne).length;
    },

    /** Unix ms at which the oldest waiting event was taken. */
    oldestWaiting: (): number | undefined => oldest.get()?.taken_at as number | undefined,

    /**
     * One step of forgetting what was delivered before `before` (Unix ms): looks at `limit` events after `after`.
     * `next`: where to go on; undefined when this was all.
     */
    prune(before: number, after: number, limit: number): { forgotten: number; next?: number } {
      const rows = old.all(after, limit) as Record<'seq' | 'state' | 'settled_at' | 'taken_at', number>[];
      let forgotten = 0;
      for (const row of rows) {
        if (row.taken_at >= before) return { forgotten };
        if (row.state !== deliveredState || row.settled_at >= before) continue;
        forgetAttempts.run(row.seq * slots, row.seq * slots + slots);
        forgetEvent.run(row.seq);
        forgotten++;
      }
      const last = rows.at(-1);
      return last && rows.length === limit ? { forgotten, next: last.seq } : { forgotten };
    },
  };
}

export type ToldRow = EventRow & { readonly settled_at: number | null };

type AttemptRow = {
  readonly at: number;
  readonly outcome: Settlement['outcome'];
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
