import { sameLine, storedForms } from '../../shared/phone-number/same-line.ts';
import { answeredSql, missedSql, wantedPersonSql, wantsCallBackSql } from '../calls/call-meaning.ts';
import { lastTalker } from '../calls/call-record.ts';
import { whoOfFields } from '../calls/call-rows.ts';
import type { Statements } from '../store/statements.ts';
import { type CallerAction, MOST_TRIED, ofPerson } from './caller-action-store.ts';

/** What a priority lookup says of a caller; null for what is not known, as all of it of a stranger who has never called. */
export type WhoCalls = {
  /** The customer's. */
  readonly name: string | null;
  /** The segment's name and its priority. */
  readonly segment: string | null;
  readonly priority: number | null;
  /** As in `codeFields`. */
  readonly language: string | null;
  readonly blocked: string | null;
  /** Who talked last in the last answered call of the number, or of another one of its customer, and when it was answered, Unix ms. */
  readonly lastExtension: string | null;
  readonly lastAnsweredAt: number | null;
  /** Whether somebody may have taken the caller to call back: an action since the time that was given says so. */
  readonly mayBeTaken: boolean;
};

/** What screens say of a caller, besides who it is. Times are Unix milliseconds. */
export type CallerFacts = {
  /** Who talked last with the person, and since when. */
  readonly last: { readonly by: string; readonly at: number } | null;
  /** The last note about the person. */
  readonly note: { readonly by: string; readonly at: number; readonly text: string } | null;
  /** How often the person was missed, of the last `MAX_MISSED` missed calls of each number. */
  readonly missed: number;
};

type FactsRow = {
  readonly callerId: string | null;
  readonly talked: string | null;
  readonly talkedAt: number | null;
  readonly noteBy: string | null;
  readonly noteAt: number | null;
  readonly noteText: string | null;
  readonly missed: number;
};

/** One for each number of the person. */
type Row = Omit<WhoCalls, 'mayBeTaken' | 'lastExtension'> & {
  readonly isTaken: boolean | number;
  readonly callerId: string | null;
  readonly talked: string | null;
};

/**
 * Actions about a number, and missed calls of it, that are read, the newest: a promise older than these is none. A lookup must
 * not take longer the more there are, and a machine may call all day.
 */
const [MAX_ACTIONS, MAX_MISSED] = [MOST_TRIED + 100, 100];

