import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { createHeads } from '../tables/heads.ts';
import { deadState, slots } from '../tables/outcomes.ts';
import type { TallyKeeper } from '../tables/tally.ts';

/** Rows of `event`, in the order of their numbers, and of `attempt`, as another outbox has them. */
export type Adoptable = {
  readonly events: readonly Row[];
  readonly attempts: readonly Row[];
};

type Row = Readonly<Record<string, SQLOutputValue>>;

const eventColumns = [
  ...['seq', 'call_id', 'status', 'body', 'taken_at', 'state'],
  ...['attempts', 'settled_at', 'rejections'],
];
const attemptColumns = ['id', 'at', 'outcome', 'counted', 'http_status', 'error', 'duration_ms'];

/** Takes over what was saved of a damaged outbox. Runs inside the caller's transaction. */
export function createAdoption(db: DatabaseSync, tally: TallyKeeper) {
  const insertOf = (table: string, columns: readonly string[]) =>
    db.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT DO NOTHING`,
    );
  const insertEvent = insertOf('event', eventColumns);
  const insertAttempt = insertOf('attempt', attemptColumns);
  const heads = createHeads(db);
  const valuesOf = (row: Row, columns: readonly string[]) =>
    columns.map((name) => row[name] as SQLInputValue);

  return {
    /**
     * Those that are here already, by number or by call and status, are left as they are. Delivered ones are in the
     * counters already, which were saved first.
     */
    adopt({ events, attempts }: Adoptable): void {
      const adopted = new Set<number>();
      for (const row of events) {
        if (insertEvent.run(...valuesOf(row, eventColumns)).changes === 0) continue;
        const [seq, state] = [row.seq as number, row.state as number];
        adopted.add(seq);
        if (state === deadState) tally.adopt('dead');
        if (state !== 0) continue;
        tally.adopt('waiting');
        heads.join(seq, row.call_id as string, 0);
      }
      for (const row of attempts) {
        if (adopted.has(Math.floor((row.id as number) / slots)))
          insertAttempt.run(...valuesOf(row, attemptColumns));
      }
    },
  };
}
