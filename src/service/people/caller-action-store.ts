import { keysOf, rewriteTexts, type Statements } from '../store/statements.ts';

/** What a user did about a caller's missed calls, or a note about the caller. */
export type CallerAction = {
  readonly number: string;
  /** Unix ms. */
  readonly at: number;
  /** The user's name at that time: it stays when the user is removed. */
  readonly user: string;
  /**
   * `taken`: will call back; `released`: will not; `done`: nothing is left to do; `reopened`: there is; `remind`: will call back
   * at `due`. A bridge has seen a call to the number (CALL_BACKS): `talked`, or `tried` if nobody was reached. Then `user` is the
   * extension, '' if that is unknown. With `due`, a user says `tried`, and tries again then.
   */
  readonly kind: 'taken' | 'released' | 'done' | 'reopened' | 'note' | 'talked' | 'tried' | 'remind';
  /** The note; null for the other kinds. */
  readonly text: string | null;
  /** How long they talked; of `talked` only. */
  readonly seconds?: number;
  /** Unix ms; of `remind`, and of `tried` if a user said so. */
  readonly due?: number;
  /** The bridge's id of what it has seen, which is stored once. */
  readonly report?: string;
  /** Of actions that are read: the reference of the customer who has the number now. */
  readonly customer?: string | null;
};

/** Most attempts to reach a number that bridges report (`tried`) and are stored in a week: whoever reads what was done about it reads them, too. */
export const MOST_TRIED = 200;
const TRIED_MS = 7 * 86_400_000;

/** An action that is read. */
export type StoredAction = Omit<CallerAction, 'report'> & { readonly id: number };

/**
 * Which note is meant, and what it said when it was read. SQLite uses the id of a row that was the last one again: it names
 * one only together with the rest.
 */
type ReadNote = Pick<StoredAction, 'id' | 'number' | 'at' | 'user'> & { readonly read: string };

const isAsRead = `account_id = $1 AND number = $2 AND at = $3 AND user_name = $4 AND id = $5 AND kind = 'note'
  AND replace(text, $7, $8) = $6`;
/** Browsers send line breaks in either form. */
const asRead = (account: number, { number, at, user, id, read }: ReadNote) =>
  [account, number, at, user, id, read.replaceAll('\r\n', '\n'), '\r\n', '\n'] as const;

/** What bridges have seen of attempts to reach the number $2 of the account $1 since then, at most MOST_TRIED. */
const seenTries = (since: string) => `SELECT t.id FROM caller_actions t
  WHERE t.account_id = $1 AND t.number = $2 AND t.at >= ${since} AND t.kind = 'tried' AND t.due IS NULL LIMIT ${MOST_TRIED}`;

/** The number $2 of the account $1, and the others of its customer. */
export const ofPerson = `SELECT CAST($2 AS text) AS number UNION SELECT o.number FROM customer_numbers n
  JOIN customer_numbers o ON o.account_id = n.account_id AND o.customer_id = n.customer_id
  WHERE n.account_id = $1 AND n.number = $2`;

