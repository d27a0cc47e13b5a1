import { keysOf, rewriteTexts, type Statements } from '../store/statements.ts';

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

/** The number $2 of the account $1, and the others of its customer. */
const ofPerson = `SELECT CAST($2 AS text) AS number UNION SELECT o.number FROM customer_numbers n
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
    if (stored.length > 0) onCallerAction(account);
    return stored.length > 0;
  },
});

/** All that colleagues did about callers, and noted. */
export const createActionLogStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** The newest `max` actions since `since` or about some numbers, before `until`; oldest first. */
  async actions(
    account: number,
    which: ({ readonly since: number } | { readonly numbers: readonly string[] }) & {
      readonly until?: number;
    },
    max: number,
  ): Promise<StoredAction[]> {
    // Reads only the newest of each number.
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
  /** Deletes a note; false if there is none. */
  async removeNote(account: number, { id, number, at, user }: NoteKey): Promise<boolean> {
    const removed = await write(
      `DELETE FROM caller_actions WHERE account_id = $1 AND number = $2 AND at = $3 AND user_name = $4
         AND id = $5 AND kind = 'note' RETURNING id`,
      ...[account, number, at, user, id],
    );
    return removed.length > 0;
  },
  /** Replaces a note, by a user. False if there is none. */
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
  /** Deletes what was done about a number, and writes notes about others `without` it; returns how many of those. */
  async forget(account: number, number: string, without: (text: string) => string): Promise<number> {
    await write('DELETE FROM caller_actions WHERE account_id = $1 AND number = $2', account, number);
    return rewriteTexts({ read, write }, 'caller_actions', 'text', 'account_id = $1', account, without);
  },
});
