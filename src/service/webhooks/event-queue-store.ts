import { missedSql } from '../calls/call-meaning.ts';
import type { Statements, Value } from '../store/statements.ts';

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

/** Queues the events of calls that changed, for their webhooks; of the processes, only that with the lease does. */
export const createEventQueueStore = (
  { read, write }: Pick<Statements, 'read' | 'write'>,
  changes: CallChanges,
) => ({
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
});
