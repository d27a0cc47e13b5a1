import { type DeliveryResult, longestWaitMs, type Priority } from '../../shared/delivery/queue.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import { hasId, keysOf, type Statements, type Value } from '../store/statements.ts';
import { type PersonEvents, personEventsOf } from './person-event-store.ts';
import { failWaiting, waits } from './waiting-deliveries.ts';
import type { DueDelivery } from './webhook.ts';

/** Characters kept of an answer. */
const ANSWER = 500;

/** What waits, but no condition that an index can answer. */
const isNotOver = "state NOT IN ('delivered', 'failed')";
/**
 * Of a call's deliveries to a webhook only the next may be sent. Both databases must find a call's deliveries by its row:
 * by state or id they would read all that wait for the webhook, for each of them. Hence isNotOver, and `+`, which keeps
 * the id out of an index. PostgreSQL makes no join of a subquery with an OFFSET.
 */
const nextOfCall = `NOT EXISTS (SELECT 1 FROM webhook_deliveries b WHERE b.call_row = d.call_row
  AND b.webhook_id = d.webhook_id AND +b.id < d.id AND b.${isNotOver} LIMIT 1 OFFSET 0)
  AND NOT EXISTS (SELECT 1 FROM person_events m JOIN person_events o ON o.account_id = m.account_id AND o.about = m.about AND o.id < m.id
    JOIN webhook_deliveries b ON b.event_row = o.id AND b.webhook_id = d.webhook_id
    WHERE m.id = d.event_row AND b.${isNotOver} LIMIT 1 OFFSET 0)`;
const dueSql = (
  where: string,
) => `SELECT d.id AS delivery, d.event, d.at, d.queued_at AS "queuedAt", d.attempts,
    d.rejections, d.event_row, ${callColumns}
  FROM webhook_deliveries d LEFT JOIN calls c ON c.id = d.call_row ${whoCalls}
  WHERE d.webhook_id = $1 AND (SELECT enabled FROM webhooks WHERE id = $1) AND ${where}`;

/** $1 the webhook, $2 how many at most. */
const due = {
  fresh: dueSql(
    `d.state = 'new' AND d.queued_at >= $3 AND ${nextOfCall} ORDER BY d.queued_at DESC, d.id DESC LIMIT $2`,
  ),
  backlog: dueSql(
    `d.state = 'new' AND d.queued_at < $3 AND ${nextOfCall} ORDER BY d.queued_at, d.id LIMIT $2`,
  ),
  retry: dueSql(`d.state = 'retry' AND (d.next_at <= $3 OR d.next_at > $4) AND ${nextOfCall}
    ORDER BY d.attempts, d.next_at, d.id LIMIT $2`),
};
/** $1 the webhook, $2 a delivery: the next one of its call, or of its person. */
const nextOfSameCall = dueSql(`d.call_row = (SELECT call_row FROM webhook_deliveries WHERE id = $2)
  AND d.${isNotOver} ORDER BY +d.id LIMIT 1`);
const nextOfSamePerson =
  dueSql(`d.event_row IN (SELECT o.id FROM webhook_deliveries p JOIN person_events m ON m.id = p.event_row
    JOIN person_events o ON o.account_id = m.account_id AND o.about = m.about WHERE p.id = $2)
  AND d.${isNotOver} ORDER BY +d.event_row LIMIT 1`);

type DueRow = Omit<DueDelivery, 'id' | 'call' | 'person'> & {
  delivery: number;
  event_row: number | null;
  call_id: string | null;
};
const dueOf = (
  { delivery, event, at, queuedAt, attempts, rejections, event_row, ...call }: DueRow,
  people: PersonEvents,
): DueDelivery => ({
  id: delivery,
  event,
  at,
  queuedAt,
  attempts,
  rejections,
  call: call.call_id === null ? null : callOf(call),
  person: people.get(event_row) ?? null,
});

/** Unix ms. */
type DueQuery = {
  readonly priority: Priority;
  readonly now: number;
  readonly freshSince: number;
  readonly limit: number;
};

export type DueDeliveryStore = ReturnType<typeof createDueDeliveryStore>;

/** The queue of each webhook (see DeliveryQueue). */
export const createDueDeliveryStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => {
  async function dueRows(sql: string, ...values: Value[]): Promise<DueDelivery[]> {
    const rows = await read<DueRow>(sql, ...values);
    const people = await personEventsOf({ read }, rows);
    return rows.map((row) => dueOf(row, people));
  }

  return {
    /** As DeliveryQueue.due, of one webhook, oldest of each call and person only. */
    async due(id: number, { priority, now, freshSince, limit }: DueQuery): Promise<DueDelivery[]> {
      const times = priority === 'retry' ? [now, now + longestWaitMs] : [freshSince];
      return dueRows(due[priority], id, limit, ...times);
    },
    async nextDue(id: number, now: number): Promise<number | undefined> {
      const [row] = await read<{ at: number | null }>(
        `SELECT min(next_at) AS at FROM webhook_deliveries
       WHERE webhook_id = $1 AND state = 'retry' AND next_at > $2 AND next_at <= $3`,
        ...[id, now, now + longestWaitMs],
      );
      return row?.at ?? undefined;
    },
    /** Of events that the webhook does not want: they count as delivered, without a try (see isSkipped). */
    async skip(id: number, deliveries: readonly number[]): Promise<void> {
      await write(
        `UPDATE webhook_deliveries SET state = 'delivered' WHERE webhook_id = $1 AND ${hasId(2)} AND ${waits}`,
        ...[id, keysOf(deliveries)],
      );
    },
    /** `answer`: the receiver's, or why there is none. Returns the next delivery of the call, or of the person. */
    async record(
      id: number,
      { seq, outcome, counted, rejected, at, nextAt = 0, httpStatus }: DeliveryResult,
      answer: string | null,
    ): Promise<DueDelivery[]> {
      const state = outcome === 'dead' ? 'failed' : outcome === 'retry' && !counted ? null : outcome;
      await write(
        `UPDATE webhook_deliveries SET
         state = CASE WHEN ${waits} OR $9 THEN coalesce($2, state) ELSE state END,
         tries = tries + 1, attempts = attempts + $3, rejections = rejections + $4, next_at = $5,
         tried_at = $6, http_status = $7, answer = $8
       WHERE id = $1 AND state <> 'delivered'`,
        ...[seq, state, counted ? 1 : 0, rejected ? 1 : 0, nextAt, at, httpStatus ?? null],
        ...[answer?.slice(0, ANSWER).replaceAll('\0', '') ?? null, outcome === 'delivered'],
      );
      if (outcome === 'retry') return [];
      return [...(await dueRows(nextOfSameCall, id, seq)), ...(await dueRows(nextOfSamePerson, id, seq))];
    },
    expire: (id: number, queuedBefore: number): Promise<number> =>
      failWaiting({ read, write }, 'queued_at < $2', id, queuedBefore),
    /** How many wait: of a webhook, or of all. */
    async waiting(id: number | null): Promise<number> {
      // Webhook by webhook: of one statement for all, PostgreSQL makes a scan of the table.
      const [row] = await read<{ waiting: number }>(
        `SELECT CAST(sum((SELECT count(*) FROM webhook_deliveries WHERE webhook_id = w.id AND ${waits})) AS bigint) AS waiting
       FROM webhooks w ${id === null ? '' : 'WHERE id = $1'}`,
        ...(id === null ? [] : [id]),
      );
      return row?.waiting ?? 0;
    },
  };
};
