import { accountLimits } from '../accounts/limits.ts';
import type { Role, Session, User } from '../accounts/user.ts';
import type { Statements } from '../store/statements.ts';

export type UserStore = ReturnType<typeof userRows>;

/** `prefix`: the table's alias in the statement, with its dot. */
const columnsOf = (prefix = '') => `${prefix}id, ${prefix}uid, ${prefix}account_id AS account, ${prefix}name,
  ${prefix}sign_in_name AS "signInName", ${prefix}role, ${prefix}language, ${prefix}password, ${prefix}second_factor AS "secondFactor",
  ${prefix}created_at AS "createdAt", ${prefix}bar`;
const columns = columnsOf();

const sessionColumns = `s.opened_at AS "openedAt", s.used_at AS "usedAt", s.address, s.browser`;

/** Sessions that one statement asks for. */
const SESSIONS = 500;

/** True if the database refused a second user with the same sign-in name. */
const isTaken = (error: unknown) =>
  (error as { code?: string }).code === '23505' || /^UNIQUE constraint failed/.test((error as Error).message);

export function userRows({ read, lookup, write, writeAlone, contains, along, lockingRows }: Statements) {
  /** False for the last administrator of an account. The locks serialise two who demote each other. */
  const notTheLast = `(role <> 'administrator' OR 1 < (SELECT count(*) FROM (SELECT id FROM users a
    WHERE a.account_id = users.account_id AND a.role = 'administrator' ORDER BY id ${lockingRows}) administrators))`;

  return {
    /** Those of an account, by sign-in name. */
    list: (account: number): Promise<User[]> =>
      read(`SELECT ${columns} FROM users WHERE account_id = $1 ORDER BY sign_in_name`, account),
    /** The first of them, by sign-in name, after `skipped`. */
    page: (account: number, most: number, skipped: number): Promise<User[]> =>
      read(
        `SELECT ${columns} FROM users WHERE account_id = $1 ORDER BY sign_in_name LIMIT $2 OFFSET $3`,
        ...[account, most, skipped],
      ),
    /** When each of these users of an account was last active: by the session, else by the audit log. */
    async lastSeen(account: number, ids: readonly number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const seen = await read<{ id: number; used: number | null; signed: number | null }>(
        `SELECT id, (SELECT max(used_at) FROM sessions WHERE user_id = users.id) AS used,
           (SELECT at FROM audit ${along('audit_by_who')} WHERE account_id = users.account_id AND who = users.name
             AND what <> 'sign-in-failed' ORDER BY at DESC LIMIT 1) AS signed
         FROM users WHERE account_id = $1 AND id IN (${ids.map((_, n) => `$${n + 2}`).join()})`,
        ...[account, ...ids],
      );
      const times = seen.map(({ id, used, signed }) => [id, Math.max(used ?? 0, signed ?? 0)] as const);
      return new Map(times.filter(([, at]) => at > 0));
    },
    /** By sign-in name: the one of that account if there is one, else the oldest of all. */
    async find(
      by: { readonly uid: string } | { readonly signInName: string; readonly account: number | null },
    ): Promise<User | undefined> {
      const [user] =
        'uid' in by
          ? await read<User>(`SELECT ${columns} FROM users WHERE uid = $1`, by.uid)
          : await read<User>(
              `SELECT ${columns} FROM users WHERE sign_in_name = $1
               ORDER BY CASE account_id WHEN $2 THEN 0 ELSE 1 END, id LIMIT 1`,
              ...[by.signInName, by.account],
            );
      return user;
    },
    /** Undefined if somebody in the account has this sign-in name already, or if it has as many as it can have. */
    async add({
      uid,
      account,
      name,
      signInName,
      role,
      password,
      createdAt,
    }: Omit<User, 'id' | 'secondFactor' | 'language' | 'bar'>): Promise<User | undefined> {
      const [user] = await writeAlone<User>(
        account,
        `INSERT INTO users (uid, account_id, name, sign_in_name, role, password, created_at)
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM users WHERE account_id = $2)
           < coalesce((SELECT most_users FROM accounts WHERE id = $2), $8)
         ON CONFLICT (account_id, sign_in_name) DO NOTHING RETURNING ${columns}`,
        ...[uid, account, name, signInName, role, password, createdAt, accountLimits.users],
      );
      return user;
    },
    /**
     * False, and nothing changed, if another user has the sign-in name. A new password, or none, ends the user's link.
     */
    async change(
      id: number,
      changed: { name?: string; signInName?: string; language?: string; password?: string | null },
    ): Promise<boolean> {
      const { name = null, signInName = null, language = null, password } = changed;
      try {
        await write(
          `UPDATE users SET name = coalesce($2, name), sign_in_name = coalesce($3, sign_in_name),
             language = coalesce($6, language),
             password = CASE WHEN $4 THEN $5 ELSE password END,
             link_counter = link_counter + CASE WHEN $4 THEN 1 ELSE 0 END WHERE id = $1`,
          ...[id, name, signInName, password !== undefined, password ?? null, language],
        );
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    },
    async setBar(id: number, bar: string | null): Promise<void> {
      await write('UPDATE users SET bar = $2 WHERE id = $1', id, bar);
    },
    /** False, and nothing changed, if it is the account's last administrator. */
    async setRole(id: number, role: Role): Promise<boolean> {
      const changed = await write(
        `UPDATE users SET role = $2 WHERE id = $1 AND (role = $2 OR ${notTheLast}) RETURNING id`,
        ...[id, role],
      );
      return changed.length > 0;
    },
    /** Switches the second factor on with new recovery codes (hashes), or off with null. */
    async setSecondFactor(id: number, secondFactor: string | null, codes: readonly string[]): Promise<void> {
      await write(
        'UPDATE users SET second_factor = $2, code_step = 0, recovery_codes = $3 WHERE id = $1',
        ...[id, secondFactor, codes.map((code) => `${code} `).join('')],
      );
    },
    /** Uses up the codes of a time step and all before; false if that was done already. */
    async useCodeStep(id: number, step: number): Promise<boolean> {
      const sql = 'UPDATE users SET code_step = $2 WHERE id = $1 AND code_step < $2 RETURNING id';
      return (await write(sql, id, step)).length > 0;
    },
    /** Uses a recovery code up; false if the user has none with this hash. */
    async useRecoveryCode(id: number, hash: string): Promise<boolean> {
      const used = await write(
        `UPDATE users SET recovery_codes = replace(recovery_codes, $2, '')
         WHERE id = $1 AND ${contains('recovery_codes', '$2')} RETURNING id`,
        ...[id, `${hash} `],
      );
      return used.length > 0;
    },
    /** Increments the user's link counter, which ends earlier links; returns the new counter. */
    async newLink(id: number): Promise<number> {
      const [user] = await write<{ counter: number }>(
        'UPDATE users SET link_counter = link_counter + 1 WHERE id = $1 RETURNING link_counter AS counter',
        id,
      );
      return user?.counter as number;
    },
    /** The user whose one-time link has this counter, once: the link ends. Undefined if it has ended before. */
    async useLink(uid: string, counter: number): Promise<User | undefined> {
      const [user] = await write<User>(
        `UPDATE users SET link_counter = link_counter + 1 WHERE uid = $1 AND link_counter = $2 RETURNING ${columns}`,
        ...[uid, counter],
      );
      return user;
    },
    /** The user with all that is theirs: sessions. False as for `setRole`. */
    async remove(id: number): Promise<boolean> {
      return (await write(`DELETE FROM users WHERE id = $1 AND ${notTheLast} RETURNING id`, id)).length > 0;
    },
    async openSession({
      id,
      user,
      at,
      address,
      browser,
    }: {
      id: string;
      user: number;
      at: number;
      address: string;
      browser: string;
    }): Promise<void> {
      await write(
        `INSERT INTO sessions (id, user_id, opened_at, used_at, address, browser) VALUES ($1, $2, $3, $3, $4, $5)`,
        ...[id, user, at, address, browser],
      );
    },
    async session(id: string): Promise<Session | undefined> {
      const [row] = await lookup<User & Omit<Session, 'user'>>(
        `SELECT ${columnsOf('u.')}, ${sessionColumns}
         FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1`,
        id,
      );
      if (row === undefined) return undefined;
      const { openedAt, usedAt, address, browser, ...user } = row;
      return { id, user, openedAt, usedAt, address, browser } satisfies Session;
    },
    /** A user's, the last used first. */
    sessions: (user: number): Promise<Omit<Session, 'user'>[]> =>
      read(
        `SELECT s.id, ${sessionColumns} FROM sessions s WHERE s.user_id = $1 ORDER BY s.used_at DESC, s.id`,
        user,
      ),
    /** Those of these sessions that have not been closed. */
    async openSessions(ids: readonly string[]): Promise<string[]> {
      const open: string[] = [];
      for (let from = 0; from < ids.length; from += SESSIONS) {
        const some = ids.slice(from, from + SESSIONS);
        const sql = `SELECT id FROM sessions WHERE id IN (${some.map((_, n) => `$${n + 1}`)})`;
        for (const { id } of await read<{ id: string }>(sql, ...some)) open.push(id);
      }
      return open;
    },
    /** Moves `usedAt` on. */
    async useSession(id: string, at: number): Promise<void> {
      await write('UPDATE sessions SET used_at = $2 WHERE id = $1 AND used_at < $2', id, at);
    },
    async closeSession(id: string): Promise<void> {
      await write('DELETE FROM sessions WHERE id = $1', id);
    },
    /** All of a user's but one. */
    async closeSessions(user: number, except: string | null): Promise<void> {
      await write('DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2', user, except);
    },
    /** Deletes attempts that are too old to count. */
    async trimSessions({
      openedBefore,
      usedBefore,
    }: {
      openedBefore: number;
      usedBefore: number;
    }): Promise<void> {
      await write('DELETE FROM sessions WHERE opened_at < $1 OR used_at < $2', openedBefore, usedBefore);
    },
  };
}
