import { StoreUnavailable } from '../store.ts';
import type { Session, User, UserStore } from '../user-store.ts';
import type { Database } from './database.ts';

const columns = `u.id, u.uid, u.account_id AS account, u.name, u.sign_in_name AS "signInName", u.role, u.password,
  u.created_at AS "createdAt"`;

/** SQLSTATE unique_violation. */
const TAKEN = '23505';

/** `dismissed` is told after a user has taken calls off the bar, for the user's screens at other processes. */
export function userRows(
  database: Database,
  dismissed: (account: number, user: number, calls: readonly string[]) => void,
): UserStore {
  return {
    list: (account) =>
      database.rows<User>(
        `SELECT ${columns} FROM users u WHERE account_id = $1 ORDER BY sign_in_name`,
        account,
      ),
    async find(by) {
      const [column, value] = 'uid' in by ? ['uid', by.uid] : ['sign_in_name', by.signInName];
      const [user] = await database.rows<User>(`SELECT ${columns} FROM users u WHERE ${column} = $1`, value);
      return user;
    },
    async add({ uid, account, name, signInName, role, password, createdAt }) {
      const [user] = await database.rows<User>(
        `INSERT INTO users AS u (uid, account_id, name, sign_in_name, role, password, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (sign_in_name) DO NOTHING RETURNING ${columns}`,
        uid,
        account,
        name,
        signInName,
        role,
        password,
        createdAt,
      );
      return user;
    },
    async change(id, { name = null, signInName = null, role = null, password }) {
      try {
        await database.rows(
          `UPDATE users SET name = coalesce($2, name), sign_in_name = coalesce($3, sign_in_name),
             role = coalesce($4, role), password = CASE WHEN $5 THEN $6 ELSE password END,
             link_counter = link_counter + $5::int WHERE id = $1`,
          id,
          name,
          signInName,
          role,
          password !== undefined,
          password ?? null,
        );
        return true;
      } catch (error) {
        if (!(error instanceof StoreUnavailable) && (error as { code?: string }).code === TAKEN) return false;
        throw error;
      }
    },
    async newLink(id) {
      const [user] = await database.rows<{ counter: number }>(
        'UPDATE users SET link_counter = link_counter + 1 WHERE id = $1 RETURNING link_counter AS counter',
        id,
      );
      return user?.counter as number;
    },
    async useLink(uid, counter) {
      const [user] = await database.rows<User>(
        `UPDATE users u SET link_counter = link_counter + 1 WHERE uid = $1 AND link_counter = $2 RETURNING ${columns}`,
        uid,
        counter,
      );
      return user;
    },
    async remove(id) {
      await database.rows('DELETE FROM users WHERE id = $1', id);
    },
    async openSession({ id, user, at }) {
      await database.rows('INSERT INTO sessions VALUES ($1, $2, $3, $3)', id, user, at);
    },
    async session(id) {
      const [row] = await database.rows<User & { openedAt: number; usedAt: number }>(
        `SELECT ${columns}, s.opened_at AS "openedAt", s.used_at AS "usedAt"
         FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1`,
        id,
      );
      if (row === undefined) return undefined;
      const { openedAt, usedAt, ...user } = row;
      return { id, user, openedAt, usedAt } satisfies Session;
    },
    async useSession(id, at) {
      await database.rows('UPDATE sessions SET used_at = greatest(used_at, $2) WHERE id = $1', id, at);
    },
    async closeSession(id) {
      await database.rows('DELETE FROM sessions WHERE id = $1', id);
    },
    async closeSessions(user, except) {
      await database.rows(
        'DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2::text',
        user,
        except,
      );
    },
    async trimSessions({ openedBefore, usedBefore }) {
      await database.rows(
        'DELETE FROM sessions WHERE opened_at < $1 OR used_at < $2',
        openedBefore,
        usedBefore,
      );
    },
    async dismiss(user, calls, until, now) {
      const [, , [owner] = []] = await database.transact([
        ['DELETE FROM dismissed_calls WHERE until < $1', now],
        [
          `INSERT INTO dismissed_calls SELECT $1, call, $3 FROM (SELECT DISTINCT unnest($2::text[]) AS call) c
           ON CONFLICT (user_id, call_id) DO UPDATE SET until = excluded.until`,
          user,
          calls,
          until,
        ],
        ['SELECT account_id AS account FROM users WHERE id = $1', user],
      ]);
      if (owner !== undefined) dismissed(owner.account as number, user, calls);
    },
    async dismissed(user) {
      const rows = await database.rows<{ call: string }>(
        'SELECT call_id AS call FROM dismissed_calls WHERE user_id = $1',
        user,
      );
      return rows.map(({ call }) => call);
    },
  };
}
