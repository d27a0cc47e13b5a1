import { missedSql, wantsCallBackSql } from '../calls/call-meaning.ts';
import { type CallRecord, FORGOTTEN } from '../calls/call-record.ts';
import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import type { Span } from '../kit/calendar.ts';
import { keysOf, type Serialise, type Statements } from '../store/statements.ts';
import { joinAnsweredCall } from './answered-call.ts';

/** Missed calls of one number: how many, from the beginning of the first to the end of the last. */
type MissedSpan = Span & { readonly count: number };

/** The missed calls of one number that ended in a span. */
export type MissedCaller = {
  /** The newest one, by its end. */
  readonly call: CallRecord;
  /** From the beginning to the end of each, newest first by their ends; the older of very many are one span of `count`. */
  readonly calls: readonly MissedSpan[];
  /** The last answered call in the span, of the number or another one of its customer: when it began, and who answered when. */
  readonly answered: { readonly began: number; readonly at: number; readonly by: string | null } | null;
};

/** Missed calls, and callers, that are read in one go. */
const [CALLS, CALLERS] = [2_000, 400];
/** Missed calls of a number that are read one by one from those: a robot may have called all day. */
const SPANS = 100;
/** With this many numbers or spans no older calls are read: the list of missed callers has the newest of a flood of calls. */
const [MOST_CALLERS, MOST_SPANS] = [4_000, 20_000];

/** Promises that are read, and people who are listed for them alone. */
const [PROMISES, PROMISED] = [5_000, 400];

/** A user's promise to call a number, made at `at`, to be kept at `due`; Unix ms. */
export type Promised = { readonly number: string; readonly at: number; readonly due: number };

type Row = Readonly<Record<string, unknown>>;

/** `place` in its slice, `rank` among the calls of its number there, which are `count`, the first of them since `first`. */
type MissedRow = Span & {
  readonly id: number;
  readonly number: string;
  readonly place: number;
  readonly rank: number;
  readonly count: number;
  readonly first: number;
};

type Callers = Map<string, { readonly newest: number; readonly calls: MissedSpan[] }>;

/** Adds the calls of a slice, newest first, to those of their callers. */
function addSlice(callers: Callers, rows: readonly MissedRow[]): void {
  for (const { id, number, rank, count, first, ...span } of rows) {
    if (rank > SPANS) continue;
    const caller = callers.get(number) ?? { newest: id, calls: [] };
    const older = rank === SPANS ? { since: first, count: count - SPANS + 1 } : { count: 1 };
    caller.calls.push({ since: span.since, until: span.until, ...older });
    callers.set(number, caller);
  }
}

/** The last answered call of a caller who was read, if there is one. */
const answeredOf = (row: Row) =>
  row.answered_began === null
    ? null
    : {
        began: row.answered_began as number,
        at: row.answered_when as number,
        by: row.answered_last_by as string | null,
      };

type Along = Statements['along'];

/**
 * The missed calls of a span, or of a number in it, newest first. Of a number only the newest calls of a slice leave the
 * database.
 */
const missedCallsSql = (
  along: Along,
  ofNumber: boolean,
) => `WITH slice AS (SELECT id, number, started_at AS since, completed_at AS until
    FROM calls ${along(ofNumber ? 'calls_missed_by_number' : 'calls_missed')}
    WHERE account_id = $1 AND missed AND completed_at >= $2 AND (completed_at, id) < ($3, $4)
      AND ${wantsCallBackSql('calls')} AND number <> '${FORGOTTEN}' ${ofNumber ? 'AND number = $5' : ''}
    ORDER BY completed_at DESC, id DESC LIMIT ${CALLS}),
  ranked AS (SELECT id, number, since, until, row_number() OVER (ORDER BY until DESC, id DESC) AS place,
      row_number() OVER (PARTITION BY number ORDER BY until DESC, id DESC) AS rank,
      count(*) OVER (PARTITION BY number) AS count, min(since) OVER (PARTITION BY number) AS first
    FROM slice)
  SELECT * FROM ranked WHERE rank <= ${SPANS} OR place = ${CALLS} ORDER BY place`;

