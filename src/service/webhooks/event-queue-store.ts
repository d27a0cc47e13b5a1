import { missedSql } from '../calls/call-meaning.ts';
import { hasId, keysOf, type Statements, type Value } from '../store/statements.ts';

/** How an engine knows which calls changed. A cursor is a text that is another one after every commit. */
export type CallChanges = {
  /** Selects the `cursor` of now. */
  readonly cursorSql: string;
  /** After FROM: the `calls c` that changed between two cursors, with the rows `w` of a table that are of their account. */
  changedSql(table: string): string;
  /** The parameters of `changedSql`; undefined if the changes in between are unknown. */
  values(from: string, to: string): Value[] | undefined;
};

const DAY_MS = 86_400_000;
/** Who wants events: webhooks, the accounts whose programs read them, and users who want notifications. `are`: which of them, as SQL. */
type Readers = { readonly table: 'webhooks' | 'event_feeds' | 'notifications'; readonly are: string };
const webhookReaders: Readers = { table: 'webhooks', are: 'w.enabled' };
const feedReaders: Readers = { table: 'event_feeds', are: '1 = 1' };
const notifiedReaders: Readers = { table: 'notifications', are: '1 = 1' };

/** When the end of a completed call arrived: the service closes a call at the time of its last event, which is earlier. */
const arrivedSql = (call: string) => `coalesce(${call}.updated_at, ${call}.completed_at)`;

/** Whether an event arrived after its reader began. One that began later than now, $3, did so while the clock was ahead. */
const isNewSql = '(arrived_at >= since OR since > $3)';

/**
 * In place of `changedSql`, where the changes are unknown: the calls since $1 to which something happened since the account's
 * first webhook was switched on. Each is read once, not for each webhook: a webhook that is switched on wants next to
 * nothing of a long day.
 */
const recentSql = ({
  table,
  are,
}: Readers) => `(SELECT w.account_id, min(w.since) AS since FROM ${table} w WHERE ${are} GROUP BY w.account_id) f
  CROSS JOIN calls c CROSS JOIN ${table} w
  WHERE c.account_id = f.account_id AND w.account_id = f.account_id AND c.started_at >= $1
    AND (c.ringing_at >= f.since OR c.answered_at >= f.since OR ${arrivedSql('c')} >= f.since OR f.since > $3)`;

/**
 * Older events are not queued, however late their calls changed: their deliveries may be deleted by now (SERVICE_WEBHOOK_MAX_AGE is
 * no less), so that nothing would say that they were delivered.
 */
const OLDEST_MS = 7 * DAY_MS;

/** What happened to these calls, with fields of who wants to know; nothing of calls of the past. */
const happenedSql = (calls: string, { are }: Readers, fields: string) => `
  call AS (SELECT c.id, c.ringing_at, c.answered_at, c.completed_at, c.updated_at, c.missed, w.since, ${fields}
    FROM ${calls} AND ${are} AND NOT c.past),
  happened AS (
    SELECT *, 'call.ringing' AS event, ringing_at AS at, ringing_at AS arrived_at, 1 AS step FROM call
    UNION ALL SELECT *, 'call.answered', answered_at, answered_at, 2 FROM call
    UNION ALL SELECT *, CASE WHEN ${missedSql('call')} THEN 'call.missed' ELSE 'call.ended' END, completed_at, ${arrivedSql('call')}, 3
      FROM call)`;

/** Queues the events of these calls since $2 that their webhooks want, in the order in which they happened. */
const queueSql = (calls: string) => `
  WITH ${happenedSql(calls, webhookReaders, 'w.id AS webhook, w.events')}
  INSERT INTO webhook_deliveries (webhook_id, call_row, event, at, queued_at)
  SELECT webhook, id, event, at, at FROM happened
  -- events: names with blanks between them
  WHERE ${isNewSql} AND at >= $2 AND ' ' || events || ' ' LIKE '% ' || event || ' %' ORDER BY at, id, step
  ON CONFLICT (call_row, webhook_id, event) DO NOTHING RETURNING webhook_id AS webhook`;

/**
 * The same for programs that read them by themselves. They are read on from the last id: one process at a time gives ids and
 * commits them, also while the lease moves. Hence the lock.
 */
const queueFeedsSql = (calls: string, { lockingRows }: Pick<Statements, 'lockingRows'>) => `
  WITH reader AS (SELECT 1 AS one FROM webhook_reader ${lockingRows}),
  ${happenedSql(calls, feedReaders, 'w.account_id AS account')}
  INSERT INTO call_events (account_id, call_row, event, at)
  SELECT account, id, event, at FROM happened CROSS JOIN reader
  WHERE ${isNewSql} AND at >= $2 ORDER BY at, id, step
  ON CONFLICT (call_row, event) DO NOTHING`;

/** The missed calls for users who want notifications: each decides later (see service/notifications). */
const queueNoticesSql = (calls: string) => `
  WITH ${happenedSql(calls, notifiedReaders, 'w.user_id, w.medium')}
  INSERT INTO missed_notices (call_row, user_id, medium, at)
  SELECT id, user_id, medium, arrived_at FROM happened
  WHERE event = 'call.missed' AND ${isNewSql} AND at >= $2
  ON CONFLICT (call_row, user_id, medium) DO NOTHING`;

