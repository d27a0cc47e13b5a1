import type { DatabaseSync } from 'node:sqlite';
import { deadState, deliveredState } from './outcomes.ts';
import type { TallyKeeper } from './tally.ts';

export const reviveSql = {
  headOf: 'SELECT seq, next_at FROM event WHERE call_id = ? AND newest_at IS NOT NULL',
  newest: 'SELECT max(taken_at) AS at FROM event WHERE call_id = ?',
} as const;

/** Makes settled events wait again, in the order of their calls. Runs inside the caller's transaction. */
export function createReviver(db: DatabaseSync) {
  const revive = db.prepare(
    `UPDATE event SET state = 0, attempts = 0, rejections = 0, settled_at = ?
     WHERE seq = ? AND state = ? RETURNING call_id`,
  );
  const headOf = db.prepare(reviveSql.headOf);
  const newest = db.prepare(reviveSql.newest);
  const place = db.prepare('UPDATE event SET newest_at = ?, next_at = ? WHERE seq = ?');

  /** The older of it and the call's head is the head then. False if it is not in that state. */
  return (seq: number, from: 'dead' | 'delivered', tally: TallyKeeper, at: number): boolean => {
    const state = from === 'dead' ? deadState : deliveredState;
    const row = revive.get(at, seq, state) as { call_id: string } | undefined;
    if (!row) return false;
    tally.move(from, 'waiting');
    const head = headOf.get(row.call_id) as { seq: number; next_at: number | null } | undefined;
    const newestAt = newest.get(row.call_id)?.at as number;
    if (head && head.seq < seq) place.run(newestAt, head.next_at, head.seq);
    else {
      if (head) place.run(null, null, head.seq);
      place.run(newestAt, null, seq);
    }
    return true;
  };
}
