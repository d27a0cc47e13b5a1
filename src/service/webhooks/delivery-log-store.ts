import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import { inSteps, rewriteTexts, type Statements, trimOldest, type Value } from '../store/statements.ts';
import { newestPersonEvent } from './person-event-store.ts';
import { isSkipped, STEP } from './waiting-deliveries.ts';
import type { Delivery } from './webhook.ts';

/** Calls among which the last event of some kinds is looked for. */
const NEWEST = 100;
/** Events given up that are counted. */
export const MOST_COUNTED = 1_000;

type PageQuery = {
  readonly webhook: number;
  readonly failed: boolean;
  readonly before: number | null;
  readonly limit: number;
  /** Only the events of the call with this id. */
  readonly call?: string | null;
};

type Page = { readonly deliveries: Delivery[]; readonly next: number | null };

/** What was sent and what waits, as people see it. */
export const createDeliveryLogStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** Newest first; `before`: older than this one. */
  async page({ webhook, failed, before, limit, call = null }: PageQuery): Promise<Page> {
    const values: Value[] = [webhook];
    const where = ['d.webhook_id = $1', `NOT (${isSkipped})`];
    if (failed) where.push("d.state = 'failed'");
    if (before !== null) where.push(`d.id < $${values.push(before)}`);
    if (call !== null)
      where.push(`d.call_row = (SELECT k.id FROM webhooks w JOIN calls k ON k.account_id = w.account_id
        WHERE w.id = $1 AND k.call_id = $${values.push(call)})`);
    // `+`: those of a call are few, and found by its row, not among all of the webhook.
    const order = call === null ? 'd.id' : '+d.id';
    const deliveries = await read<Delivery>(
      `SELECT d.id, d.event, d.at, d.state, d.tries, d.tried_at AS "triedAt", d.http_status AS "httpStatus",
         d.answer, c.call_id AS "callId"
       FROM webhook_deliveries d LEFT JOIN calls c ON c.id = d.call_row
       WHERE ${where.join(' AND ')} ORDER BY ${order} DESC LIMIT $${values.push(limit + 1)}`,
      ...values,
    );
    const more = deliveries.length > limit;
    return {
      deliveries: deliveries.slice(0, limit),
      next: more ? (deliveries[limit - 1] as Delivery).id : null,
    };
  },
  /** How many events of each of an account's webhooks were given up, up to `MOST_COUNTED`. */
  async failedCounts(account: number): Promise<ReadonlyMap<number, number>> {
    const rows = await read<{ id: number; failed: number }>(
      `SELECT w.id, (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d
         WHERE d.webhook_id = w.id AND d.state = 'failed' LIMIT ${MOST_COUNTED}) f) AS failed
       FROM webhooks w WHERE w.account_id = $1`,
      account,
    );
    return new Map(rows.map(({ id, failed }) => [id, Number(failed)]));
  },
  /** What happened last: the newest calls, and the newest thing that was done about somebody. */
  async newest(account: number) {
    const calls = await read<Parameters<typeof callOf>[0]>(
      `SELECT ${callColumns} FROM calls c ${whoCalls} WHERE c.account_id = $1 AND NOT c.past
       ORDER BY c.started_at DESC LIMIT ${NEWEST}`,
      account,
    );
    return { calls: calls.map(callOf), person: await newestPersonEvent({ read }, account) };
  },
  /** Sends one again, or (null) all that have failed until now; gives how many. */
  async sendAgain(id: number, delivery: number | null, at: number): Promise<number> {
    const again = async (where: string, ...values: Value[]) => {
      const sql = `UPDATE webhook_deliveries SET state = 'new', attempts = 0, rejections = 0, queued_at = $2
         WHERE webhook_id = $1 AND ${where} RETURNING id`;
      return (await write(sql, id, at, ...values)).length;
    };
    if (delivery !== null)
      return again(`id = $3 AND state IN ('delivered', 'failed') AND NOT (${isSkipped})`, delivery);
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
   * Deletes the receivers' answers to events of a number's calls, and what happened to these people (the number, and references of
   * customers that went with it), sent or not; writes other answers `without` the number, and returns how many of those.
   */
  async forget(
    account: number,
    people: readonly string[],
    without: (text: string) => string,
  ): Promise<number> {
    const [number = ''] = people;
    const answers = `UPDATE webhook_deliveries SET answer = NULL WHERE id IN
      (SELECT d.id FROM calls c JOIN webhook_deliveries d ON d.call_row = c.id
       WHERE c.account_id = $1 AND c.number = $2 AND d.answer IS NOT NULL LIMIT ${STEP}) RETURNING id`;
    await inSteps(STEP, () => write(answers, account, number));
    const abouts = await read<{ about: string }>(
      'SELECT DISTINCT about FROM person_events WHERE account_id = $1',
      account,
    );
    for (const { about } of abouts)
      if (people.includes(about) || without(about) !== about)
        await write('DELETE FROM person_events WHERE account_id = $1 AND about = $2', account, about);
    const own = 'webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)';
    return rewriteTexts({ read, write }, 'webhook_deliveries', 'answer', own, account, without);
  },
  /** Deletes an account's deliveries of events before `before`, and what happened to people until then. */
  async trimAccount(account: number, before: number): Promise<void> {
    const deliveries = `DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhooks w
      JOIN webhook_deliveries d ON d.webhook_id = w.id WHERE w.account_id = $1 AND d.at < $2 LIMIT ${STEP}) RETURNING id`;
    const events = `DELETE FROM person_events WHERE id IN
      (SELECT id FROM person_events WHERE account_id = $1 AND at < $2 LIMIT ${STEP}) RETURNING id`;
    for (const sql of [deliveries, events]) await inSteps(STEP, () => write(sql, account, before));
  },
  /** Deletes the deliveries of events before `before`. */
  trim: async (before: number): Promise<number> =>
    (await trimOldest({ read, write }, 'webhook_deliveries', before)) +
    (await trimOldest({ read, write }, 'person_events', before)),
});
