import { type CallFacts, countCalls } from '../../reports/tally.ts';
import type { FiguresEngine } from '../shared/kept-figures.ts';
import type { Serialise } from '../shared/serialise.ts';
import type { Database } from './database.ts';

/** Calls that are counted in one go. */
const STEP = 5_000;
const HOUR_MS = 3_600_000;

/** Counts calls for reports, and keeps what was counted. */
export function figureRows(database: Database, serialise: Serialise): FiguresEngine {
  return {
    kept: (account, spans) =>
      database.rows(
        `SELECT m.moves, k.figures
         FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS s(since, until, n)
         CROSS JOIN LATERAL (
           SELECT coalesce(sum(calls + answered + completed), 0)::bigint AS moves FROM report_hours
           WHERE account_id = $1 AND hour >= s.since / $4 AND hour < (s.until + $4 - 1) / $4) m
         LEFT JOIN kept_figures k ON k.account_id = $1 AND k.since = s.since AND k.until = s.until
           AND k.moves = m.moves AND m.moves > 0
         ORDER BY s.n`,
        account,
        spans.map(({ since }) => since),
        spans.map(({ until }) => until),
        HOUR_MS,
      ),
    async count(account, span, after) {
      const { at, id } = after ?? { at: span.since, id: 0 };
      const rows = await serialise(() =>
        database.rows<CallFacts & { id: number }>(
          `SELECT status, segment, caller_id AS "callerId", started_at AS "startedAt", ringing_at AS "ringingAt",
             answered_at AS "answeredAt", completed_at AS "completedAt", missed, id
           FROM calls WHERE account_id = $1 AND started_at < $2 AND (started_at, id) > ($3, $4)
           ORDER BY started_at, id LIMIT ${STEP}`,
          account,
          span.until,
          at,
          id,
        ),
      );
      const tally = countCalls(span);
      for (const row of rows) tally.add(row);
      const last = rows[STEP - 1];
      return { figures: tally.figures(), next: last ? { at: last.startedAt, id: last.id } : null };
    },
    async keep(account, { since, until }, moves, figures) {
      await database.rows(
        `WITH beginnings AS (DELETE FROM kept_figures WHERE account_id = $1 AND since = $2 AND until < $3)
         INSERT INTO kept_figures VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (account_id, since, until) DO UPDATE SET moves = excluded.moves, figures = excluded.figures`,
        account,
        since,
        until,
        moves,
        figures,
      );
    },
  };
}