/** `onCallerAction` is called after an action, for the account's screens at other processes. */
export const createCallerActionStore = (
  { read, writeAlone }: Pick<Statements, 'read' | 'writeAlone'>,
  onCallerAction: (account: number) => void,
) => ({
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
   * quicker, if the report is stored already, or if bridges have seen MOST_TRIED attempts in the week before.
   */
  async act(
    account: number,
    { number, at, user, kind, text, seconds, report, due }: CallerAction,
    after: number | null = null,
  ): Promise<boolean> {
    const stored = await writeAlone(
      account,
      `INSERT INTO caller_actions (account_id, number, at, user_name, kind, text, seconds, report, due)
       SELECT $1, $2, $3, $4, $5, $6, $8, $9, $10 WHERE (CAST($7 AS bigint) IS NULL OR $7 =
         (SELECT coalesce(max(a.id), 0) FROM caller_actions a WHERE a.account_id = $1 AND a.number IN (${ofPerson})))
         AND (CAST($9 AS text) IS NULL OR CAST($5 AS text) <> 'tried'
           OR ${MOST_TRIED} > (SELECT count(*) FROM (${seenTries(`CAST($3 AS bigint) - ${TRIED_MS}`)}) tries))
       ON CONFLICT DO NOTHING RETURNING id`,
      ...[account, number, at, user, kind, text, after, seconds ?? null, report ?? null, due ?? null],
    );
    if (stored.length > 0) onCallerAction(account);
    return stored.length > 0;
  },
  /** After calls or actions of the account were changed in another way: the other processes read them again. */
  changed: onCallerAction,
  /** Whether what a bridge has seen is stored already, by its id. */
  async hasReport(account: number, report: string): Promise<boolean> {
    const found = await read(
      'SELECT 1 AS found FROM caller_actions WHERE account_id = $1 AND report = $2',
      account,
      report,
    );
    return found.length > 0;
  },
  /** Whether bridges have seen MOST_TRIED attempts to reach a number since then. */
  async isTriedOut(account: number, number: string, since: number): Promise<boolean> {
    const found = await read(seenTries('$3'), ...[account, number, since]);
    return found.length === MOST_TRIED;
  },
});

/** Numbers whose newest notes are read in one go. */
const NUMBERS = 400;

type ActionsQuery = {
  readonly numbers?: readonly string[] | undefined;
  /** From there to before then, Unix ms. */
  readonly since?: number;
  readonly until?: number;
  readonly texts?: boolean;
};

type NotesQuery = {
  /** Null: any. */
  readonly numbers: readonly string[] | null;
  /** Unix ms. */
  readonly since: number | null;
  readonly before: { readonly at: number; readonly id: number } | null;
  readonly limit: number;
};

