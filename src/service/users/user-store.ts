import type { Role, Session, User } from '../accounts/user.ts';
export interface UserStore {
  /** Those of an account, by sign-in name. */
  list(account: number): Promise<User[]>;
  /** By sign-in name: the one of that account if there is one, else the oldest of all. */
  find(
    by: { readonly uid: string } | { readonly signInName: string; readonly account: number | null },
  ): Promise<User | undefined>;
  /** Undefined if somebody in the account has this sign-in name already. */
  add(user: Omit<User, 'id' | 'secondFactor' | 'language' | 'bar'>): Promise<User | undefined>;
  /**
   * False, and nothing changed, if another user has the sign-in name. A new password, or none, ends the user's link.
   */
  change(
    id: number,
    change: { name?: string; signInName?: string; language?: string; password?: string | null },
  ): Promise<boolean>;
  setBar(id: number, bar: string | null): Promise<void>;
  /** False, and nothing changed, if it is the account's last administrator. */
  setRole(id: number, role: Role): Promise<boolean>;
  /** Switches the second factor on with new recovery codes (hashes), or off with null. */
  setSecondFactor(id: number, secondFactor: string | null, codes: readonly string[]): Promise<void>;
  /** Uses up the codes of a time step and all before; false if that was done already. */
  useCodeStep(id: number, step: number): Promise<boolean>;
  /** Uses a recovery code up; false if the user has none with this hash. */
  useRecoveryCode(id: number, hash: string): Promise<boolean>;
  /** Increments the user's link counter, which ends earlier links; returns the new counter. */
  newLink(id: number): Promise<number>;
  /** The user whose one-time link has this counter, once: the link ends. Undefined if it has ended before. */
  useLink(uid: string, counter: number): Promise<User | undefined>;
  /** The user with all that is theirs: sessions. False as for `setRole`. */
  remove(id: number): Promise<boolean>;
  openSession(session: {
    id: string;
    user: number;
    at: number;
    address: string;
    browser: string;
  }): Promise<void>;
  session(id: string): Promise<Session | undefined>;
  /** A user's, the last used first. */
  sessions(user: number): Promise<Omit<Session, 'user'>[]>;
  /** Those of these sessions that have not been closed. */
  openSessions(ids: readonly string[]): Promise<string[]>;
  /** Moves `usedAt` on. */
  useSession(id: string, at: number): Promise<void>;
  closeSession(id: string): Promise<void>;
  /** All of a user's but one. */
  closeSessions(user: number, except: string | null): Promise<void>;
  /** Deletes attempts that are too old to count. */
  trimSessions(limits: { openedBefore: number; usedBefore: number }): Promise<void>;
}
