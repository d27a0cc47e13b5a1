import { createHash, randomBytes } from 'node:crypto';
import type { Session, User } from '../accounts/user.ts';
import { isInForce, latestBegin } from '../rules/time-limit.ts';
import type { SessionStore } from './session-store.ts';

/**
 * A session ends after 12 hours without an open page, and after 30 days in any case (NIST SP 800-63B, 2.1.3). An open
 * notification bar counts as use: a screen on the wall stays signed in.
 */
const IDLE_MS = 12 * 3_600_000;
export const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** Characters of a User-Agent that are kept. */
const MAX_BROWSER = 300;
/** The last use is stored at most this often. */
const USE_STORED_MS = 60_000;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: SessionStore, clock: () => number) {
  const listeners = new Set<{ session: Session; end: () => void }>();
  const notify = (closed: (session: Session) => boolean) => {
    for (const { session, end } of [...listeners]) if (closed(session)) end();
  };
  const isOver = ({ openedAt, usedAt }: Pick<Session, 'openedAt' | 'usedAt'>, now: number) =>
    !isInForce(openedAt + MAX_AGE_MS, MAX_AGE_MS, now) || !isInForce(usedAt + IDLE_MS, IDLE_MS, now);
  return {
    /**
     * Signs a browser in; returns the value of its cookie. Undefined if the password, second factor or role of the user has
     * changed since they were read, or a one-time link was made or used. `browser`: its User-Agent.
     */
    async open(
      user: User,
      { address, browser }: { readonly address: string; readonly browser: string },
    ): Promise<string | undefined> {
      const cookie = randomBytes(32).toString('base64url');
      const session = { id: idOf(cookie), user, at: clock(), address };
      return (await store.openSession({ ...session, browser: plain(browser) })) ? cookie : undefined;
    },
    /** The session of a cookie if it is valid now; stores that it is used. */
    async find(cookie: string | undefined): Promise<Session | undefined> {
      if (cookie === undefined || cookie === '') return undefined;
      const session = await store.session(idOf(cookie));
      const now = clock();
      if (session === undefined) return undefined;
      if (isOver(session, now)) {
        await store.expireSession(session.id);
        return undefined;
      }
      if (now >= session.usedAt + USE_STORED_MS) await store.useSession(session.id, now);
      return session;
    },
    async close(session: Pick<Session, 'id'>): Promise<void> {
      await store.closeSession(session.id);
      notify(({ id }) => id === session.id);
    },
    /** Ends all sessions of a user except one. */
    async closeAll(user: User, except: Session | null): Promise<void> {
      await store.closeSessions(user.id, except?.id ?? null);
      notify((session) => session.user.id === user.id && session.id !== except?.id);
    },
    /** Those of a user that are valid now, the last used first. */
    list: async (user: User): Promise<Omit<Session, 'user'>[]> =>
      (await store.sessions(user.id)).filter((session) => !isOver(session, clock())),
    /** Ends what listens to sessions that another process has closed. */
    async endClosed(): Promise<void> {
      const ids = [...new Set([...listeners].map(({ session }) => session.id))];
      if (ids.length === 0) return;
      const open = new Set(await store.openSessions(ids));
      const asked = new Set(ids);
      notify(({ id }) => asked.has(id) && !open.has(id));
    },
    /** Calls `end` when the session is closed in this process, or `endClosed` finds it closed. Returns a function that removes the listener. */
    onClose(session: Session, end: () => void): () => void {
      const listener = { session, end };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Deletes expired sessions. */
    trim(): Promise<void> {
      const now = clock();
      const [openedBefore, usedBefore] = [now - MAX_AGE_MS, now - IDLE_MS];
      return store.trimSessions({ openedBefore, usedBefore, usedAfter: latestBegin(now) });
    },
  };
}

/** A header as text that every database takes. */
const plain = (header: string) => header.slice(0, MAX_BROWSER).replace(/[^ -~]/g, '?');

/** The database stores a hash: a copy of it is no way to sign in. 256 random bits need no salt. */
function idOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}
