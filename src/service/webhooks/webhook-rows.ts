import { type DeliveryResult, longestWaitMs, type Priority } from '../../shared/delivery/queue.ts';
import { tokenReplaced } from '../accounts/limits.ts';
import { missedSql } from '../calls/call-meaning.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import {
  hasId,
  inSteps,
  inStepsById,
  rewriteTexts,
  type Statements,
  trimOldest,
  type Value,
} from '../store/statements.ts';
import type { Delivery, DueDelivery, Webhook, WebhookChange, WebhookEvent } from './webhook-store.ts';

/** How an engine knows which calls changed. */
export type CallChanges = {
  /** A query for `place`, a text that changes with every commit. */
  readonly here: string;
  /** Whether the changes from one place to another are known. */
  goesOn(from: string, to: string): boolean;
  /** The rows of `calls c` that changed in between, and their webhooks `w`, after FROM; `values` are its parameters. */
  readonly changed: string;
  values(from: string, to: string): Value[];
};

/** Without knowing what changed: the calls of a day. */
const ofADay = `webhooks w JOIN calls c ON c.account_id = w.account_id WHERE c.started_at >= $1`;
const DAY_MS = 86_400_000;
/** Deliveries that are changed or deleted in one go: no event should wait until a month's are. */
const STEP = 1000;
/** Characters kept of an answer. */
const ANSWER = 500;

/** The events of the changed calls that their webhooks want, in the order in which they happened. */
const queueSql = (calls: string) => `
  WITH changed AS (SELECT c.id, c.ringing_at, c.answered_at, c.completed_at, c.missed, w.id AS webhook_id, w.events, w.since
    FROM ${calls} AND w.enabled),
  happened AS (
    SELECT id, 'call.ringing' AS event, ringing_at AS at, 1 AS step, webhook_id, events, since FROM changed
    UNION ALL SELECT id, 'call.answered', answered_at, 2, webhook_id, events, since FROM changed
    UNION ALL SELECT id, CASE WHEN ${missedSql('changed')} THEN 'call.missed' ELSE 'call.ended' END, completed_at, 3,
      webhook_id, events, since FROM changed)
  INSERT INTO webhook_deliveries (webhook_id, call_row, event, at, queued_at)
  SELECT webhook_id, id, event, at, at FROM happened
  WHERE at >= since AND events LIKE '%' || event || '%' ORDER BY at, id, step
  ON CONFLICT (call_row, webhook_id, event) DO NOTHING RETURNING webhook_id AS webhook`;

const webhookColumns = `id, uid, account_id AS account, url, events, secret_counter AS "secretCounter",
  old_secret_until AS "oldSecretUntil", enabled, since, failure, failing_since AS "failingSince"`;

const waits = "state IN ('new', 'retry')";
/** The same, but no condition that an index can answer. */
const isNotOver = "state NOT IN ('delivered', 'failed')";
/**
 * Of a call's deliveries to a webhook only the next may be sent. Both databases must find a call's deliveries by its row:
 * by state or id they would read all that wait for the webhook, for each of them. Hence isNotOver, and `+`, which keeps
 * the id out of an index. PostgreSQL makes no join of a subquery with an OFFSET.
 */
const nextOfCall = `NOT EXISTS (SELECT 1 FROM webhook_deliveries b WHERE b.call_row = d.call_row
  AND b.webhook_id = d.webhook_id AND +b.id < d.id AND b.${isNotOver} LIMIT 1 OFFSET 0)`;
