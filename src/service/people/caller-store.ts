import type { GroupKind } from '../calls/aggregate.ts';
import { type CallRecord, FORGOTTEN } from '../calls/call-record.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { Span } from '../kit/calendar.ts';
import type { Serialise, Statements } from '../store/statements.ts';

/** What a user did about a caller's missed calls, or a note about the caller. */
export type CallerAction = {
  readonly number: string;
  /** Unix ms. */
  readonly at: number;
  /** The user's name at that time: it stays when the user is removed. */
  readonly user: string;
  /** `taken`: will call back; `released`: will not; `done`: nothing is left to do; `reopened`: there is. */
  readonly kind: 'taken' | 'released' | 'done' | 'reopened' | 'note';
  /** The note; null for the other kinds. */
  readonly text: string | null;
};

export type MissedCall = {
  readonly call: CallRecord;
  /** The first later call from the same number that was answered. */
  readonly reached: { readonly id: string; readonly at: number; readonly by: string | null } | null;
};

/** The missed calls of one number that ended in a span. */
export type MissedCaller = {
  /** The newest one, by its end. */
  readonly call: CallRecord;
  /** From the beginning to the end of each, newest first by their ends. */
  readonly calls: readonly Span[];
  /** The first call after the newest one that was answered. */
  readonly reached: MissedCall['reached'];
  /** When the last answered call of the number began, if that is in the span. */
  readonly answeredAt: number | null;
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

/** Missed calls, and callers, that are read in one go. */
const [CALLS, CALLERS] = [2_000, 400];

/** The name of a call's group, as SQL. */
const groupNames = {
  extensions: "CASE WHEN c.answered_at IS NOT NULL OR NOT c.missed THEN coalesce(c.caller_id, '') END",
  segments: "coalesce(s.name, '')",
  integrations: 'CAST(c.integration_id AS text)',
  numbersCalled: 'c.number_called',
  places:
    "CASE WHEN c.missed_where IS NOT NULL OR c.missed_after IS NOT NULL THEN coalesce(c.missed_where, '') END",
} as const;

const inGroup = (group: CallGroup | null, value: number) =>
  group === null ? '' : `AND ${groupNames[group.kind]} = $${value}`;

type Row = Readonly<Record<string, unknown>>;

const isAnswered = '(a.answered_at IS NOT NULL OR NOT a.missed)';

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

type MissedRow = { readonly id: number; readonly number: string } & Span;

/**
 * Callers by their numbers: whom to call back, and what colleagues did and noted. `acted` is called after an action, for
 * the account's screens at other processes.
 */
export function callerRows(
  { read, write, along }: Statements,
  serialise: Serialise,
  acted: (account: number) => void = () => {},
) {
  /** After `calls c` of the account $1: the first later call from the number that was answered. */
  const reached = `LEFT JOIN calls r ON r.id = (SELECT a.id FROM calls a ${along('calls_by_number')}
    WHERE a.account_id = $1 AND a.number = c.number AND a.started_at > c.started_at AND ${isAnswered}
    ORDER BY a.started_at LIMIT 1)`;
  return {
    /** The newest `max` missed calls of an account that ended in a span, oldest first. */
    async missed(
      account: number,
      { since, until }: Span,
      max: number,
      group: CallGroup | null = null,
    ): Promise<MissedCall[]> {
      const rows = await read<Row>(
        `SELECT ${callColumns}, ${reachedColumns} FROM calls c ${along('calls_missed')} ${whoCalls} ${reached}
         WHERE c.account_id = $1 AND c.missed AND c.completed_at >= $2 AND c.completed_at < $3
           AND c.number <> '${FORGOTTEN}' ${inGroup(group, 5)} ORDER BY c.completed_at DESC, c.id DESC LIMIT $4`,
        ...[account, since, until, max, ...(group === null ? [] : [group.name])],
      );
      return rows.toReversed().map((row) => ({ call: callOf(row), reached: reachedOf(row) }));
    },
    /** Each number, or the one given, of an account that was missed since `since`: by the ends of the calls. Unordered. */
    async missedCallers(account: number, since: number, number?: string): Promise<MissedCaller[]> {
      // The missed calls of the span once, in the order of their ends.
      const callers = new Map<string, { newest: number; calls: Span[] }>();
      const one = number === undefined ? '' : 'AND number = $4';
      const missedCalls = `SELECT id, number, started_at AS since, completed_at AS until
        FROM calls ${along(number === undefined ? 'calls_missed' : 'calls_by_number')}
        WHERE account_id = $1 AND missed AND (completed_at, id) > ($2, $3) AND number <> '${FORGOTTEN}' ${one}
        ORDER BY completed_at, id LIMIT ${CALLS}`;
      for (let last: MissedRow | undefined, more = true; more; ) {
        const values = [
          account,
          last?.until ?? since,
          last?.id ?? 0,
          ...(number === undefined ? [] : [number]),
        ];
        const rows = await serialise(() => read<MissedRow>(missedCalls, ...values));
        for (const { id, number: caller, since: began, until } of rows) {
          const calls = callers.get(caller)?.calls ?? [];
          calls.push({ since: began, until });
          callers.set(caller, { newest: id, calls });
        }
        last = rows.at(-1);
        more = rows.length === CALLS;
      }
      // Then the newest call of each. The databases have one function in common that makes rows of a value: the names
      // in it are the calls.
      const newestCalls = `SELECT ${callColumns}, c.id AS place, ${reachedColumns},
          (SELECT a.started_at FROM calls a ${along('calls_by_number')}
            WHERE a.account_id = $1 AND a.number = c.number AND a.started_at >= $2
              AND ${isAnswered} ORDER BY a.started_at DESC LIMIT 1) AS answered_last
        FROM json_each($3) m CROSS JOIN calls c ${whoCalls} ${reached}
        WHERE c.id = CAST(m.key AS bigint) AND c.number <> '${FORGOTTEN}'`;
      const byCall = new Map(Array.from(callers.values(), ({ newest, calls }) => [newest, calls]));
      const newest = [...byCall.keys()];
      const found: MissedCaller[] = [];
      for (let at = 0; at < newest.length; at += CALLERS) {
        const ids = Object.fromEntries(newest.slice(at, at + CALLERS).map((id) => [id, 0]));
        for (const row of await serialise(() => read<Row>(newestCalls, account, since, JSON.stringify(ids))))
          found.push({
            call: callOf(row),
            calls: (byCall.get(row.place as number) as Span[]).toReversed(),
            reached: reachedOf(row),
            answeredAt: row.answered_last as number | null,
          });
      }
      return found;
    },
    /** How often each caller called in a span, which is a day, or has some thousand calls. Unordered. */
    counts(account: number, { since, until }: Span, group: CallGroup | null): Promise<CallerCounts[]> {
      return read(
        `SELECT c.number, max(k.reference) AS customer, max(k.name) AS name, count(*) AS calls,
           CAST(sum(CASE WHEN c.missed THEN 1 ELSE 0 END) AS bigint) AS missed
         FROM calls c ${along('calls_by_time')} ${whoCalls}
         WHERE c.account_id = $1 AND c.started_at >= $2 AND c.started_at < $3
           AND c.number <> '${FORGOTTEN}' ${inGroup(group, 4)} GROUP BY c.number`,
        ...[account, since, until, ...(group === null ? [] : [group.name])],
      );
    },
    async act(account: number, { number, at, user, kind, text }: CallerAction): Promise<void> {
      await write(
        'INSERT INTO caller_actions (account_id, number, at, user_name, kind, text) VALUES ($1, $2, $3, $4, $5, $6)',
        ...[account, number, at, user, kind, text],
      );
      acted(account);
    },
    /** Deletes a note; false if there is none. */
    async removeNote(
      account: number,
      { number, at, user }: Pick<CallerAction, 'number' | 'at' | 'user'>,
    ): Promise<boolean> {
      const removed = await write(
        `DELETE FROM caller_actions WHERE account_id = $1 AND number = $2 AND at = $3 AND user_name = $4
           AND kind = 'note' RETURNING id`,
        ...[account, number, at, user],
      );
      return removed.length > 0;
    },
    /** Deletes what was done about a number. */
    async forget(account: number, number: string): Promise<void> {
      await write('DELETE FROM caller_actions WHERE account_id = $1 AND number = $2', account, number);
    },
    /** The newest `max` actions since `since` (before `until`), or about one number; oldest first. */
    async actions(
      account: number,
      which: { readonly since: number; readonly until?: number } | { readonly number: string },
      max: number,
    ): Promise<CallerAction[]> {
      const [where, ...values] =
        'number' in which
          ? (['number = $3', which.number] as const)
          : (['at >= $3 AND at < $4', which.since, which.until ?? Number.MAX_SAFE_INTEGER] as const);
      const rows = await read<CallerAction>(
        `SELECT number, at, user_name AS "user", kind, text FROM caller_actions
         WHERE account_id = $1 AND ${where} ORDER BY at DESC, id DESC LIMIT $2`,
        ...[account, max, ...values],
      );
      return rows.toReversed();
    },
  };
}

export type CallerStore = ReturnType<typeof callerRows>;
