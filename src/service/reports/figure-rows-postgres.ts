import { type CallFacts, countCalls } from '../calls/aggregate.ts';
import { segmentJoin, whoOfFields } from '../calls/call-rows.ts';
import type { Database } from '../store/postgres/database.ts';
import type { Serialise } from '../store/statements.ts';
import type { FiguresEngine } from './figure-cache.ts';

/** Calls that are counted in one go. */
const STEP = 5_000;

/**
 * After `calls c`: the segment `s` of who has its number now. Call by call: for a few hundred calls, those of today on each
 * page of calls, PostgreSQL would else join all customers of the account.
 */
const segmentOfCall = `LEFT JOIN LATERAL (SELECT k.segment_id FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
    WHERE n.account_id = c.account_id AND n.number = c.number LIMIT 1) k ON true
  ${segmentJoin}`;

/** Counts calls for reports, and keeps what was counted. */
export function figureRows(database: Database, serialise: Serialise): FiguresEngine {
  return {
    async cached(account, spans) {
      const rows = await database.rows<{ figures: string | null }>(
        `SELECT k.figures FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS s(since, until, n)
         LEFT JOIN kept_figures k ON k.account_id = $1 AND k.since = s.since AND k.until = s.until ORDER BY s.n`,
        account,
        spans.map(({ since }) => since),
        spans.map(({ until }) => until),
      );
      return rows.map(({ figures }) => figures);
    },
    async firstCall(account, since) {
      const [first] = await database.rows<{ at: number }>(
        'SELECT started_at AS at FROM calls WHERE account_id = $1 AND started_at >= $2 ORDER BY started_at LIMIT 1',
        ...[account, since],
      );
      return first?.at ?? null;
    },
    begin: (account, spans, mark) =>
      database.transaction(async ({ rows }) => {
        // Waits for the transactions that move calls now: they would not see the mark, nor would the count see them.
        // Those that begin later lock the table before they read (see recordSql), and so see the mark.
        await rows('LOCK TABLE kept_figures IN SHARE ROW EXCLUSIVE MODE');
        const times = [spans.map(({ since }) => since), spans.map(({ until }) => until)] as const;
        await rows(
          `DELETE FROM kept_figures k USING unnest($2::bigint[], $3::bigint[]) AS s(since, until)
           WHERE k.account_id = $1 AND k.since = s.since AND k.until < s.until`,
          account,
          ...times,
        );
        await rows(
          `INSERT INTO kept_figures (account_id, since, until, mark)
           SELECT $1, s.since, s.until, $4 FROM unnest($2::bigint[], $3::bigint[]) AS s(since, until)
           ON CONFLICT (account_id, since, until) DO UPDATE SET mark = excluded.mark, figures = NULL`,
          account,
          ...times,
          mark,
        );
      }),
    async count(account, span, after) {
      const { at, id } = after ?? { at: span.since, id: 0 };
      const rows = await serialise(() =>
        database.rows<Omit<CallFacts, 'rang' | 'talked'> & { id: number; rang: unknown; talked: unknown }>(
          `SELECT c.status, s.name AS segment, c.caller_id AS "callerId", c.started_at AS "startedAt",
             c.ringing_at AS "ringingAt", c.answered_at AS "answeredAt", c.completed_at AS "completedAt", c.missed,
             c.integration_id AS integration, c.number_called AS "numberCalled", c.missed_where AS "missedWhere",
             c.missed_after AS "missedAfter", c.rang, c.talked, c.id
           FROM calls c ${segmentOfCall} WHERE c.account_id = $1 AND c.started_at < $2 AND (c.started_at, c.id) > ($3, $4)
           ORDER BY c.started_at, c.id LIMIT ${STEP}`,
          account,
          span.until,
          at,
          id,
        ),
      );
      const counted = countCalls(span);
      for (const row of rows) counted.add({ ...row, ...whoOfFields(row) });
      const last = rows[STEP - 1];
      return { figures: counted.figures(), next: last ? { at: last.startedAt, id: last.id } : null };
    },
    async store(account, { since, until }, mark, figures) {
      await database.rows(
        'UPDATE kept_figures SET figures = $5 WHERE account_id = $1 AND since = $2 AND until = $3 AND mark = $4',
        account,
        since,
        until,
        mark,
        figures,
      );
    },
  };
}