/**
 * The newest call of each caller. The databases have one function in common that makes rows of a value: the names in it
 * are the calls.
 */
function newestCallsSql(along: Along): string {
  return `SELECT ${callColumns}, c.id AS place,
      r.started_at AS answered_began, coalesce(r.answered_at, r.completed_at) AS answered_when, r.caller_id AS answered_last_by
    FROM json_each($3) m CROSS JOIN calls c ${whoCalls}
    ${joinAnsweredCall(along, 'a.started_at >= $2', 'DESC')}
    WHERE c.id = CAST(m.key AS bigint) AND c.number <> '${FORGOTTEN}'`;
}

export function createMissedCallerStore(
  { read, along }: Pick<Statements, 'read' | 'along'>,
  serialise: Serialise,
) {
  async function readSpans(account: number, since: number, number: string | undefined) {
    const callers: Callers = new Map();
    const sql = missedCallsSql(along, number !== undefined);
    for (let last: MissedRow | undefined, spans = 0; ; ) {
      const before = [last?.until ?? Number.MAX_SAFE_INTEGER, last?.id ?? Number.MAX_SAFE_INTEGER];
      const values = [account, since, ...before, ...(number === undefined ? [] : [number])];
      const rows = await serialise(() => read<MissedRow>(sql, ...values));
      addSlice(callers, rows);
      last = rows.at(-1);
      spans += rows.length;
      const more = last?.place === CALLS;
      if (!more || callers.size >= MOST_CALLERS || spans >= MOST_SPANS) return { callers, more };
    }
  }
  async function readNewest(account: number, since: number, callers: Callers): Promise<MissedCaller[]> {
    const sql = newestCallsSql(along);
    const byCall = new Map(Array.from(callers.values(), ({ newest, calls }) => [newest, calls]));
    const newest = [...byCall.keys()];
    const found: MissedCaller[] = [];
    for (let at = 0; at < newest.length; at += CALLERS) {
      const ids = keysOf(newest.slice(at, at + CALLERS));
      for (const row of await serialise(() => read<Row>(sql, account, since, ids)))
        found.push({
          call: callOf(row),
          calls: byCall.get(row.place as number) as MissedSpan[],
          answered: answeredOf(row),
        });
    }
    return found;
  }
  return {
    /**
     * What users have promised about people whose last missed call ended before `since`, to be kept at `due` or later: all
     * promises about these numbers, newest first. `among`: of these numbers only.
     */
    promises(
      account: number,
      {
        since,
        due,
        among,
      }: { readonly since: number; readonly due: number; readonly among?: readonly string[] | undefined },
    ): Promise<Promised[]> {
      const ofThese = among === undefined ? '' : 'AND p.number IN (SELECT m.key FROM json_each($4) m)';
      return read(
        `SELECT a.number, a.at, a.due
         FROM (SELECT DISTINCT later.number FROM (SELECT p.number FROM caller_actions p ${along('promises_by_due')}
             WHERE p.account_id = $1 AND p.due >= $2 ${ofThese} ORDER BY p.due LIMIT ${PROMISES}) later
           WHERE $3 > (SELECT max(c.completed_at) FROM calls c ${along('calls_missed_by_number')}
             WHERE c.account_id = $1 AND c.number = later.number AND ${missedSql('c')} AND ${wantsCallBackSql('c')})
           LIMIT ${PROMISED}) promised
         CROSS JOIN caller_actions a ${along('promises_by_number')}
         WHERE a.account_id = $1 AND a.number = promised.number AND a.due IS NOT NULL
         ORDER BY a.at DESC, a.id DESC LIMIT ${PROMISES}`,
        ...[account, due, since, ...(among === undefined ? [] : [keysOf(among)])],
      );
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
      const { callers, more } = await readSpans(account, since, number);
      return { callers: await readNewest(account, since, callers), more };
    },
  };
}
