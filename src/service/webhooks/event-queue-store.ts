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

/** Without knowing what changed: the calls of a day, some at a time, so that nobody waits for all of an account's. */
const DAY_MS = 86_400_000;
const CALLS = 100;
const after = '(c.started_at, c.id) > ($2, $3)';
const nextCalls = `SELECT c.started_at AS "startedAt", c.id FROM calls c
  WHERE c.account_id = $1 AND ${after} ORDER BY c.started_at, c.id LIMIT $4`;
const ofADay = `webhooks w JOIN calls c ON c.account_id = w.account_id
  WHERE w.account_id = $1 AND ${after} AND (c.started_at, c.id) <= ($4, $5)`;

/** A place with the accounts of whose calls of the day some are not queued yet, and the last call of each that is. */
type Place = {
  readonly here: string;
  readonly left: readonly (readonly [account: number, startedAt: number, id: number])[];
};
const placeIn = (text: string): Place =>
  text.startsWith('{') ? (JSON.parse(text) as Place) : { here: text, left: [] };
const textOf = (place: Place): string => (place.left.length > 0 ? JSON.stringify(place) : place.here);

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
) => {
  async function everyAccount(now: number): Promise<[number, number, number][]> {
    const sql = 'SELECT DISTINCT account_id AS account FROM webhooks WHERE enabled ORDER BY account_id';
    return (await read<{ account: number }>(sql)).map(({ account }) => [account, now - DAY_MS, 0]);
  }
  return {
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
     * calls of the last day, some with each call, the accounts in turn. Returns the new place, the webhooks with new events,
     * and whether there is more of that day.
     */
    async queueNew(
      place: string | null,
      now: number,
    ): Promise<{ place: string; webhooks: Set<number>; isMore: boolean }> {
      const [{ place: here } = { place: '' }] = await read<{ place: string }>(changes.here);
      const webhooks = new Set<number>();
      const queue = async (calls: string, ...values: Value[]) => {
        const rows = await write<{ webhook: number }>(queueSql(calls), ...values);
        for (const { webhook } of rows) webhooks.add(webhook);
      };
      const before = place === null ? undefined : placeIn(place);
      const known = before !== undefined && changes.goesOn(before.here, here) ? before : undefined;
      if (known && known.here !== here) await queue(changes.changed, ...changes.values(known.here, here));
      const left = known ? [...known.left] : await everyAccount(now);
      for (let most = CALLS; most > 0; ) {
        const [next] = left;
        if (next === undefined) break;
        const calls = await read<{ startedAt: number; id: number }>(nextCalls, ...next, most);
        const last = calls.at(-1);
        if (last) await queue(ofADay, ...next, last.startedAt, last.id);
        left.shift();
        if (last && calls.length === most) left.push([next[0], last.startedAt, last.id]);
        most -= calls.length;
      }
      return { place: textOf({ here, left }), webhooks, isMore: left.length > 0 };
    },
    /** Queues a test. */
    async addTest(id: number, at: number): Promise<void> {
      await write(
        "INSERT INTO webhook_deliveries (webhook_id, event, at, queued_at) VALUES ($1, 'test', $2, $2)",
        ...[id, at],
      );
    },
  };
};
