import type { GroupKind } from '../calls/aggregate.ts';
import {
  answeredSql,
  missedSql,
  placeSql,
  wantedPersonSql,
  wantsCallBackSql,
} from '../calls/call-meaning.ts';
import { type CallRecord, FORGOTTEN } from '../calls/call-record.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { Span } from '../kit/calendar.ts';
import { keysOf, type Statements } from '../store/statements.ts';
import { joinAnsweredCall } from './answered-call.ts';

export type MissedCall = {
  readonly call: CallRecord;
  /** The first later call that was answered, from the same number or another one of its customer. */
  readonly reached: { readonly id: string; readonly at: number; readonly by: string | null } | null;
};

/** The calls of a group alone; null: all. */
export type CallGroup = { readonly kind: GroupKind; readonly name: string };

export type CallerCounts = {
  readonly number: string;
  /** The customer's reference and name; null for none. */
  readonly customer: string | null;
  readonly name: string | null;
  readonly calls: number;
  readonly missed: number;
};

/** The name of a call's group, as SQL. */
const groupNames = {
  extensions: `CASE WHEN ${answeredSql('c')} THEN coalesce(c.caller_id, '') END`,
  segments: "coalesce(s.name, '')",
  integrations: 'CAST(c.integration_id AS text)',
  numbersCalled: 'c.number_called',
  places: placeSql('c'),
} as const;

const inGroup = (group: CallGroup | null, value: number) =>
  group === null ? '' : `AND ${groupNames[group.kind]} = $${value}`;

type Row = Readonly<Record<string, unknown>>;

const reachedColumns =
  'r.call_id AS reached_id, coalesce(r.answered_at, r.completed_at) AS reached_at, r.caller_id AS reached_by';

const reachedOf = (row: Row) =>
  row.reached_id === null
    ? null
    : {
        id: row.reached_id as string,
        at: row.reached_at as number,
        by: row.reached_by as string | null,
      };

/** The calls of callers. */
export function createCallerCallStore({ read, along }: Pick<Statements, 'read' | 'along'>) {
  const reached = joinAnsweredCall(along, 'a.started_at > c.started_at', 'ASC');
  return {
    /** The newest `max` calls of an account that ended in a span, and whose callers missed a person; oldest first. */
    async missed(
      account: number,
      { since, until }: Span,
      max: number,
      group: CallGroup | null = null,
    ): Promise<MissedCall[]> {
      const rows = await read<Row>(
        `SELECT ${callColumns}, ${reachedColumns} FROM calls c ${along('calls_missed')} ${whoCalls} ${reached}
         WHERE c.account_id = $1 AND ${missedSql('c')} AND ${wantedPersonSql('c')}
           AND c.completed_at >= $2 AND c.completed_at < $3 AND c.number <> '${FORGOTTEN}' ${inGroup(group, 5)} ORDER BY c.completed_at DESC, c.id DESC LIMIT $4`,
        ...[account, since, until, max, ...(group === null ? [] : [group.name])],
      );
      return rows.toReversed().map((row) => ({ call: callOf(row), reached: reachedOf(row) }));
    },
    /** How often each caller called in a span, which is a day, or has some thousand calls. Unordered. */
    counts(account: number, { since, until }: Span, group: CallGroup | null): Promise<CallerCounts[]> {
      return read(
        `SELECT c.number, max(k.reference) AS customer, max(k.name) AS name, count(*) AS calls,
           CAST(sum(CASE WHEN ${missedSql('c')} THEN 1 ELSE 0 END) AS bigint) AS missed
         FROM calls c ${along('calls_by_time')} ${whoCalls}
         WHERE c.account_id = $1 AND c.started_at >= $2 AND c.started_at < $3
           AND c.number <> '${FORGOTTEN}' ${inGroup(group, 4)} GROUP BY c.number`,
        ...[account, since, until, ...(group === null ? [] : [group.name])],
      );
    },
    /** Those of these numbers that were missed since `since`, and wait to be called back: by the ends of the calls. */
    async missedAmong(account: number, since: number, numbers: readonly string[]): Promise<string[]> {
      const found = await read<{ number: string }>(
        `SELECT m.key AS number FROM json_each($3) m WHERE $2 <= (SELECT max(c.completed_at)
           FROM calls c ${along('calls_missed_by_number')} WHERE c.account_id = $1 AND c.number = m.key AND ${missedSql('c')} AND ${wantsCallBackSql('c')})`,
        ...[account, since, keysOf(numbers)],
      );
      return found.map(({ number }) => number);
    },
    /** These numbers, and the others of their customers. */
    async numbersOfPeople(account: number, numbers: readonly string[]): Promise<string[]> {
      const found = await read<{ number: string }>(
        `SELECT m.key AS number FROM json_each($2) m
         UNION SELECT o.number FROM json_each($2) m JOIN customer_numbers n ON n.account_id = $1 AND n.number = m.key
           JOIN customer_numbers o ON o.account_id = n.account_id AND o.customer_id = n.customer_id`,
        ...[account, keysOf(numbers)],
      );
      return found.map(({ number }) => number);
    },
    /** When calls of these numbers began since `since`, and whether they were missed; unordered, at most `max`. */
    async callTimes(account: number, numbers: readonly string[], since: number, max: number) {
      const found = await read<{ at: number; missed: boolean | number | null }>(
        `SELECT c.started_at AS at, c.missed FROM json_each($2) m CROSS JOIN calls c ${along('calls_by_number')}
         WHERE c.account_id = $1 AND c.number = m.key AND c.started_at >= $3 LIMIT $4`,
        ...[account, keysOf(numbers), since, max],
      );
      return found.map(({ at, missed }) => ({ at, missed: Boolean(missed) }));
    },
    /** When each of these numbers called last, Unix ms; without those that never did. */
    async lastCalls(account: number, numbers: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const found = await read<{ number: string; at: number | null }>(
        `SELECT m.key AS number, (SELECT max(c.started_at) FROM calls c ${along('calls_by_number')}
           WHERE c.account_id = $1 AND c.number = m.key) AS at FROM json_each($2) m`,
        ...[account, keysOf(numbers)],
      );
      return new Map(found.flatMap(({ number, at }) => (at === null ? [] : [[number, at] as const])));
    },
  };
}