export function createWhoCallsStore({ read, lookup, along }: Pick<Statements, 'read' | 'lookup' | 'along'>) {
  // A customer may still have the number in the form $5 of an earlier version, in which nobody calls.
  const number = 'CASE WHEN o.number IS NULL OR o.number = $5 THEN $2 ELSE o.number END';
  // Of a stranger, too: the customer is joined to one row.
  const sql = `SELECT c.name, s.name AS segment, s.priority, c.language, c.blocked,
      r.caller_id AS "callerId", r.talked, coalesce(r.answered_at, r.completed_at) AS "lastAnsweredAt",
      EXISTS (SELECT 1 FROM (SELECT a.kind, a.due FROM caller_actions a WHERE a.account_id = $1 AND a.number = ${number}
        AND a.at >= $4 ORDER BY a.at DESC LIMIT ${MAX_ACTIONS}) newest
        WHERE newest.kind = 'taken' OR newest.due IS NOT NULL) AS "isTaken"
    FROM (SELECT 1 AS one) x
    LEFT JOIN customers c ON c.id = (SELECT n.customer_id FROM customer_numbers n
      WHERE n.account_id = $1 AND n.number IN ($2, $3) ORDER BY n.number = $2 DESC LIMIT 1)
    LEFT JOIN segments s ON s.id = c.segment_id
    LEFT JOIN customer_numbers o ON o.account_id = $1 AND o.customer_id = c.id
    LEFT JOIN calls r ON r.id = (SELECT a.id FROM calls a ${along('calls_answered_by_number')}
      WHERE a.account_id = $1 AND a.number = ${number} AND ${answeredSql('a')} ORDER BY a.started_at DESC LIMIT 1)`;
  return {
    /** Who calls from this number, for a priority lookup. `since`: when a promise to call back counts from, Unix ms. */
    async whoCalls(account: number, number: string, since: number): Promise<WhoCalls> {
      const [, other] = storedForms(number);
      const former = sameLine(number).includes(other) ? '' : other;
      const rows = await lookup<Row>(sql, account, number, other, since, former);
      const {
        isTaken: _,
        callerId,
        talked,
        ...last
      } = rows.reduce((one, two) => ((two.lastAnsweredAt ?? 0) > (one.lastAnsweredAt ?? 0) ? two : one));
      const lastExtension = lastTalker({ callerId, talked: whoOfFields({ talked }).talked });
      return { ...last, lastExtension, mayBeTaken: rows.some(({ isTaken }) => Boolean(isTaken)) };
    },
    /** What screens say of a caller who rings; `since`: missed calls from then on are counted, Unix ms. */
    async callerFacts(account: number, number: string, since: number): Promise<CallerFacts> {
      const rows = await read<FactsRow>(
        `SELECT r.caller_id AS "callerId", r.talked, coalesce(r.answered_at, r.completed_at) AS "talkedAt",
           n.user_name AS "noteBy", n.at AS "noteAt", n.text AS "noteText",
           (SELECT count(*) FROM (SELECT c.missed_where FROM calls c ${along('calls_missed_by_number')}
             WHERE c.account_id = $1 AND c.number = m.number AND ${missedSql('c')} AND c.completed_at >= $3
             ORDER BY c.completed_at DESC LIMIT ${MAX_MISSED}) newest
             WHERE ${wantedPersonSql('newest')}) AS missed
         FROM (${ofPerson}) m
         LEFT JOIN calls r ON r.id = (SELECT a.id FROM calls a ${along('calls_answered_by_number')}
           WHERE a.account_id = $1 AND a.number = m.number AND ${answeredSql('a')} ORDER BY a.started_at DESC LIMIT 1)
         LEFT JOIN caller_actions n ON n.id = (SELECT a.id FROM caller_actions a ${along('notes_by_number')}
           WHERE a.account_id = $1 AND a.number = m.number AND a.kind = 'note' ORDER BY a.at DESC, a.id DESC LIMIT 1)`,
        ...[account, number, since],
      );
      const spoke = newest(rows, ({ talkedAt }) => talkedAt);
      const noted = newest(rows, ({ noteAt }) => noteAt);
      const by =
        spoke &&
        lastTalker({ callerId: spoke.callerId, talked: whoOfFields({ talked: spoke.talked }).talked });
      return {
        last: spoke?.talkedAt != null && by ? { by, at: spoke.talkedAt } : null,
        note:
          noted?.noteAt == null
            ? null
            : { by: noted.noteBy ?? '', at: noted.noteAt, text: noted.noteText ?? '' },
        missed: rows.reduce((sum, { missed }) => sum + missed, 0),
      };
    },
    /**
     * What colleagues did since then about the person with this number, oldest first, and when the last missed call began that
     * wanted somebody; Unix ms, 0 if there is none.
     */
    async promises(account: number, number: string, since: number) {
      // CROSS JOIN: SQLite would look through the actions of all people, in their order.
      const actions = await lookup<Pick<CallerAction, 'kind' | 'user'> & { readonly due: number | null }>(
        `SELECT a.kind, a.user_name AS "user", a.due FROM (${ofPerson}) m CROSS JOIN caller_actions a
         WHERE a.account_id = $1 AND a.number = m.number AND a.at >= coalesce((SELECT o.at FROM caller_actions o WHERE o.account_id = $1
           AND o.number = m.number AND o.at >= $3 ORDER BY o.at DESC LIMIT 1 OFFSET ${MAX_ACTIONS - 1}), $3)
         AND a.kind <> 'note' AND (a.kind <> 'tried' OR a.due IS NOT NULL)
         ORDER BY a.at DESC, a.id DESC LIMIT ${MAX_ACTIONS}`,
        ...[account, number, since],
      );
      const missed = await lookup<{ readonly at: number | null }>(
        `SELECT (SELECT newest.started_at FROM (SELECT c.id, c.started_at, c.completed_at, c.missed_where, c.past
             FROM calls c ${along('calls_missed_by_number')}
             WHERE c.account_id = $1 AND c.number = m.number AND c.missed AND c.completed_at >= $3
             ORDER BY c.completed_at DESC, c.id DESC LIMIT ${MAX_MISSED}) newest WHERE ${wantsCallBackSql('newest')}
           ORDER BY newest.completed_at DESC, newest.id DESC LIMIT 1) AS at FROM (${ofPerson}) m`,
        ...[account, number, since],
      );
      return { actions: actions.toReversed(), missedAt: Math.max(...missed.map(({ at }) => at ?? 0)) };
    },
  };
}

/** The row with the latest time; of several, the first. */
const newest = <One>(rows: readonly One[], at: (row: One) => number | null): One | undefined =>
  rows.reduce<One | undefined>(
    (one, two) => ((at(two) ?? -1) > ((one && at(one)) ?? -1) ? two : one),
    undefined,
  );
