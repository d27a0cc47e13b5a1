import type { DatabaseSync } from 'node:sqlite';
import { type CallFacts, countCalls } from '../calls/aggregate.ts';
import { whoCalls, whoOfFields } from '../calls/call-rows.ts';
import type { CallCursor } from '../calls/call-slices.ts';
import { QUARTER_MS, type Span } from '../kit/calendar.ts';
import { type CountedSlice, LONGEST_MS } from './figure-cache.ts';

/** Calls that are counted in one go: some milliseconds. */
const STEP = 2000;

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
  integration: number,
  numberCalled: string | null,
  missedWhere: NonNullable<CallFacts['missedWhere']> | null,
  missedAfter: number | null,
  rang: string | null,
  talked: string | null,
];

/** Counts calls for reports, and reads the cached counts. */
export function figureReader(db: DatabaseSync) {
  const cached = db.prepare(
    'SELECT figures FROM kept_figures WHERE account_id = ? AND since = ? AND until = ?',
  );
  const facts = db.prepare(
    `SELECT c.id, c.status, s.name, c.caller_id, c.started_at, c.ringing_at, c.answered_at, c.completed_at, c.missed,
       c.integration_id, c.number_called, c.missed_where, c.missed_after, c.rang, c.talked
     FROM calls c INDEXED BY calls_by_time ${whoCalls}
     WHERE c.account_id = ? AND c.started_at < ? AND (c.started_at, c.id) > (?, ?) ORDER BY c.started_at, c.id LIMIT ${STEP}`,
  );
  facts.setReturnArrays(true);
  const first = db.prepare(
    'SELECT started_at FROM calls INDEXED BY calls_by_time WHERE account_id = ? AND started_at >= ? ORDER BY started_at LIMIT 1',
  );
  return {
    cachedFigures: (account: number, spans: readonly Span[]): (string | null)[] =>
      spans.map(({ since, until }) => (cached.get(account, since, until)?.figures ?? null) as string | null),
    firstCall: (account: number, since: number): number | null =>
      (first.get(account, since)?.started_at ?? null) as number | null,
    countFigures(account: number, span: Span, after: CallCursor | null): CountedSlice {
      const { at, id } = after ?? { at: span.since, id: 0 };
      const counted = countCalls(span);
      const rows = facts.all(account, span.until, at, id) as unknown as FactsRow[];
      for (const [
        ,
        status,
        segment,
        callerId,
        startedAt,
        ringingAt,
        answeredAt,
        completedAt,
        flag,
        integration,
        numberCalled,
        missedWhere,
        missedAfter,
        rang,
        talked,
      ] of rows) {
        const missed = flag === null ? null : flag === 1;
        counted.add({
          status,
          segment,
          callerId,
          startedAt,
          ringingAt,
          answeredAt,
          completedAt,
          missed,
          integration,
          numberCalled,
          missedWhere,
          missedAfter,
          ...whoOfFields({ rang, talked }),
        });
      }
      const last = rows[STEP - 1];
      return { figures: counted.figures(), next: last ? { at: last[4], id: last[0] } : null };
    },
  };
}

export function figureWriter(db: DatabaseSync) {
  const forget = db.prepare('DELETE FROM kept_figures WHERE account_id = ? AND since = ? AND until < ?');
  const begin = db.prepare(
    `INSERT INTO kept_figures (account_id, since, until, mark) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET mark = excluded.mark, figures = NULL`,
  );
  const store = db.prepare(
    'UPDATE kept_figures SET figures = ? WHERE account_id = ? AND since = ? AND until = ? AND mark = ?',
  );
  return {
    beginFigures(account: number, spans: readonly Span[], mark: number): void {
      for (const { since, until } of spans) {
        forget.run(account, since, until);
        begin.run(account, since, until, mark);
      }
    },
    storeFigures: (account: number, { since, until }: Span, mark: number, figures: string): void =>
      void store.run(figures, account, since, until, mark),
  };
}

/**
 * Deletes the cached figures of spans with a quarter of an hour in which a call began; for the transaction that moves the
 * call.
 */
export function figureInvalidation(db: DatabaseSync) {
  const outdate = db.prepare(
    `DELETE FROM kept_figures WHERE account_id = ? AND since BETWEEN ? - ${LONGEST_MS} AND ? AND until > ?`,
  );
  return (account: number, quarter: number): void => {
    const from = quarter * QUARTER_MS;
    outdate.run(account, from, from + QUARTER_MS - 1, from);
  };
}
