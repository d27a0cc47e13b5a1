import type { DatabaseSync } from 'node:sqlite';
import { createHeads } from './heads.ts';
import { deadState, deliveredState } from './outcomes.ts';
import type { TallyKeeper } from './tally.ts';

/** Makes settled events wait again, in the order of their calls. Runs inside the caller's transaction. */
export function createReviver(db: DatabaseSync) {
  const revive = db.prepare(
    `UPDATE event SET state = 0, attempts = 0, rejections = 0, settled_at = ?
     WHERE seq = ? AND state = ? RETURNING call_id`,
  );
  const heads = createHeads(db);

  /** The older of it and the call's head is the head then. False if it is not in that state. */
  return (seq: number, from: 'dead' | 'delivered', tally: TallyKeeper, at: number): boolean => {
    const state = from === 'dead' ? deadState : deliveredState;
    const row = revive.get(at, seq, state) as { call_id: string } | undefined;
    if (!row) return false;
    tally.move(from, 'waiting');
    heads.join(seq, row.call_id, null);
    return true;
  };
}