/** All that colleagues did about callers, and noted. */
export const createActionLogStore = ({
  read,
  write,
  along,
}: Pick<Statements, 'read' | 'write' | 'along'>) => ({
  /**
   * The newest `max` actions of a span, of all numbers or about some, oldest first. `texts`: whether notes have theirs, which may
   * be much to read.
   */
  async actions(
    account: number,
    { numbers, since = 0, until = Number.MAX_SAFE_INTEGER, texts = true }: ActionsQuery,
    max: number,
  ): Promise<StoredAction[]> {
    // Reads only the newest of each number.
    const [source, among] =
      numbers === undefined
        ? ['caller_actions a', '']
        : [
            'json_each($5) m CROSS JOIN caller_actions a',
            `AND a.number = m.key AND a.at >= coalesce((SELECT o.at FROM caller_actions o WHERE o.account_id = $1
               AND o.number = m.key AND o.at < $4 ORDER BY o.at DESC LIMIT 1 OFFSET $2), 0)`,
          ];
    const rows = await read<StoredAction & { readonly seconds: number | null; readonly due: number | null }>(
      `SELECT a.id, a.number, a.at, a.user_name AS "user", a.kind, ${texts ? 'a.text' : 'NULL AS text'}, a.seconds, a.due,
         (SELECT k.reference FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
           WHERE n.account_id = a.account_id AND n.number = a.number) AS customer
       FROM ${source} WHERE a.account_id = $1 AND a.at >= $3 AND a.at < $4 ${among} ORDER BY a.at DESC, a.id DESC LIMIT $2`,
      ...[account, max, since, until, ...(numbers === undefined ? [] : [keysOf(numbers)])],
    );
    return rows.toReversed().map(({ seconds, due, ...action }) => ({
      ...action,
      ...(seconds !== null && { seconds }),
      ...(due !== null && { due }),
    }));
  },
  /** The newest note about each of these numbers, if it was written since then; unordered. */
  async newestNotes(account: number, numbers: readonly string[], since: number): Promise<CallerAction[]> {
    const found: CallerAction[] = [];
    for (let at = 0; at < numbers.length; at += NUMBERS)
      found.push(
        ...(await read<CallerAction>(
          `SELECT a.number, a.at, a.user_name AS "user", a.kind, a.text FROM json_each($3) m CROSS JOIN caller_actions a
           WHERE a.id = (SELECT o.id FROM caller_actions o ${along('notes_by_number')} WHERE o.account_id = $1
             AND o.number = m.key AND o.kind = 'note' AND o.at >= $2 ORDER BY o.at DESC, o.id DESC LIMIT 1)`,
          ...[account, since, keysOf(numbers.slice(at, at + NUMBERS))],
        )),
      );
    return found;
  },
  /** Notes before a place, newest first: at most `limit`, of all callers or of those with one of the numbers. */
  async notes(
    account: number,
    { numbers, since, before, limit }: NotesQuery,
  ): Promise<
    (Pick<StoredAction, 'id' | 'number' | 'at' | 'user'> & {
      readonly text: string;
      readonly customer: string | null;
    })[]
  > {
    const place = before ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
    // Reads only the newest notes of each number.
    const [source, among] =
      numbers === null
        ? [`caller_actions a ${along('notes_by_time')}`, '']
        : [
            `json_each($6) m CROSS JOIN caller_actions a ${along('notes_by_number')}`,
            `AND a.number = m.key AND a.at >= coalesce((SELECT o.at FROM caller_actions o ${along('notes_by_number')}
               WHERE o.account_id = $1 AND o.number = m.key AND o.kind = 'note' AND (o.at, o.id) < ($3, $4)
               ORDER BY o.at DESC, o.id DESC LIMIT 1 OFFSET $5), 0)`,
          ];
    return read(
      `SELECT a.id, a.number, a.at, a.user_name AS "user", a.text,
         (SELECT k.reference FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
           WHERE n.account_id = a.account_id AND n.number = a.number) AS customer
       FROM ${source} WHERE a.account_id = $1 AND a.kind = 'note' AND a.at >= $2 AND (a.at, a.id) < ($3, $4) ${among}
       ORDER BY a.at DESC, a.id DESC LIMIT $5`,
      ...[account, since ?? 0, place.at, place.id, limit],
      ...(numbers === null ? [] : [keysOf(numbers)]),
    );
  },
  /** Deletes a note that says what was read: a trigger does, and writes the event. False if there is none. */
  async removeNote(account: number, note: ReadNote): Promise<boolean> {
    const removed = await write(
      `UPDATE caller_actions SET text = NULL WHERE ${isAsRead} RETURNING id`,
      ...asRead(account, note),
    );
    return removed.length > 0;
  },
  /** Replaces a note that says what was read, by a user. False if there is none. */
  async editNote(
    account: number,
    note: ReadNote,
    { by, text }: { readonly by: string; readonly text: string },
  ): Promise<boolean> {
    const changed = await write(
      `UPDATE caller_actions SET text = $9, user_name = $10 WHERE ${isAsRead} RETURNING id`,
      ...[...asRead(account, note), text, by],
    );
    return changed.length > 0;
  },
  /**
   * Deletes what was done about a number, and writes notes about others, and whom a bridge has seen call them, `without` it;
   * returns how many of those. Names of users stay. A report's id is removed: without the number it could be another's.
   */
  async forget(account: number, number: string, without: (text: string) => string): Promise<number> {
    await write('DELETE FROM caller_actions WHERE account_id = $1 AND number = $2', account, number);
    const ofBridges = "account_id = $1 AND kind IN ('talked', 'tried') AND due IS NULL";
    const unnamed = (report: string) => (without(report) === report ? report : null);
    const rewrite = (column: string, own: string, rewritten: (text: string) => string | null) =>
      rewriteTexts({ read, write }, 'caller_actions', column, own, account, rewritten);
    return (
      (await rewrite('text', 'account_id = $1', without)) +
      (await rewrite('user_name', ofBridges, without)) +
      (await rewrite('report', ofBridges, unnamed))
    );
  },
});
