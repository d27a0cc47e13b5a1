import { createHash, randomBytes } from 'node:crypto';
import type { Session, User, UserStore } from '../store/user-store.ts';

/**
 * A browser is signed out when no page of it has been open for half a day, and after 30 days in any case (NIST SP
 * 800-63B, 2.1.3). A page with the notification bar counts as use: a screen on the wall stays signed in.
 */
export const IDLE_MS = 12 * 3_600_000;
export const LONGEST_MS = 30 * 24 * 3_600_000;
/** Use is written down so seldom. */
const NOTED_MS = 60_000;

export type Sessions = {
  /** Signs a browser in; gives what its cookie holds. */
  open(user: User): Promise<string>;
  /** The session of a cookie, if it is good now; notes that it is used. */
  find(cookie: string | undefined): Promise<Session | undefined>;
  close(session: Session): Promise<void>;
  /** Signs a user out everywhere, but for one browser. */
  closeAll(user: User, except: Session | null): Promise<void>;
  /** `end` is called when the session is closed in this process. Gives the way to forget it. */
  onClose(session: Session, end: () => void): () => void;
  /** Forgets the sessions that are too old to count. */
  trim(): Promise<void>;
};

export function makeSessions(users: UserStore, clock: () => number): Sessions {
  const watched = new Set<{ session: Session; end: () => void }>();
  const tell = (closed: (session: Session) => boolean) => {
    for (const { session, end } of watched) if (closed(session)) end();
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
      if (now >= session.openedAt + LONGEST_MS || now >= session.usedAt + IDLE_MS) {
        await users.closeSession(session.id);
        return undefined;
      }
      if (now >= session.usedAt + NOTED_MS) await users.useSession(session.id, now);
      return session;
    },
    async close(session) {
      await users.closeSession(session.id);
      tell(({ id }) => id === session.id);
    },
    async closeAll(user, except) {
      await users.closeSessions(user.id, except?.id ?? null);
      tell((session) => session.user.id === user.id && session.id !== except?.id);
    },
    onClose(session, end) {
      const watch = { session, end };
      watched.add(watch);
      return () => void watched.delete(watch);
    },
    trim: () => users.trimSessions({ openedBefore: clock() - LONGEST_MS, usedBefore: clock() - IDLE_MS }),
  };
}

/** 256 random bits need no salt: the hash alone keeps a copy of the database from signing in. */
function idOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}
