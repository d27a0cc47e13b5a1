import type { Session, User } from '../accounts/user.ts';
import type { Statements } from '../store/statements.ts';
import { columnsOf } from './user-columns.ts';

const sessionColumns = `s.opened_at AS "openedAt", s.used_at AS "usedAt", s.address, s.browser`;

/** Sessions that one statement asks for. */
const SESSIONS = 500;

/** `user`: as they were when the password or the link was checked. `at`: Unix ms. */
type NewSession = {
  readonly id: string;
  readonly user: Pick<User, 'id' | 'linkCounter' | 'secondFactor' | 'role'>;
  readonly at: number;
  readonly address: string;
  readonly browser: string;
};

/** Unix ms. */
type SessionLimits = {
  readonly openedBefore: number;
  readonly usedBefore: number;
  /** Or opened after it. */
  readonly usedAfter: number;
};

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = ({ read, lookup, write, lockingRows }: Statements) => ({
  /**
   * False, and no session, if the user's password, second factor or role has changed since then, which has ended their sessions,
   * or a one-time link was made or used. The lock lets the change wait for the session, which it then ends.
   */
  async openSession({ id, user, at, address, browser }: NewSession): Promise<boolean> {
    const opened = await write(
      `INSERT INTO sessions (id, user_id, opened_at, used_at, address, browser)
       SELECT $1, u.id, $3, $3, $4, $5 FROM (SELECT id FROM users WHERE id = $2 AND role = $8
         AND link_counter = $6 AND second_factor IS NOT DISTINCT FROM $7 ${lockingRows}) u RETURNING id`,
      ...[id, user.id, at, address, browser, user.linkCounter, user.secondFactor, user.role],
    );
    return opened.length > 0;
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
  /** A session that is over by itself: its browser still gets push messages. */
  async expireSession(id: string): Promise<void> {
    await write('DELETE FROM sessions WHERE id = $1', id);
  },
  /** A session that somebody ends: its browser gets no push messages any more. The session first: without one no browser is added. */
  async closeSession(id: string): Promise<void> {
    await write('DELETE FROM sessions WHERE id = $1', id);
    await write('DELETE FROM push_devices WHERE session_id = $1', id);
  },
  /** The same for all of a user's but one. */
  async closeSessions(user: number, except: string | null): Promise<void> {
    await write('DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2', user, except);
    await write(
      'DELETE FROM push_devices WHERE user_id = $1 AND session_id IS DISTINCT FROM $2',
      user,
      except,
    );
  },
  /** Deletes sessions that are over. */
  async trimSessions({ openedBefore, usedBefore, usedAfter }: SessionLimits): Promise<void> {
    await write(
      'DELETE FROM sessions WHERE opened_at < $1 OR opened_at > $3 OR used_at < $2 OR used_at > $3',
      ...[openedBefore, usedBefore, usedAfter],
    );
  },
});
