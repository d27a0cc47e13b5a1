import type { CallRecord } from '../calls/call-record.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import { inSteps, keysOf, type Statements } from '../store/statements.ts';
import { personEventsOf } from './person-event-store.ts';
import type { PersonEvent, WebhookEvent } from './webhook.ts';

/** A place in the events of an account: the last that was read, which stays as long as the newest does. */
export type EventCursor = { readonly id: number; readonly at: number };

type FeedEvent = EventCursor & {
  readonly event: WebhookEvent;
  readonly call: CallRecord | null;
  readonly person: PersonEvent | null;
};

/** Events that are deleted in one statement. */
const STEP = 1_000;
/** Accuracy of `read_at`: a program that waits for events asks all the time. */
const READ_MS = 3_600_000;

export type CallEventStore = ReturnType<typeof createCallEventStore>;

/** The events that programs read by themselves. They are queued like those of webhooks (event-queue-store.ts). */
export const createCallEventStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => {
  const newest = async (account: number): Promise<EventCursor | undefined> => {
    const sql = 'SELECT id, at FROM call_events WHERE account_id = $1 ORDER BY id DESC LIMIT 1';
    return (await read<EventCursor>(sql, account))[0];
  };
  const noteRead = (account: number, now: number) =>
    write(
      'UPDATE event_feeds SET read_at = $2 WHERE account_id = $1 AND read_at < $3',
      ...[account, now, now - READ_MS],
    );
  /** The oldest of an account, but for its newest, in steps: none behind one that stays, after which all must be there. */
  const deleteOldest = (account: number, before: number) =>
    inSteps(STEP, () =>
      write(
        `DELETE FROM call_events WHERE id IN (SELECT id FROM call_events WHERE account_id = $1
           AND id < coalesce((SELECT min(id) FROM call_events WHERE account_id = $1 AND at >= $2),
             (SELECT max(id) FROM call_events WHERE account_id = $1)) ORDER BY id LIMIT ${STEP}) RETURNING id`,
        ...[account, before],
      ),
    );

  return {
    /** The cursor of now: what happens later comes after it. The first time, events begin to be queued. */
    async begin(account: number, now: number): Promise<EventCursor> {
      const added = await write(
        `INSERT INTO event_feeds (account_id, since, read_at) VALUES ($1, $2, $2)
         ON CONFLICT (account_id) DO NOTHING RETURNING account_id`,
        ...[account, now],
      );
      // What an earlier feed has left ends with a gap.
      if (added.length > 0) await write('DELETE FROM call_events WHERE account_id = $1', account);
      await write(
        `INSERT INTO call_events (account_id, event, at) SELECT $1, 'begin', $2
         WHERE NOT EXISTS (SELECT 1 FROM call_events WHERE account_id = $1)`,
        ...[account, now],
      );
      return (await newest(account)) as EventCursor;
    },
    /** Whether everything after a place is still there. False after its events were deleted, or in an older copy of the database. */
    async isKnown(account: number, { id, at }: EventCursor, now: number): Promise<boolean> {
      const found = await read<{ read_at: number }>(
        `SELECT f.read_at FROM call_events e JOIN event_feeds f ON f.account_id = e.account_id
         WHERE e.account_id = $1 AND e.id = $2 AND e.at = $3`,
        ...[account, id, at],
      );
      const [feed] = found;
      if (feed !== undefined && feed.read_at < now - READ_MS) await noteRead(account, now);
      return feed !== undefined;
    },
    /** The place of the newest event. Its call, and those of others, may be deleted: a reader goes past them. */
    newestOf: newest,
    /** The next events, at most `limit`. */
    async after(account: number, id: number, limit: number): Promise<FeedEvent[]> {
      const rows = await read<
        EventCursor & {
          event: WebhookEvent;
          event_id: number;
          event_row: number | null;
          call_id: string | null;
        }
      >(
        `SELECT e.id AS event_id, e.event, e.at, e.event_row, ${callColumns}
         FROM call_events e LEFT JOIN calls c ON c.id = e.call_row ${whoCalls}
         WHERE e.account_id = $1 AND e.id > $2 AND (e.call_row IS NOT NULL OR e.event_row IS NOT NULL)
         ORDER BY e.id LIMIT $3`,
        ...[account, id, limit],
      );
      const people = await personEventsOf({ read }, rows);
      return rows.map(({ event_id, event, at, event_row, ...call }) => ({
        id: event_id,
        event,
        at,
        call: call.call_id === null ? null : callOf(call),
        person: people.get(event_row) ?? null,
      }));
    },
    /** The ids of the newest events of these accounts. */
    async newest(accounts: readonly number[]): Promise<ReadonlyMap<number, number>> {
      const rows = await read<{ account: number; id: number | null }>(
        `SELECT CAST(m.key AS bigint) AS account,
           (SELECT max(e.id) FROM call_events e WHERE e.account_id = CAST(m.key AS bigint)) AS id
         FROM json_each($1) m`,
        keysOf(accounts),
      );
      return new Map(rows.map(({ account, id }) => [account, id ?? 0]));
    },
    /** Whether any account's programs read events. */
    hasFeeds: async (): Promise<boolean> =>
      (await read('SELECT 1 AS found FROM event_feeds LIMIT 1')).length > 0,
    /** Deletes the events before `before`, and ends the feeds that nobody has read since then. */
    async trimEvents(before: number): Promise<number> {
      let deleted = 0;
      const feeds = await read<{ account: number; read_at: number }>(
        'SELECT account_id AS account, read_at FROM event_feeds',
      );
      for (const { account, read_at } of feeds) {
        deleted += await deleteOldest(account, before);
        if (read_at >= before) continue;
        await write('DELETE FROM event_feeds WHERE account_id = $1 AND read_at < $2', account, before);
      }
      return deleted;
    },
  };
};