const dueSql = (
  where: string,
) => `SELECT d.id AS delivery, d.event, d.at, d.queued_at AS "queuedAt", d.attempts,
    d.rejections, ${callColumns}
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
/** $1 the webhook, $2 a delivery: the next one of its call. */
const nextOfSameCall = dueSql(`d.call_row = (SELECT call_row FROM webhook_deliveries WHERE id = $2)
  AND d.${isNotOver} ORDER BY +d.id LIMIT 1`);

type DueRow = Omit<DueDelivery, 'id' | 'call'> & { delivery: number; call_id: string | null };
const dueOf = ({ delivery, event, at, queuedAt, attempts, rejections, ...call }: DueRow): DueDelivery => ({
  id: delivery,
  event,
  at,
  queuedAt,
  attempts,
  rejections,
  call: call.call_id === null ? null : callOf(call),
});

export type WebhookStore = ReturnType<typeof webhookRows>;

/**
 * The webhooks of all accounts and their queues (see DeliveryQueue), filled from the calls' changes. Times are Unix ms.
 */
export function webhookRows({ read, write }: Statements, changes: CallChanges) {
  const count = async (sql: string, ...values: Value[]) => (await write(sql, ...values)).length;
  /** Those of a webhook that wait, and for which this holds, count as failed now; returns how many. */
  function failWaiting(where: string, id: number, ...values: Value[]): Promise<number> {
    const own = `webhook_id = $1 AND ${waits} AND ${where}`;
    return inStepsById(
      STEP,
      () => read(`SELECT id FROM webhook_deliveries WHERE ${own} LIMIT ${STEP}`, id, ...values),
      (ids) =>
        write(
          `UPDATE webhook_deliveries SET state = 'failed' WHERE ${hasId(values.length + 2)} AND ${own} RETURNING id`,
          ...[id, ...values, ids],
        ),
    );
  }
  /** Of a webhook that is off: whoever switches it on again is not kept from it. */
  const failAll = (id: number): Promise<number> =>
    failWaiting('EXISTS (SELECT 1 FROM webhooks WHERE id = $1 AND enabled = $2)', id, false);

  return {
    /** Those of an account; null: all. */
    async list(account: number | null): Promise<Webhook[]> {
      const rows = await read<Webhook & { events: string }>(
        `SELECT ${webhookColumns} FROM webhooks ${account === null ? '' : 'WHERE account_id = $1'} ORDER BY id`,
        ...(account === null ? [] : [account]),
      );
      return rows.map((row) => ({
        ...row,
        events: row.events.split(' ') as WebhookEvent[],
        enabled: Boolean(row.enabled),
      }));
    },
    async add(webhook: Pick<Webhook, 'uid' | 'account' | 'url' | 'events' | 'since'>): Promise<void> {
      const { uid, account, url, events, since } = webhook;
      const sql = 'INSERT INTO webhooks (uid, account_id, url, events, since) VALUES ($1, $2, $3, $4, $5)';
      await write(sql, uid, account, url, events.join(' '), since);
    },
    /** @throws ChangeRefused if another request has replaced the secret */
    async change(id: number, change: WebhookChange): Promise<void> {
      const { url = null, events, replaces, oldSecretUntil, failingSince } = change;
      const isNew = replaces !== undefined;
      const changed = await write(
        `UPDATE webhooks SET url = coalesce($2, url), events = coalesce($3, events),
           secret_counter = secret_counter + $4,
           old_secret_until = CASE WHEN $5 THEN $6 ELSE old_secret_until END,
           failing_since = CASE WHEN $7 THEN $8 ELSE failing_since END
         WHERE id = $1 AND secret_counter = coalesce($9, secret_counter) RETURNING id`,
        ...[id, url, events?.join(' ') ?? null, isNew ? 1 : 0],
        ...[isNew || oldSecretUntil !== undefined, oldSecretUntil ?? null],
        ...[failingSince !== undefined, failingSince ?? null, replaces ?? null],
      );
      if (isNew && changed.length === 0) throw tokenReplaced();
    },
    /** Events from `at` on are sent. */
    async switchOn(id: number, at: number): Promise<void> {
      await failAll(id); // what a crash has left of it
      await write(
        'UPDATE webhooks SET enabled = $3, since = $2, failure = NULL, failing_since = NULL WHERE id = $1',
        ...[id, at, true],
      );
    },
    /** Its waiting events count as failed. `failure`: the reason, if the service switches it off; null if a user does. */
    async switchOff(id: number, failure: Webhook['failure']): Promise<void> {
      await write('UPDATE webhooks SET enabled = $3, failure = $2 WHERE id = $1', id, failure, false);
      await failAll(id);
    },
    async remove(id: number): Promise<void> {
      await write('UPDATE webhooks SET enabled = $2 WHERE id = $1', id, false);
      const last = `SELECT max(id) AS id FROM
        (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT ${STEP}) oldest`;
      for (;;) {
        const [{ id: upTo } = { id: null }] = await read<{ id: number | null }>(last, id);
        if (upTo === null) break;
        await write('DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND id <= $2', id, upTo);
      }
      await write('DELETE FROM webhooks WHERE id = $1', id);
    },
    /**
     * Takes or renews the lease to deliver, until `until`, and saves the place. Returns the place that was saved last, null
     * if there is none; undefined if another process has the lease.
     */
    async lease(
      holder: string,
      now: number,
      until: number,
      place?: string,
    ): Promise<{ place: string | null } | undefined> {
      const [held] = await write<{ place: string | null }>(
        `UPDATE webhook_reader SET holder = $1, held_until = $3, place = coalesce($4, place)
         WHERE holder = $1 OR held_until < $2 OR held_until > $5 RETURNING place`,
        // A clock that was ahead must not keep it for ever.
        ...[holder, now, until, place ?? null, now + 10 * 60_000],
      );
      return held;
    },
    /**
     * Queues the events of calls that changed since `place`, each once. If the changes since then are unknown, it reads the
     * calls of the last day. Returns the new place, and the webhooks with new events.
     */
    async queueNew(place: string | null, now: number): Promise<{ place: string; webhooks: Set<number> }> {
      const [{ place: here } = { place: '' }] = await read<{ place: string }>(changes.here);
      if (place === here) return { place, webhooks: new Set() };
      const known = place !== null && changes.goesOn(place, here);
      const rows = await write<{ webhook: number }>(
        queueSql(known ? changes.changed : ofADay),
        ...(known ? changes.values(place, here) : [now - DAY_MS]),
      );
      return { place: here, webhooks: new Set(rows.map(({ webhook }) => webhook)) };
    },
    /** Queues a test. */
    async addTest(id: number, at: number): Promise<void> {
      await write(
        "INSERT INTO webhook_deliveries (webhook_id, event, at, queued_at) VALUES ($1, 'test', $2, $2)",
        ...[id, at],
      );
    },
    /** As DeliveryQueue.due, of one webhook, oldest of each call only. */
    async due(
      id: number,
      {
        priority,
        now,
        freshSince,
        limit,
      }: { priority: Priority; now: number; freshSince: number; limit: number },
    ): Promise<DueDelivery[]> {
      const times = priority === 'retry' ? [now, now + longestWaitMs] : [freshSince];
      return (await read<DueRow>(due[priority], id, limit, ...times)).map(dueOf);
    },
    async nextDue(id: number, now: number): Promise<number | undefined> {
      const [row] = await read<{ at: number | null }>(
        `SELECT min(next_at) AS at FROM webhook_deliveries
         WHERE webhook_id = $1 AND state = 'retry' AND next_at > $2 AND next_at <= $3`,
        ...[id, now, now + longestWaitMs],
      );
      return row?.at ?? undefined;
    },
    /** `answer`: the receiver's, or why there is none. Returns the next delivery of the call. */
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
      return (await read<DueRow>(nextOfSameCall, id, seq)).map(dueOf);
    },
    expire: (id: number, queuedBefore: number): Promise<number> =>
      failWaiting('queued_at < $2', id, queuedBefore),
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
    /** Newest first; `before`: older than this one. */
    async page(query: {
      webhook: number;
      failed: boolean;
      before: number | null;
      limit: number;
    }): Promise<{ deliveries: Delivery[]; next: number | null }> {
      const { webhook, failed, before, limit } = query;
      const values: Value[] = [webhook];
      const where = ['d.webhook_id = $1'];
      if (failed) where.push("d.state = 'failed'");
      if (before !== null) where.push(`d.id < $${values.push(before)}`);
      const deliveries = await read<Delivery>(
        `SELECT d.id, d.event, d.at, d.state, d.tries, d.tried_at AS "triedAt", d.http_status AS "httpStatus",
           d.answer, c.call_id AS "callId"
         FROM webhook_deliveries d LEFT JOIN calls c ON c.id = d.call_row
         WHERE ${where.join(' AND ')} ORDER BY d.id DESC LIMIT $${values.push(limit + 1)}`,
        ...values,
      );
      const more = deliveries.length > limit;
      return {
        deliveries: deliveries.slice(0, limit),
        next: more ? (deliveries[limit - 1] as Delivery).id : null,
      };
    },
    /** Sends one again, or (null) all that have failed until now; gives how many. */
    async sendAgain(id: number, delivery: number | null, at: number): Promise<number> {
      const again = (where: string, ...values: Value[]) =>
        count(
          `UPDATE webhook_deliveries SET state = 'new', attempts = 0, rejections = 0, queued_at = $2
           WHERE webhook_id = $1 AND ${where} RETURNING id`,
          ...[id, at, ...values],
        );
      if (delivery !== null) return again("id = $3 AND state IN ('delivered', 'failed')", delivery);
      const failed = "webhook_id = $1 AND state = 'failed'";
      const [{ id: end } = { id: null }] = await read<{ id: number | null }>(
        `SELECT max(id) AS id FROM webhook_deliveries WHERE ${failed}`,
        id,
      );
      const next = `SELECT max(id) AS id FROM
        (SELECT id FROM webhook_deliveries WHERE ${failed} AND id > $2 AND id <= $3 ORDER BY id LIMIT ${STEP}) next`;
      // By their ids: what fails meanwhile is not sent again.
      for (let [after, sent] = [0, 0]; ; ) {
        const [{ id: upTo } = { id: null }] = await read<{ id: number | null }>(next, id, after, end);
        if (upTo === null) return sent;
        sent += await again("state = 'failed' AND id > $3 AND id <= $4", after, upTo);
        after = upTo;
      }
    },
    /**
     * Deletes the receivers' answers to events of a number's calls, and writes others `without` the number; returns how
     * many of those.
     */
    async forget(account: number, number: string, without: (text: string) => string): Promise<number> {
      const answers = `UPDATE webhook_deliveries SET answer = NULL WHERE id IN
        (SELECT d.id FROM calls c JOIN webhook_deliveries d ON d.call_row = c.id
         WHERE c.account_id = $1 AND c.number = $2 AND d.answer IS NOT NULL LIMIT ${STEP}) RETURNING id`;
      await inSteps(STEP, () => write(answers, account, number));
      const own = 'webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)';
      return rewriteTexts({ read, write }, 'webhook_deliveries', 'answer', own, account, without);
    },
    /** Deletes the deliveries of events before `before`. */
    trim: (before: number): Promise<number> => trimOldest({ read, write }, 'webhook_deliveries', before),
  };
}
