import type { DatabaseSync } from 'node:sqlite';
import type { CounterKeeper } from './counters.ts';
import { deadState, deliveredState } from './outcomes.ts';

export const requeueSql = {
  nextOf: 'SELECT seq, next_at FROM event WHERE call_id = ? AND newest_at IS NOT NULL',
  newest: 'SELECT max(queued_at) AS at FROM event WHERE call_id = ?',
  laterOf: `SELECT event.seq FROM event e CROSS JOIN event ON event.call_id = e.call_id AND event.seq > e.seq
    WHERE e.seq = ? AND event.state <> ?`,
} as const;

/** Makes finished events wait again, in the order of their calls. Runs inside the caller's transaction. */
export function createRequeuer(db: DatabaseSync) {
  const update = db.prepare(
    `UPDATE event SET state = 0, attempts = 0, rejections = 0, finished_at = ?
     WHERE seq = ? AND state = ? RETURNING call_id`,
  );
  const laterOf = db.prepare(requeueSql.laterOf);
  const nextOf = db.prepare(requeueSql.nextOf);
  const newest = db.prepare(requeueSql.newest);
  const place = db.prepare('UPDATE event SET newest_at = ?, next_at = ? WHERE seq = ?');

  /** Makes the older of this waiting event and its call's next event the next one. */
  function join(seq: number, callId: string): void {
    const next = nextOf.get(callId) as { seq: number; next_at: number | null } | undefined;
    const newestAt = newest.get(callId)?.at as number;
    if (next && next.seq < seq) place.run(newestAt, next.next_at, next.seq);
    else {
      if (next) place.run(null, null, next.seq);
      place.run(newestAt, null, seq);
    }
  }

  /** False if it is not in that state. */
  function requeue(seq: number, from: 'dead' | 'delivered', counters: CounterKeeper, at: number): boolean {
    const state = from === 'dead' ? deadState : deliveredState;
    const row = update.get(at, seq, state) as { call_id: string } | undefined;
    if (!row) return false;
    counters.move(from, 'waiting');
    join(seq, row.call_id);
    return true;
  }

  return {
    /** Dead letters; returns how many there were. */
    resend: (seqs: readonly number[], counters: CounterKeeper, at: number): number =>
      seqs.filter((seq) => requeue(seq, 'dead', counters, at)).length,

    /**
     * Makes delivered events wait again, and returns those that do. It leaves out an event if a later one of its call
     * exists that is not sent again with it: that one has arrived, or is being sent now.
     */
    sendAgain(seqs: readonly number[], counters: CounterKeeper, at: number): number[] {
      const all = new Set(seqs);
      const isInOrder = (seq: number) =>
        (laterOf.all(seq, deadState) as { seq: number }[]).every((later) => all.has(later.seq));
      return seqs.filter(isInOrder).filter((seq) => requeue(seq, 'delivered', counters, at));
    },
  };
}
