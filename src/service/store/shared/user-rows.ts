import type { Session, User, UserStore } from '../user-store.ts';
import type { Statements } from './statements.ts';

/** `of`: the table's name in the statement. */
const columnsOf = (of = '') => `${of}id, ${of}uid, ${of}account_id AS account, ${of}name,
  ${of}sign_in_name AS "signInName", ${of}role, ${of}password, ${of}created_at AS "createdAt"`;
const columns = columnsOf();

/** Two users of one sign-in name, as each database refuses them. */
const isTaken = (error: unknown) =>
  (error as { code?: string }).code === '23505' || /^UNIQUE constraint failed/.test((error as Error).message);

export function userRows({ read, lookup, write }: Statements): UserStore {
  return {
    list: (account) =>
      read(`SELECT ${columns} FROM users WHERE account_id = $1 ORDER BY sign_in_name`, account),
    async find(by) {
      const [column, value] = 'uid' in by ? ['uid', by.uid] : ['sign_in_name', by.signInName];
      return (await read<User>(`SELECT ${columns} FROM users WHERE ${column} = $1`, value))[0];
    },
    async add({ uid, account, name, signInName, role, password, createdAt }) {
      const [user] = await write<User>(
        `INSERT INTO users (uid, account_id, name, sign_in_name, role, password, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (sign_in_name) DO NOTHING RETURNING ${columns}`,
        ...[uid, account, name, signInName, role, password, createdAt],
      );
      return user;
    },
    async change(id, { name = null, signInName = null, role = null, password }) {
      try {
        await write(
          `UPDATE users SET name = coalesce($2, name), sign_in_name = coalesce($3, sign_in_name),
             role = coalesce($4, role), password = CASE WHEN $5 THEN $6 ELSE password END,
             link_counter = link_counter + CASE WHEN $5 THEN 1 ELSE 0 END WHERE id = $1`,
          ...[id, name, signInName, role, password !== undefined, password ?? null],
        );
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    },
    async newLink(id) {
      const [user] = await write<{ counter: number }>(
        'UPDATE users SET link_counter = link_counter + 1 WHERE id = $1 RETURNING link_counter AS counter',
        id,
      );
      return user?.counter as number;
    },
    async useLink(uid, counter) {
      const [user] = await write<User>(
        `UPDATE users SET link_counter = link_counter + 1 WHERE uid = $1 AND link_counter = $2 RETURNING ${columns}`,
        ...[uid, counter],
      );
      return user;
    },
    async remove(id) {
      await write('DELETE FROM users WHERE id = $1', id);
    },
    async openSession({ id, user, at }) {
      await write('INSERT INTO sessions VALUES ($1, $2, $3, $3)', id, user, at);
    },
    async session(id) {
      const [row] = await lookup<User & { openedAt: number; usedAt: number }>(
        `SELECT ${columnsOf('u.')}, s.opened_at AS "openedAt", s.used_at AS "usedAt"
         FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1`,
        id,
      );
      if (row === undefined) return undefined;
      const { openedAt, usedAt, ...user } = row;
      return { id, user, openedAt, usedAt } satisfies Session;
    },
    async useSession(id, at) {
      await write('UPDATE sessions SET used_at = $2 WHERE id = $1 AND used_at < $2', id, at);
    },
    async closeSession(id) {
      await write('DELETE FROM sessions WHERE id = $1', id);
    },
    async closeSessions(user, except) {
      await write('DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2', user, except);
    },
    async trimSessions({ openedBefore, usedBefore }) {
      await write('DELETE FROM sessions WHERE opened_at < $1 OR used_at < $2', openedBefore, usedBefore);
    },
  };
}
