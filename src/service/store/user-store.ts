export type Role = 'administrator' | 'agent';

/** A person who signs in to an account. */
export type User = {
  readonly id: number;
  /** Random; names the user in addresses. */
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  /** The name as it is compared (see users.ts); unique in the whole service. */
  readonly signInName: string;
  readonly role: Role;
  /** As password.ts keeps it; null until one is chosen. */
  readonly password: string | null;
  /** Unix ms. */
  readonly createdAt: number;
};

/** A browser that is signed in. */
export type Session = {
  /** A hash of what the browser holds. */
  readonly id: string;
  readonly user: User;
  /** Unix ms. */
  readonly openedAt: number;
  readonly usedAt: number;
};

export interface UserStore {
  /** Those of an account, by sign-in name. */
  list(account: number): Promise<User[]>;
  find(by: { readonly uid: string } | { readonly signInName: string }): Promise<User | undefined>;
  /** Undefined if somebody has this sign-in name already, in any account. */
  add(user: Omit<User, 'id'>): Promise<User | undefined>;
  /** False, and nothing changed, if somebody else has the sign-in name. A password, or none, ends the user's link. */
  change(
    id: number,
    change: { name?: string; signInName?: string; role?: Role; password?: string | null },
  ): Promise<boolean>;
  /** Counts the user's one-time links up, which ends the one before; gives the new counter. */
  newLink(id: number): Promise<number>;
  /** The user whose one-time link has this counter, once: the link ends. Undefined if it has ended before. */
  useLink(uid: string, counter: number): Promise<User | undefined>;
  /** The user with all that is theirs: sessions. */
  remove(id: number): Promise<void>;
  openSession(session: { id: string; user: number; at: number }): Promise<void>;
  session(id: string): Promise<Session | undefined>;
  /** Moves `usedAt` on. */
  useSession(id: string, at: number): Promise<void>;
  closeSession(id: string): Promise<void>;
  /** All of a user's but one. */
  closeSessions(user: number, except: string | null): Promise<void>;
  /** Forgets what is too old to count. */
  trimSessions(limits: { openedBefore: number; usedBefore: number }): Promise<void>;
}
