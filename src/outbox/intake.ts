import type { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from './sqlite-trouble.ts';
import type { TallyKeeper } from './tally.ts';

/**
 * What is taken in one go, as it crosses the threads: flat lists, because copying many small objects costs more
 * than writing them to disk.
 */
export type IntakeBatch = {
  /** id, state, id, state, … of calls that changed; null instead of a state: the call has ended, forget it. */
  readonly calls: readonly (string | null)[];
  readonly trunks: readonly string[];
  /** callId, status, body, callId, status, body, … */
  readonly events: readonly string[];
  /** takenAt of each event. */
  readonly takenAt: readonly number[];
};

/** Instead of a number: the event waits behind an earlier one of its call. */
export const behind = 0;
/** Instead of a number: this status of this call was taken before. */
export const repeated = -1;

/** Writes down what changed and what is to be told. Runs inside the caller's transaction. */
export function createIntake(db: DatabaseSync, tally: TallyKeeper) {
  const save = db.prepare(
    'INSERT INTO open_call (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state',
  );
  const free = db.prepare('DELETE FROM open_call WHERE id = ?');
  const learn = db.prepare('INSERT INTO trunk (endpoint) VALUES (?) ON CONFLICT DO NOTHING');
  const take = db.prepare(
    `INSERT INTO event (seq, call_id, status, body, taken_at, state, attempts) VALUES (?, ?, ?, ?, ?, 0, 0)
     ON CONFLICT (call_id, status) DO NOTHING`,
  );
  const headOf = db.prepare('SELECT min(seq) AS seq FROM event WHERE call_id = ? AND state = 0 AND seq < ?');
  const touchHead = db.prepare('UPDATE head SET newest_at = max(newest_at, ?) WHERE seq = ?');
  const newHead = db.prepare('INSERT INTO head (seq, newest_at, tries, next_at) VALUES (?, ?, 0, 0)');
  const openCalls = db.prepare('SELECT id, state FROM open_call ORDER BY rowid');
  const trunks = db.prepare('SELECT endpoint FROM trunk ORDER BY rowid');

  return {
    /** For each event: its number if it is the head of its call, else `behind` or `repeated`. */
    append(batch: IntakeBatch): number[] {
      const { calls, events, takenAt } = batch;
      for (let i = 0; i < calls.length; i += 2) {
        const [id, state] = [calls[i] as string, calls[i + 1] as string | null];
        if (state === null) free.run(id);
        else save.run(id, state);
      }
      for (const endpoint of batch.trunks) learn.run(endpoint);
      return takenAt.map((at, i) => {
        const callId = events[i * 3] as string;
        const seq = tally.take();
        const { changes } = take.run(
          seq,
          callId,
          events[i * 3 + 1] as string,
          events[i * 3 + 2] as string,
          at,
        );
        if (changes === 0) {
          tally.untake();
          return repeated;
        }
        const head = headOf.get(callId, seq)?.seq as number | null;
        if (head === null) {
          newHead.run(seq, at);
          return seq;
        }
        if (touchHead.run(at, head).changes === 0) throw new BrokenInvariant(`the head ${head} is missing`);
        return behind;
      });
    },

    /** What a start needs to go on where the last one ended. */
    load(): { calls: { id: string; state: string }[]; trunks: string[] } {
      return {
        calls: openCalls.all() as { id: string; state: string }[],
        trunks: trunks.all().map((row) => row.endpoint as string),
      };
    },
  };
}