/** Whether any user wants notifications. */
const hasNotified = async ({ read }: Pick<Statements, 'read'>): Promise<boolean> =>
  (await read('SELECT 1 AS found FROM notifications LIMIT 1')).length > 0;
/**
 * Queues these events of people for the webhooks that want them. They were written with their changes if anybody wanted them
 * then, some moments ago: their times, which may be those of a bridge, do not matter.
 */
const queuePeopleSql = `
  INSERT INTO webhook_deliveries (webhook_id, event_row, event, at, queued_at)
  SELECT w.id, e.id, e.event, e.at, e.at FROM person_events e JOIN webhooks w ON w.account_id = e.account_id
  WHERE e.${hasId(1)} AND w.enabled AND ' ' || w.events || ' ' LIKE '% ' || e.event || ' %' ORDER BY e.id
  ON CONFLICT (event_row, webhook_id) DO NOTHING RETURNING webhook_id AS webhook`;
/** The same for programs; as queueFeedsSql. */
const queuePeopleFeedsSql = ({ lockingRows }: Pick<Statements, 'lockingRows'>) => `
  WITH reader AS (SELECT 1 AS one FROM webhook_reader ${lockingRows})
  INSERT INTO call_events (account_id, event_row, event, at)
  SELECT e.account_id, e.id, e.event, e.at FROM person_events e JOIN event_feeds f ON f.account_id = e.account_id
  CROSS JOIN reader WHERE e.${hasId(1)} ORDER BY e.id
  ON CONFLICT (event_row) DO NOTHING`;

/** Events of people that are queued in one go. */
const STEP = 1_000;
const peopleSql = `SELECT id FROM person_events WHERE queued = 0 ORDER BY id LIMIT ${STEP}`;

/** Queues events for webhooks; of several processes only the one with the lease does. */
export const createEventQueueStore = (
  { read, write, lockingRows }: Pick<Statements, 'read' | 'write' | 'lockingRows'>,
  changes: CallChanges,
  hasFeeds: () => Promise<boolean>,
) => {
  async function queueCalls(
    cursor: string | null,
    now: number,
  ): Promise<{ readonly cursor: string; readonly webhooks: number[] }> {
    const [{ cursor: next } = { cursor: '' }] = await read<{ cursor: string }>(changes.cursorSql);
    if (cursor === next) return { cursor, webhooks: [] };
    const values = cursor === null ? undefined : changes.values(cursor, next);
    const calls = (readers: Readers) => (values ? changes.changedSql(readers.table) : recentSql(readers));
    const since = [...(values ?? [now - DAY_MS]), now - OLDEST_MS, now];
    const queued = await write<{ webhook: number }>(queueSql(calls(webhookReaders)), ...since);
    if (await hasFeeds()) await write(queueFeedsSql(calls(feedReaders), { lockingRows }), ...since);
    if (await hasNotified({ read })) await write(queueNoticesSql(calls(notifiedReaders)), ...since);
    return { cursor: next, webhooks: queued.map(({ webhook }) => webhook) };
  }

  return {
    /**
     * Takes or renews the lease to deliver, until `until`, and saves the cursor. Returns the cursor that was saved last, null
     * if there is none; undefined if another process has the lease.
     */
    async lease(
      holder: string,
      now: number,
      until: number,
      cursor?: string,
    ): Promise<{ cursor: string | null } | undefined> {
      const [held] = await write<{ cursor: string | null }>(
        `UPDATE webhook_reader SET holder = $1, held_until = $3, place = coalesce($4, place)
       WHERE holder = $1 OR held_until < $2 OR held_until > $5 RETURNING place AS "cursor"`,
        // A clock that was ahead must not keep it for ever.
        ...[holder, now, until, cursor ?? null, now + 10 * 60_000],
      );
      return held;
    },
    /**
     * Queues the events of calls that changed since `cursor`, and of people, each once; if it is unknown what changed, of the
     * calls of the last day. Returns the new cursor, and the webhooks with new events.
     */
    async queueNew(cursor: string | null, now: number): Promise<{ cursor: string; webhooks: Set<number> }> {
      // Read first: what is done about a call comes behind it.
      const people = await read<{ id: number }>(peopleSql);
      const calls = await queueCalls(cursor, now);
      const webhooks = new Set(calls.webhooks);
      for (let some = people; some.length > 0; some = some.length < STEP ? [] : await read(peopleSql)) {
        const ids = keysOf(some.map(({ id }) => id));
        for (const { webhook } of await write<{ webhook: number }>(queuePeopleSql, ids))
          webhooks.add(webhook);
        if (await hasFeeds()) await write(queuePeopleFeedsSql({ lockingRows }), ids);
        // After a crash before this they are queued again, which changes nothing.
        await write(`UPDATE person_events SET queued = 1 WHERE ${hasId(1)}`, ids);
      }
      return { cursor: calls.cursor, webhooks };
    },
    /** Whether somebody else than webhooks wants events. */
    hasOtherReaders: async (): Promise<boolean> => (await hasFeeds()) || (await hasNotified({ read })),
    /** Queues a test. */
    async addTest(id: number, at: number): Promise<void> {
      await write(
        "INSERT INTO webhook_deliveries (webhook_id, event, at, queued_at) VALUES ($1, 'test', $2, $2)",
        ...[id, at],
      );
    },
  };
};
