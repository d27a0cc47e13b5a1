import type { DatabaseSync } from 'node:sqlite';
import { type CallFacts, countCalls, type Span } from '../../reports/tally.ts';
import type { CountedSlice, KeptFigures } from '../kept-figures.ts';
import type { CallCursor } from '../store.ts';

/** Calls that are counted in one go: some milliseconds. */
const STEP = 2000;
const HOUR_MS = 3_600_000;

/** Counts calls for reports, and gives what was kept of that. */
export function figureReader(db: DatabaseSync) {
  const moves = db.prepare(
    `SELECT coalesce(sum(calls + answered + completed), 0) AS moves FROM report_hours
     WHERE account_id = ? AND hour >= ? AND hour < ?`,
  );
  const kept = db.prepare(
    'SELECT figures FROM kept_figures WHERE account_id = ? AND since = ? AND until = ? AND moves = ?',
  );
  const facts = db.prepare(
    `SELECT status, segment, caller_id AS callerId, started_at AS startedAt, ringing_at AS ringingAt,
       answered_at AS answeredAt, completed_at AS completedAt, missed, id
     FROM calls INDEXED BY calls_by_time
     WHERE account_id = ? AND started_at < ? AND (started_at, id) > (?, ?) ORDER BY started_at, id LIMIT ${STEP}`,
  );
  return {
    keptFigures: (account: number, spans: readonly Span[]): KeptFigures[] =>
      spans.map(({ since, until }) => {
        const hours = [Math.floor(since / HOUR_MS), Math.ceil(until / HOUR_MS)] as const;
        const sum = moves.get(account, ...hours)?.moves as number;
        const row = sum > 0 ? kept.get(account, since, until, sum) : undefined;
        return { moves: sum, figures: (row?.figures as string | undefined) ?? null };
      }),
    countFigures(account: number, span: Span, after: CallCursor | null): CountedSlice {
      const { at, id } = after ?? { at: span.since, id: 0 };
      const tally = countCalls(span);
      let rows = 0;
      let last: CallCursor | null = null;
      for (const row of facts.iterate(account, span.until, at, id)) {
        const call = row as unknown as Omit<CallFacts, 'missed'> & { missed: number | null; id: number };
        tally.add({ ...call, missed: call.missed === null ? null : call.missed === 1 });
        rows += 1;
        last = { at: call.startedAt, id: call.id };
      }
      return { figures: tally.figures(), next: rows === STEP ? last : null };
    },
  };
}

export function figureWriter(db: DatabaseSync) {
  const keep = db.prepare(
    `INSERT INTO kept_figures VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       moves = excluded.moves, figures = excluded.figures`,
  );
  return {
    keepFigures(account: number, { since, until }: Span, moves: number, figures: string): void {
      keep.run(account, since, until, moves, figures);
    },
  };
}
