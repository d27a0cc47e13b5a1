import type { DatabaseSync } from 'node:sqlite';
import type { QueuedEvent, Settlement } from '../delivery/queue.ts';
import { type HeadRow, mostTries, queuedEvent } from './lanes.ts';
import type { TallyKeeper } from './tally.ts';

export const waitingState = 0;
export const deliveredState = 1;
export const deadState = 2;

/** Attempts that are kept per event: the first fifteen and the last. */
export const slots = 16;

/** An error's text is kept up to this many characters. */
const longestError = 500;

/** Records what became of attempts. Runs inside the caller's transaction. */
export function createOutcomes(db: DatabaseSync, tally: TallyKeeper) {
  const find = db.prepare('SELECT state, attempts, call_id FROM event WHERE seq = ?');
  const finish = db.prepare('UPDATE event SET state = ?, settled_at = ?, attempts = ? WHERE seq = ?');
  const count = db.prepare('UPDATE event SET attempts = ? WHERE seq = ?');
  const postpone = db.prepare('UPDATE head SET tries = ?, next_at = ? WHERE seq = ?');
  const dropHead = db.prepare('DELETE FROM head WHERE seq = ? RETURNING newest_at');
  const nextOfCall = db.prepare(
    `SELECT seq, call_id, status, body, taken_at, attempts, state FROM event
     WHERE call_id = ? AND state = 0 ORDER BY seq LIMIT 1`,
  );
  const newHead = db.prepare('INSERT INTO head (seq, newest_at, tries, next_at) VALUES (?, ?, ?, 0)');
  const lastSlot = db.prepare('SELECT max(id) AS id FROM attempt WHERE id >= ? AND id < ?');
  const record = db.prepare(
    `INSERT OR REPLACE INTO attempt (id, at, outcome, counted, http_status, error, duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const oldHeads = db.prepare(
    `SELECT h.seq, e.call_id, e.status, e.body, e.taken_at, e.attempts, e.state
     FROM head h LEFT JOIN event e ON e.seq = h.seq WHERE h.seq > ? ORDER BY h.seq LIMIT ?`,
  );

  function remember(of: Settlement): void {
    const first = of.seq * slots;
    const last = lastSlot.get(first, first + slots)?.id as number | null;
    const id = last === null ? first : Math.min(last + 1, first + slots - 1);
    const error = of.error?.slice(0, longestError) ?? null;
    record.run(id, of.at, of.outcome, of.counted ? 1 : 0, of.httpStatus ?? null, error, of.durationMs);
  }

  /** Takes an event off the head of its call, if it is there; gives the call's next one. */
  function advance(seq: number, callId: string): QueuedEvent | undefined {
    const dropped = dropHead.get(seq);
    if (!dropped) return undefined;
    const row = nextOfCall.get(callId) as HeadRow | undefined;
    if (!row) return undefined;
    newHead.run(row.seq, dropped.newest_at as number, Math.min(row.attempts, mostTries));
    return queuedEvent(row);
  }

  function settleOne(of: Settlement): QueuedEvent | undefined {
    const event = find.get(of.seq);
    // Pruned, delivered or parked meanwhile: a late word about it changes nothing, except that it arrived after all.
    if (!event || event.state === deliveredState) return undefined;
    if (event.state === deadState && of.outcome !== 'delivered') return undefined;
    remember(of);
    const attempts = (event.attempts as number) + (of.counted ? 1 : 0);
    if (of.outcome === 'retry') {
      count.run(attempts, of.seq);
      postpone.run(Math.min(attempts, mostTries), of.nextAt ?? of.at, of.seq);
      return undefined;
    }
    tally.move(event.state === deadState ? 'dead' : 'waiting', of.outcome);
    finish.run(of.outcome === 'delivered' ? deliveredState : deadState, of.at, attempts, of.seq);
    return advance(of.seq, event.call_id as string);
  }

  return {
    /** Gives the new heads of the calls that have more to send. */
    settle(settlements: readonly Settlement[]): QueuedEvent[] {
      return settlements.flatMap((settlement) => settleOne(settlement) ?? []);
    },

    /**
     * One step of DeliveryQueue.expire: looks at `limit` calls from the oldest on.
     * `more`: there may be others; without it a backlog of millions would hold up the intake.
     */
    expire(takenBefore: number, at: number, limit: number): { parked: number; more: boolean } {
      const rows = oldHeads.all(0, limit) as HeadRow[];
      let parked = 0;
      for (const row of rows) {
        let event: QueuedEvent | undefined = queuedEvent(row);
        if (event.takenAt >= takenBefore) return { parked, more: false };
        for (; event && event.takenAt < takenBefore; parked++) {
          const { seq, callId } = event;
          const error = 'not delivered within the longest time an event is kept (OUTBOX_MAX_AGE)';
          event = settleOne({ seq, callId, outcome: 'dead', at, counted: false, error, durationMs: 0 });
        }
      }
      return { parked, more: rows.length === limit };
    },
  };
}
