import type { DatabaseSync } from 'node:sqlite';
import { type CallFacts, countCalls, type Span } from '../../reports/tally.ts';
import type { CallCursor } from '../call-store.ts';
import type { CountedSlice, KeptFigures } from '../shared/kept-figures.ts';

/** Calls that are counted in one go: some milliseconds. */
const STEP = 2000;
const HOUR_MS = 3_600_000;

type FactsRow = [
  id: number,
  status: CallFacts['status'],
  segment: string | null,
  callerId: string | null,
  startedAt: number,
  ringingAt: number | null,
  answeredAt: number | null,
  completedAt: number | null,
  missed: number | null,
];

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
    `SELECT id, status, segment, caller_id, started_at, ringing_at, answered_at, completed_at, missed
     FROM calls INDEXED BY calls_by_time
     WHERE account_id = ? AND started_at < ? AND (started_at, id) > (?, ?) ORDER BY started_at, id LIMIT ${STEP}`,
  );
  facts.setReturnArrays(true);
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
      const rows = facts.all(account, span.until, at, id) as unknown as FactsRow[];
      for (const [, status, segment, callerId, startedAt, ringingAt, answeredAt, completedAt, flag] of rows) {
        const missed = flag === null ? null : flag === 1;
        tally.add({ status, segment, callerId, startedAt, ringingAt, answeredAt, completedAt, missed });
      }
      const last = rows[STEP - 1];
      return { figures: tally.figures(), next: last ? { at: last[4], id: last[0] } : null };
    },
  };
}

export function figureWriter(db: DatabaseSync) {
  const keep = db.prepare(
    `INSERT INTO kept_figures VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       moves = excluded.moves, figures = excluded.figures`,
  );
  const forget = db.prepare('DELETE FROM kept_figures WHERE account_id = ? AND since = ? AND until < ?');
  return {
    keepFigures(account: number, { since, until }: Span, moves: number, figures: string): void {
      forget.run(account, since, until);
      keep.run(account, since, until, moves, figures);
    },
  };
}
