import type { Statements } from '../store/statements.ts';
import type { WeeklyStore } from './weekly-store.ts';

export function weeklyRows({ read, write }: Statements): WeeklyStore {
  return {
    async address(user) {
      const sql = 'SELECT address FROM weekly_reports WHERE user_id = $1';
      return (await read<{ address: string }>(sql, user))[0]?.address ?? null;
    },
    async put(user, address, sent) {
      if (address === null) await write('DELETE FROM weekly_reports WHERE user_id = $1', user);
      else
        await write(
          `INSERT INTO weekly_reports (user_id, address, sent_week) VALUES ($1, $2, $3)
           ON CONFLICT (user_id) DO UPDATE SET address = excluded.address`,
          ...[user, address, sent],
        );
    },
    due: (account, week) =>
      read(
        `SELECT w.user_id AS "user", w.address, u.language, w.sent_week AS sent
         FROM weekly_reports w JOIN users u ON u.id = w.user_id
         WHERE u.account_id = $1 AND w.sent_week < $2 ORDER BY w.user_id`,
        ...[account, week],
      ),
    async move(user, from, to) {
      const sql =
        'UPDATE weekly_reports SET sent_week = $3 WHERE user_id = $1 AND sent_week = $2 RETURNING user_id';
      return (await write(sql, user, from, to)).length > 0;
    },
  };
}
