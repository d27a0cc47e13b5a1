import { keysOf, type Statements } from '../store/statements.ts';

/** Rows that are read in one go. */
const STEP = 500;

/** A user who was to hear of a missed call. */
type StoredNotice = {
  /** When the end of the call arrived, and the user was notified or need not be, Unix ms. */
  readonly at: number;
  readonly doneAt: number | null;
  readonly call: string;
  readonly user: string;
  readonly medium: string;
};

/** An event of a call, or of a person, that a webhook was to get. */
export type StoredTrace = {
  readonly at: number;
  readonly event: string;
  readonly url: string;
  readonly state: 'new' | 'retry' | 'delivered' | 'failed';
  readonly triedAt: number | null;
  readonly httpStatus: number | null;
};

const traceColumns = `d.at, d.event, w.url, d.state, d.tried_at AS "triedAt", d.http_status AS "httpStatus"`;

/** Who was told of a person: users and webhooks. */
export function createPersonTraceStore({ read, along }: Pick<Statements, 'read' | 'along'>) {
  /** The rows that a statement has of the calls $1 of a number, some together. */
  async function* ofCalls<Row>(account: number, number: string, sql: string): AsyncGenerator<Row[]> {
    const next = `SELECT c.id, c.started_at AS at FROM calls c ${along('calls_by_number')}
      WHERE c.account_id = $1 AND c.number = $2 AND (c.started_at, c.id) > ($3, $4) ORDER BY c.started_at, c.id LIMIT ${STEP}`;
    for (let after = { at: -1, id: 0 }, rows = STEP; rows === STEP; ) {
      const calls = await read<{ id: number; at: number }>(next, ...[account, number, after.at, after.id]);
      if (calls.length > 0) yield await read<Row>(sql, keysOf(calls.map(({ id }) => id)));
      rows = calls.length;
      after = calls.at(-1) ?? after;
    }
  }

  return {
    /** The users who were to hear of missed calls of a number. */
    noticesOf: (account: number, number: string) =>
      ofCalls<StoredNotice>(
        account,
        number,
        `SELECT n.at, n.done_at AS "doneAt", n.medium, c.call_id AS call, u.name AS "user"
         FROM json_each($1) m CROSS JOIN missed_notices n JOIN calls c ON c.id = n.call_row JOIN users u ON u.id = n.user_id
         WHERE n.call_row = CAST(m.key AS bigint) ORDER BY n.at, n.call_row, n.user_id`,
      ),
    /** The deliveries of events of calls of a number. */
    deliveriesOf: (account: number, number: string) =>
      ofCalls<StoredTrace>(
        account,
        number,
        `SELECT ${traceColumns} FROM json_each($1) m CROSS JOIN webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.call_row = CAST(m.key AS bigint) ORDER BY d.at, d.id`,
      ),
    /** The deliveries of events of a person, by number or reference. */
    async *deliveriesAbout(account: number, about: string): AsyncGenerator<StoredTrace[]> {
      const sql = `SELECT e.id AS event_id, d.id, ${traceColumns} FROM person_events e
        JOIN webhook_deliveries d ON d.event_row = e.id JOIN webhooks w ON w.id = d.webhook_id
        WHERE e.account_id = $1 AND e.about = $2 AND (e.id, d.id) > ($3, $4) ORDER BY e.id, d.id LIMIT ${STEP}`;
      for (let after = { event_id: 0, id: 0 }, count = STEP; count === STEP; ) {
        const rows = await read<StoredTrace & typeof after>(
          sql,
          ...[account, about, after.event_id, after.id],
        );
        yield rows.map(({ event_id: _, id: __, ...trace }) => trace);
        count = rows.length;
        after = rows.at(-1) ?? after;
      }
    },
  };
}
