import { createHash, randomBytes } from 'node:crypto';
import type { Session, User, UserStore } from '../store/user-store.ts';

/**
 * A session ends after 12 hours without an open page, and after 30 days in any case (NIST SP 800-63B, 2.1.3). An open
 * notification bar counts as use: a screen on the wall stays signed in.
 */
export const IDLE_MS = 12 * 3_600_000;
export const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** The last use is stored at most this often. */
const USE_STORED_MS = 60_000;

export type Sessions = {
  /** Signs a browser in; gives the value of its cookie. */
  open(user: User): Promise<string>;
  /** The session of a cookie if it is valid now; stores that it is used. */
  find(cookie: string | undefined): Promise<Session | undefined>;
  close(session: Session): Promise<void>;
  /** Ends all sessions of a user except one. */
  closeAll(user: User, except: Session | null): Promise<void>;
  /** Calls `end` when the session is closed in this process. Gives a function that removes the listener. */
  onClose(session: Session, end: () => void): () => void;
  /** Deletes expired sessions. */
  trim(): Promise<void>;
};

export function makeSessions(users: UserStore, clock: () => number): Sessions {
  const listeners = new Set<{ session: Session; end: () => void }>();
  const notify = (closed: (session: Session) => boolean) => {
    for (const { session, end } of listeners) if (closed(session)) end();
  };
  return {
    async open(user) {
      const cookie = randomBytes(32).toString('base64url');
      await users.openSession({ id: idOf(cookie), user: user.id, at: clock() });
      return cookie;
    },
    async find(cookie) {
      if (cookie === undefined || cookie === '') return undefined;
      const session = await users.session(idOf(cookie));
      const now = clock();
      if (session === undefined) return undefined;
      if (now >= session.openedAt + MAX_AGE_MS || now >= session.usedAt + IDLE_MS) {
        await users.closeSession(session.id);
        return undefined;
      }
      if (now >= session.usedAt + USE_STORED_MS) await users.useSession(session.id, now);
      return session;
    },
    async close(session) {
      await users.closeSession(session.id);
      notify(({ id }) => id === session.id);
    },
    async closeAll(user, except) {
      await users.closeSessions(user.id, except?.id ?? null);
      notify((session) => session.user.id === user.id && session.id !== except?.id);
    },
    onClose(session, end) {
      const listener = { session, end };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    trim: () => users.trimSessions({ openedBefore: clock() - MAX_AGE_MS, usedBefore: clock() - IDLE_MS }),
  };
}

/** The database stores a hash, so that a copy of it signs nobody in. 256 random bits need no salt. */
function idOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}
