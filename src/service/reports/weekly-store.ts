import type { Statements } from '../store/statements.ts';

export type WeeklyStore = ReturnType<typeof weeklyRows>;

/** Who gets the weekly report by mail. Weeks are named by their Monday, such as `2026-11-16`. */
export function weeklyRows({ read, write }: Statements) {
  return {
    /** The user's address for the report; null: none. */
    async address(user: number): Promise<string | null> {
      const sql = 'SELECT address FROM weekly_reports WHERE user_id = $1';
      return (await read<{ address: string }>(sql, user))[0]?.address ?? null;
    },
    /** Those of all users of an account. */
    async addresses(account: number): Promise<string[]> {
      const sql =
        'SELECT w.address FROM weekly_reports w JOIN users u ON u.id = w.user_id WHERE u.account_id = $1';
      return (await read<{ address: string }>(sql, account)).map(({ address }) => address);
    },
    /** Changes the address; null: no report. `sent`: the week that counts as sent if there was no address before. */
    async put(user: number, address: string | null, sent: string): Promise<void> {
      if (address === null) await write('DELETE FROM weekly_reports WHERE user_id = $1', user);
      else
        await write(
          `INSERT INTO weekly_reports (user_id, address, sent_week) VALUES ($1, $2, $3)
           ON CONFLICT (user_id) DO UPDATE SET address = excluded.address`,
          ...[user, address, sent],
        );
    },
    /**
     * The users of an account who have not got a week's report. `sent`: the newest that they got. One of two weeks later was
     * sent while the clock was ahead; a change of the account's time zone may move a week by one.
     */
    due: (
      account: number,
      week: string,
    ): Promise<{ user: number; address: string; language: string; sent: string }[]> =>
      read(
        `SELECT w.user_id AS "user", w.address, u.language, w.sent_week AS sent
         FROM weekly_reports w JOIN users u ON u.id = w.user_id
         WHERE u.account_id = $1 AND (w.sent_week < $2 OR w.sent_week >= $3) ORDER BY w.user_id`,
        ...[account, week, Temporal.PlainDate.from(week).add({ weeks: 2 }).toString()],
      ),
    /** Changes the newest week that was sent to a user; false, and nothing changed, if it is not `from`. */
    async move(user: number, from: string, to: string): Promise<boolean> {
      const sql =
        'UPDATE weekly_reports SET sent_week = $3 WHERE user_id = $1 AND sent_week = $2 RETURNING user_id';
      return (await write(sql, user, from, to)).length > 0;
    },
  };
}
