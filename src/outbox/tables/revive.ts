import type { DatabaseSync } from 'node:sqlite';
import { createHeads } from './heads.ts';
import { deadState, deliveredState } from './outcomes.ts';
import type { TallyKeeper } from './tally.ts';

export const reviveSql = {
  laterOf: `SELECT event.seq FROM event e CROSS JOIN event ON event.call_id = e.call_id AND event.seq > e.seq
    WHERE e.seq = ? AND event.state <> ?`,
} as const;

/** Makes settled events wait again, in the order of their calls. Runs inside the caller's transaction. */
export function createReviver(db: DatabaseSync) {
  const update = db.prepare(
    `UPDATE event SET state = 0, attempts = 0, rejections = 0, settled_at = ?
     WHERE seq = ? AND state = ? RETURNING call_id`,
  );
  const laterOf = db.prepare(reviveSql.laterOf);
  const heads = createHeads(db);

  /** The older of it and the call's head is the head then. False if it is not in that state. */
  function revive(seq: number, from: 'dead' | 'delivered', tally: TallyKeeper, at: number): boolean {
    const state = from === 'dead' ? deadState : deliveredState;
    const row = update.get(at, seq, state) as { call_id: string } | undefined;
    if (!row) return false;
    tally.move(from, 'waiting');
    heads.join(seq, row.call_id, null);
    return true;
  }

  return {
    /** Dead letters; gives how many there were. */
    resend: (seqs: readonly number[], tally: TallyKeeper, at: number): number =>
      seqs.filter((seq) => revive(seq, 'dead', tally, at)).length,

    /**
     * Delivered events; gives those of them that wait now. One is left as it is if a later event of its call is there
     * that is not sent again with it: that has arrived meanwhile, or is on its way at this moment.
     */
    sendAgain(seqs: readonly number[], tally: TallyKeeper, at: number): number[] {
      const all = new Set(seqs);
      const isInOrder = (seq: number) =>
        (laterOf.all(seq, deadState) as { seq: number }[]).every((later) => all.has(later.seq));
      return seqs.filter(isInOrder).filter((seq) => revive(seq, 'delivered', tally, at));
    },
  };
}
