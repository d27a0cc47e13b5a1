import type { GroupKind } from '../calls/aggregate.ts';
import { answeredSql, missedSql, placeSql, wantedPersonSql } from '../calls/call-meaning.ts';
import { type CallRecord, FORGOTTEN } from '../calls/call-record.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { Span } from '../kit/calendar.ts';
import { keysOf, rewriteTexts, type Serialise, type Statements } from '../store/statements.ts';

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
  /** Of actions that are read: the reference of the customer who has the number now. */
  readonly customer?: string | null;
};

/** An action that is read. */
export type StoredAction = CallerAction & { readonly id: number };

/**
 * Which note is meant, as it was read. SQLite uses the id of a row that was the last one again: it names one only together
 * with the rest.
 */
type NoteKey = Pick<StoredAction, 'id' | 'number' | 'at' | 'user'>;

export type MissedCall = {
  readonly call: CallRecord;
  /** The first later call that was answered, from the same number or another one of its customer. */
  readonly reached: { readonly id: string; readonly at: number; readonly by: string | null } | null;
};

/** Missed calls of one number: how many, from the beginning of the first to the end of the last. */
export type MissedSpan = Span & { readonly count: number };

/** The missed calls of one number that ended in a span. */
export type MissedCaller = {
  /** The newest one, by its end. */
  readonly call: CallRecord;
  /** From the beginning to the end of each, newest first by their ends; the older of very many are one span of `count`. */
  readonly calls: readonly MissedSpan[];
  /** The last answered call in the span, of the number or another one of its customer: when it began, and who answered when. */
  readonly answered: { readonly began: number; readonly at: number; readonly by: string | null } | null;
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
/** Missed calls of a number that are read one by one from those: a robot may have called all day. */
const SPANS = 100;
/** With this many numbers or spans no older calls are read: the list of missed callers has the newest of a flood of calls. */
const [MOST_CALLERS, MOST_SPANS] = [4_000, 20_000];

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

/** The number $2 of the account $1, and the others of its customer. */
const ofPerson = `SELECT CAST($2 AS text) AS number UNION SELECT o.number FROM customer_numbers n
  JOIN customer_numbers o ON o.account_id = n.account_id AND o.customer_id = n.customer_id
  WHERE n.account_id = $1 AND n.number = $2`;

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

/** `place` in its slice, `rank` among the calls of its number there, which are `count`, the first of them since `first`. */
type MissedRow = Span & {
  readonly id: number;
  readonly number: string;
  readonly place: number;
  readonly rank: number;
  readonly count: number;
  readonly first: number;
};

/**
 * Callers by their numbers: whom to call back, and what colleagues did and noted. `acted` is called after an action, for
 * the account's screens at other processes.
 */
export function callerRows(
  { read, write, writeAlone, along }: Statements,
  serialise: Serialise,
  acted: (account: number) => void = () => {},
) {
  const answeredAfter = (number: string) => `SELECT a.id FROM calls a ${along('calls_by_number')}
    WHERE a.account_id = $1 AND a.number = ${number} AND a.started_at > c.started_at AND ${answeredSql('a')}
    ORDER BY a.started_at LIMIT 1`;
  /** After `calls c` of the account $1 and `whoCalls`: `reached` of a missed call. */
  const reached = `LEFT JOIN calls r ON r.id = (SELECT x.id FROM calls x WHERE x.id IN (
      SELECT (${answeredAfter('c.number')})
      UNION ALL SELECT (${answeredAfter('o.number')}) FROM customer_numbers o
        WHERE o.account_id = $1 AND o.customer_id = n.customer_id)
    ORDER BY x.started_at LIMIT 1)`;
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
    /**
     * Each number, or the one given, of an account that was missed since `since`, and wanted a person: by the ends of the calls.
     * Unordered.
     * `more`: there may be others, that were missed before these.
     */
    async missedCallers(
      account: number,
      since: number,
      number?: string,
    ): Promise<{ readonly callers: MissedCaller[]; readonly more: boolean }> {
      const callers = new Map<string, { newest: number; calls: MissedSpan[] }>();
      const one = number === undefined ? '' : 'AND number = $5';
      // The missed calls of the span once, newest first. Of a number only the newest calls of a slice leave the database.
      const missedCalls = `WITH slice AS (SELECT id, number, started_at AS since, completed_at AS until
          FROM calls ${along(number === undefined ? 'calls_missed' : 'calls_missed_by_number')}
          WHERE account_id = $1 AND missed AND completed_at >= $2 AND (completed_at, id) < ($3, $4)
            AND ${wantedPersonSql('calls')} AND number <> '${FORGOTTEN}' ${one}
          ORDER BY completed_at DESC, id DESC LIMIT ${CALLS}),
        ranked AS (SELECT id, number, since, until, row_number() OVER (ORDER BY until DESC, id DESC) AS place,
            row_number() OVER (PARTITION BY number ORDER BY until DESC, id DESC) AS rank,
            count(*) OVER (PARTITION BY number) AS count, min(since) OVER (PARTITION BY number) AS first
          FROM slice)
        SELECT * FROM ranked WHERE rank <= ${SPANS} OR place = ${CALLS} ORDER BY place`;
      let more = true;
      for (let last: MissedRow | undefined, spans = 0; more; ) {
        const before = [last?.until ?? Number.MAX_SAFE_INTEGER, last?.id ?? Number.MAX_SAFE_INTEGER];
        const values = [account, since, ...before, ...(number === undefined ? [] : [number])];
        const rows = await serialise(() => read<MissedRow>(missedCalls, ...values));
        for (const { id, number: caller, rank, count, first, ...span } of rows) {
          if (rank > SPANS) continue;
          const known = callers.get(caller) ?? { newest: id, calls: [] };
          const older = rank === SPANS ? { since: first, count: count - SPANS + 1 } : { count: 1 };
          known.calls.push({ since: span.since, until: span.until, ...older });
          callers.set(caller, known);
        }
        last = rows.at(-1);
        spans += rows.length;
        more = last?.place === CALLS;
        if (callers.size >= MOST_CALLERS || spans >= MOST_SPANS) break;
      }
      // Then the newest call of each. The databases have one function in common that makes rows of a value: the names
      // in it are the calls.
      const lastAnswered = (number: string) => `SELECT a.id FROM calls a ${along('calls_by_number')}
        WHERE a.account_id = $1 AND a.number = ${number} AND a.started_at >= $2 AND ${answeredSql('a')}
        ORDER BY a.started_at DESC LIMIT 1`;
      const newestCalls = `SELECT ${callColumns}, c.id AS place,
          r.started_at AS answered_began, coalesce(r.answered_at, r.completed_at) AS answered_when, r.caller_id AS answered_last_by
        FROM json_each($3) m CROSS JOIN calls c ${whoCalls}
        LEFT JOIN calls r ON r.id = (SELECT x.id FROM calls x WHERE x.id IN (
            SELECT (${lastAnswered('c.number')})
            UNION ALL SELECT (${lastAnswered('o.number')}) FROM customer_numbers o
              WHERE o.account_id = $1 AND o.customer_id = n.customer_id)
          ORDER BY x.started_at DESC LIMIT 1)
        WHERE c.id = CAST(m.key AS bigint) AND c.number <> '${FORGOTTEN}'`;
      const byCall = new Map(Array.from(callers.values(), ({ newest, calls }) => [newest, calls]));
      const newest = [...byCall.keys()];
      const found: MissedCaller[] = [];
      for (let at = 0; at < newest.length; at += CALLERS) {
        const ids = keysOf(newest.slice(at, at + CALLERS));
        for (const row of await serialise(() => read<Row>(newestCalls, account, since, ids)))
          found.push({
            call: callOf(row),
            calls: byCall.get(row.place as number) as MissedSpan[],
            answered:
              row.answered_began === null
                ? null
                : {
                    began: row.answered_began as number,
                    at: row.answered_when as number,
                    by: row.answered_last_by as string | null,
                  },
          });
      }
      return { callers: found, more };
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
    /** All numbers of the person with this one, and the newest action about them: its id, and its time; 0 if there is none. */
    async newestAction(
      account: number,
      number: string,
    ): Promise<{ readonly numbers: readonly string[]; readonly id: number; readonly at: number }> {
      const rows = await read<{ number: string; id: number; at: number }>(
        `SELECT m.number, coalesce(max(a.id), 0) AS id, coalesce(max(a.at), 0) AS at FROM (${ofPerson}) m
         LEFT JOIN caller_actions a ON a.account_id = $1 AND a.number = m.number GROUP BY m.number`,
        ...[account, number],
      );
      return {
        numbers: rows.map((row) => row.number),
        id: Math.max(...rows.map(({ id }) => id)),
        at: Math.max(...rows.map(({ at }) => at)),
      };
    },
    /**
     * Stores an action; `after`: only if that is still the id of the newest about the person. False if another one was
     * quicker.
     */
    async act(
      account: number,
      { number, at, user, kind, text }: CallerAction,
      after: number | null = null,
    ): Promise<boolean> {
      const stored = await writeAlone(
        account,
        `INSERT INTO caller_actions (account_id, number, at, user_name, kind, text)
         SELECT $1, $2, $3, $4, $5, $6 WHERE CAST($7 AS bigint) IS NULL OR $7 =
           (SELECT coalesce(max(a.id), 0) FROM caller_actions a WHERE a.account_id = $1 AND a.number IN (${ofPerson}))
         RETURNING id`,
        ...[account, number, at, user, kind, text, after],
      );
      if (stored.length > 0) acted(account);
      return stored.length > 0;
    },
    /** Deletes a note; false if there is none. */
    async removeNote(account: number, { id, number, at, user }: NoteKey): Promise<boolean> {
      const removed = await write(
        `DELETE FROM caller_actions WHERE account_id = $1 AND number = $2 AND at = $3 AND user_name = $4
           AND id = $5 AND kind = 'note' RETURNING id`,
        ...[account, number, at, user, id],
      );
      return removed.length > 0;
    },
    /** Writes a note anew, by somebody; false if there is none. */
    async editNote(
      account: number,
      { id, number, at, user }: NoteKey,
      by: string,
      text: string,
    ): Promise<boolean> {
      const changed = await write(
        `UPDATE caller_actions SET text = $5, user_name = $6
         WHERE account_id = $1 AND number = $2 AND at = $3 AND user_name = $4 AND id = $7 AND kind = 'note' RETURNING id`,
        ...[account, number, at, user, text, by, id],
      );
      return changed.length > 0;
    },
    /** Those of these numbers that were missed since `since`, and wanted a person: by the ends of the calls. */
    async missedAmong(account: number, since: number, numbers: readonly string[]): Promise<string[]> {
      const found = await read<{ number: string }>(
        `SELECT m.key AS number FROM json_each($3) m WHERE $2 <= (SELECT max(c.completed_at)
           FROM calls c ${along('calls_missed_by_number')} WHERE c.account_id = $1 AND c.number = m.key AND ${missedSql('c')} AND ${wantedPersonSql('c')})`,
        ...[account, since, keysOf(numbers)],
      );
      return found.map(({ number }) => number);
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
    /** Deletes what was done about a number, and writes notes about others `without` it; returns how many of those. */
    async forget(account: number, number: string, without: (text: string) => string): Promise<number> {
      await write('DELETE FROM caller_actions WHERE account_id = $1 AND number = $2', account, number);
      return rewriteTexts({ read, write }, 'caller_actions', 'text', 'account_id = $1', account, without);
    },
    /** The newest `max` actions since `since` or about some numbers, before `until`; oldest first. */
    async actions(
      account: number,
      which: ({ readonly since: number } | { readonly numbers: readonly string[] }) & {
        readonly until?: number;
      },
      max: number,
    ): Promise<StoredAction[]> {
      // Of each number only its newest are read.
      const [source, where, value] =
        'numbers' in which
          ? ([
              'json_each($3) m CROSS JOIN caller_actions a',
              `a.number = m.key AND a.at >= coalesce((SELECT o.at FROM caller_actions o WHERE o.account_id = $1
                 AND o.number = m.key AND o.at < $4 ORDER BY o.at DESC LIMIT 1 OFFSET $2), 0)`,
              keysOf(which.numbers),
            ] as const)
          : (['caller_actions a', 'a.at >= $3', which.since] as const);
      const rows = await read<StoredAction>(
        `SELECT a.id, a.number, a.at, a.user_name AS "user", a.kind, a.text,
           (SELECT k.reference FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
             WHERE n.account_id = a.account_id AND n.number = a.number) AS customer
         FROM ${source} WHERE a.account_id = $1 AND ${where} AND a.at < $4 ORDER BY a.at DESC, a.id DESC LIMIT $2`,
        ...[account, max, value, which.until ?? Number.MAX_SAFE_INTEGER],
      );
      return rows.toReversed();
    },
  };
}

export type CallerStore = ReturnType<typeof callerRows>;
