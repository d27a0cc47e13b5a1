export type Role = 'administrator' | 'agent';

/** A person who signs in to an account. */
export type User = {
  readonly id: number;
  /** Random; names the user in addresses. */
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  /** The name as it is compared (see users.ts); unique in its account. */
  readonly signInName: string;
  readonly role: Role;
  /** Of the pages, such as `de`; '' for the browser's. */
  readonly language: string;
  /** As password.ts keeps it; null until one is chosen. */
  readonly password: string | null;
  /** What the secret of the second factor is derived from (see second-factor.ts); null: off. */
  readonly secondFactor: string | null;
  /** Raised by each change of the password, each new one-time link and its use: what was checked before is not valid any more. */
  readonly linkCounter: number;
  /** Unix ms. */
  readonly createdAt: number;
  /** Which calls the bar shows, as barChoiceText keeps it; null: all. */
  readonly bar: string | null;
};

/** A browser that is signed in. */
export type Session = {
  /** A hash of what the browser holds. */
  readonly id: string;
  readonly user: User;
  /** Unix ms. */
  readonly openedAt: number;
  readonly usedAt: number;
  /** Where it signed in from, and what the browser called itself (User-Agent). */
  readonly address: string;
  readonly browser: string;
};
