import type { DatabaseSync } from 'node:sqlite';

export const headSql = {
  headOf: 'SELECT seq, next_at FROM event WHERE call_id = ? AND newest_at IS NOT NULL',
  newest: 'SELECT max(taken_at) AS at FROM event WHERE call_id = ?',
} as const;

/** For events that come to wait in the midst of others of their call. Runs inside the caller's transaction. */
export function createHeads(db: DatabaseSync) {
  const headOf = db.prepare(headSql.headOf);
  const newest = db.prepare(headSql.newest);
  const place = db.prepare('UPDATE event SET newest_at = ?, next_at = ? WHERE seq = ?');

  return {
    /** The older of this waiting event and its call's head is the head from now on; `nextAt` as in the table. */
    join(seq: number, callId: string, nextAt: number | null): void {
      const head = headOf.get(callId) as { seq: number; next_at: number | null } | undefined;
      const newestAt = newest.get(callId)?.at as number;
      if (head && head.seq < seq) place.run(newestAt, head.next_at, head.seq);
      else {
        if (head) place.run(null, null, head.seq);
        place.run(newestAt, nextAt, seq);
      }
    },
  };
}
