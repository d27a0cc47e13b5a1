import type { CallStatus } from '../../api/contract/call-event.ts';
import type { CallRecord } from '../call-record.ts';
import type { Span, SpanFigures } from '../reports/tally.ts';

/**
 * What the service needs of its storage. SQLite implements it here; a second engine stands beside it and runs the
 * same conformance suite. Times of day are Unix milliseconds and are passed in.
 * A promise that resolves means: on disk. One that rejects means: not stored (a full disk, a closed store).
 */
export interface Store {
  readonly requests: RequestStore;
  readonly calls: CallStore;
  readonly reports: ReportStore;
  readonly directory: DirectoryStore;
  readonly customers: CustomerStore;
  readonly users: UserStore;
  /** The newest `max` calls of an account that are not completed, oldest first; after all that `record` was given. */
  openCalls(account: number, max: number): Promise<CallRecord[]>;
  /** The newest `max` missed calls of an account that ended at `since` or later, oldest first. */
  missedCalls(account: number, since: number, max: number): Promise<CallRecord[]>;
  /** Marks a one-time link as used; false if it was used before. It is forgotten after `until` (Unix ms). */
  useLink(link: string, until: number, now: number): Promise<boolean>;
  readonly elsewhere: CallFeed;
  /** Does something that only one process on this database does at a time, such as making the first account. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  about(): Promise<StoreAbout>;
  close(): Promise<void>;
}

/** What an operator must know of the storage under the service. */
export type StoreAbout = {
  /** Such as `PostgreSQL 15.18`. */
  readonly engine: string;
  /** What an acknowledged event survives, in words that follow "an acknowledged event is". */
  readonly survives: string;
  /** False if an acknowledged event can be lost without the loss of a disk. */
  readonly safe: boolean;
};

/** The storage cannot be asked now: a database out of reach, or one that does not answer in time. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The calls that other processes on the same database move. On an engine for one process there are none. */
export interface CallFeed {
  /**
   * Tells how the calls of the accounts in `watched()` are now, each soon after it moved: some more than once, some
   * that this process moved itself, and all of them perhaps later than this process's own news of them.
   * `missed`: there may have been others; read the open calls again. `directory`: accounts or integrations changed.
   * `dismissed`: a user took missed calls off the bar; of this, some may never be told.
   * Gives the way to stop.
   */
  follow(
    watched: () => readonly number[],
    told: {
      moved(account: number, call: CallRecord): void;
      missed(): void;
      directory(): void;
      dismissed(account: number, user: number, calls: readonly string[]): void;
    },
  ): () => void;
}

/** A call event that passed the contract; `country` is the one that its number is read in (see number.ts). */
export type AcceptedEvent = {
  readonly id: string;
  readonly status: CallStatus;
  readonly from: string;
  readonly country: string | null;
  readonly callerId: string | null;
};

/** An authenticated request: what the history keeps of it, and the event it brought, if it brought one. */
export type RecordedRequest = {
  readonly account: number;
  readonly integration: number;
  /** Unix ms, when the request came. */
  readonly at: number;
  /** The same moment by the steady clock (steady-clock.ts): the store tells the duration by it. */
  readonly began: number;
  readonly method: string;
  readonly path: string;
  /** The payload as received; bytes if they are no valid UTF-8. */
  readonly request: string | Uint8Array;
  readonly status: number;
  /** The JSON text given; null if it is not kept. */
  readonly response: string | null;
  /** The `id` that the payload names, accepted or not: the history is searched by it. */
  readonly callId: string | null;
  readonly event: AcceptedEvent | null;
  /** Somebody looks at the account's calls: give the call back if it moves. */
  readonly watched: boolean;
};

export type StoredRequest = Omit<RecordedRequest, 'account' | 'began' | 'event' | 'callId' | 'watched'> & {
  readonly id: number;
  /** ms from the coming of the request to the writing of the entry. */
  readonly duration: number;
};

export type TextSearch = { readonly in: 'request' | 'response'; readonly term: string };
/** `call`: the events of the call with this id, and nothing else. */
export type HistorySearch = TextSearch | { readonly in: 'call'; readonly term: string };
export type HistoryOrder = 'oldest' | 'newest';

/** A place in the history: everything up to and with this entry has been read. */
export type HistoryCursor = { readonly at: number; readonly id: number };

export interface RequestStore {
  /**
   * Records a request and, in the same transaction, what its event does: the call and its activity record move
   * forward and the report figures follow. Gives the call if it moved and is watched.
   */
  record(request: RecordedRequest): Promise<CallRecord | undefined>;
  /**
   * Entries `offset` to `offset + limit` of those that match: how many those are, the entries in chunks, as for `all`,
   * and how many match in all. Where no index finds a text, all are read: that ends, and rejects, with `signal`.
   */
  page(query: {
    account: number;
    search: HistorySearch | null;
    order: HistoryOrder;
    offset: number;
    limit: number;
    signal?: AbortSignal;
  }): Promise<{ count: number; chunks: AsyncIterable<StoredRequest[]>; total: number }>;
  /**
   * All that match and were recorded before the first chunk was asked for, in chunks: read with bounded memory
   * however long the history and however slow the reader.
   */
  all(query: {
    account: number;
    search: HistorySearch | null;
    order: HistoryOrder;
    signal?: AbortSignal;
  }): AsyncIterable<StoredRequest[]>;
  /**
   * The next entries that match, from `after` on (null: from the first), at most `limit` of them. It gives up looking
   * after a while, so there may be fewer than `limit`, even none: `next` is where to go on, null at the end.
   */
  search(query: {
    account: number;
    search: HistorySearch | null;
    order: HistoryOrder;
    after: HistoryCursor | null;
    limit: number;
  }): Promise<{ entries: StoredRequest[]; next: HistoryCursor | null }>;
  /** How each of an account's integrations is used; those that never were are left out. */
  use(account: number, since: number): Promise<IntegrationUse[]>;
  /**
   * Does what lets a text search read less than everything, for what was recorded up to an hour before `now` (Unix ms);
   * gives for how many entries. Searches find the same without it.
   */
  digest(now: number): Promise<number>;
  /** Deletes what is older than `before` (Unix ms) and beyond the newest `keep` of each account; gives how many. */
  trim(limits: { before?: number; keep?: number }): Promise<number>;
}

export type IntegrationUse = {
  readonly integration: number;
  /** When its newest request came, Unix ms. */
  readonly lastAt: number;
  /** Recorded since then, to a quarter of an hour (in which every time zone's day begins). */
  readonly requests: number;
};

/** Which calls; null: whatever it is. Times are of the call's start: from `since` until before `until`, Unix ms. */
export type CallFilter = {
  /** `is`: the number as numbers are compared; `has`: digits in it. */
  readonly number: { readonly is: string } | { readonly has: string } | null;
  /** `is`: the reference; `has`: a part of the name, in upper or lower case. */
  readonly customer: { readonly is: string } | { readonly has: string } | null;
  readonly extension: string | null;
  /** `open`: not over yet, answered or not; `answered` and `missed` as reports count them. */
  readonly outcome: 'open' | 'answered' | 'missed' | null;
  readonly since: number | null;
  readonly until: number | null;
};

/** A place among an account's calls, which are in the order of their start. */
export type CallCursor = { readonly at: number; readonly id: number };

export interface CallStore {
  get(account: number, id: string): Promise<CallRecord | undefined>;
  /**
   * The next calls that match, at most `limit`, newest first whichever way is gone: from `from` on (null: from the end
   * that lies there), `from` itself left out. It gives up looking after a while, so there may be fewer than
   * `limit`, even none: `next` is where to go on in the same direction, null at the end; `back` is where the calls
   * that were passed begin in the other direction, null if there are none.
   */
  page(query: {
    account: number;
    filter: CallFilter;
    towards: 'older' | 'newer';
    from: CallCursor | null;
    limit: number;
  }): Promise<{ calls: CallRecord[]; next: CallCursor | null; back: CallCursor | null }>;
}

export interface ReportStore {
  /**
   * What the calls that began in each of the spans come to, in the order of the spans. What a span came to is kept,
   * and counted anew only after one of its calls has moved.
   */
  figures(account: number, spans: readonly Span[]): AsyncIterable<SpanFigures>;
}

export type Account = {
  readonly id: number;
  /** Random; names the account outside of this database. */
  readonly uid: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: how numbers without a country code are read. Null: none. */
  readonly country: string | null;
  /** IANA name of the zone that its people read times in. Null: that of the machine. */
  readonly timeZone: string | null;
  /** Raised to make the administration token a new one. */
  readonly tokenCounter: number;
};

export type Integration = {
  readonly id: number;
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  readonly tokenCounter: number;
  readonly enabled: boolean;
  /** Unix ms. */
  readonly createdAt: number;
};

export type Directory = { readonly accounts: Account[]; readonly integrations: Integration[] };

/** Accounts and integrations: few, read often, changed by people (also by another process: the command line). */
export interface DirectoryStore {
  /** Everything, if it changed since `version`. */
  read(version: number): Promise<{ version: number; directory: Directory } | undefined>;
  addAccount(account: { uid: string; name: string; country: string | null }): Promise<Account>;
  changeAccount(
    id: number,
    change: { name?: string; country?: string | null; timeZone?: string | null; rotate?: true },
  ): Promise<void>;
  addIntegration(integration: {
    uid: string;
    account: number;
    name: string;
    createdAt: number;
  }): Promise<Integration>;
  changeIntegration(id: number, change: { name?: string; enabled?: boolean; rotate?: true }): Promise<void>;
}

export type Segment = { readonly name: string; readonly priority: number };

/** A customer; `reference` is the account's own key for it, `numbers` are in the form in which they are compared. */
export type Customer = {
  readonly reference: string;
  readonly name: string;
  readonly segment: string | null;
  readonly numbers: readonly string[];
};

export type CustomerRefusal =
  | { readonly reason: 'no-such-segment'; readonly segment: string }
  | { readonly reason: 'number-taken'; readonly number: string; readonly by: string };

/** A place in the list of customers, which is by the text that they are found by (see customer-search.ts). */
export type CustomerCursor = { readonly text: string; readonly reference: string };

export interface CustomerStore {
  /** The segment of the customer with this number; undefined without a customer or a segment. */
  segmentOf(account: number, number: string): Promise<Segment | undefined>;
  /** Adds or replaces customers by reference, each for itself: a refusal, or null, in the order given. */
  put(account: number, customers: readonly Customer[]): Promise<(CustomerRefusal | null)[]>;
  /** False if there is none. */
  remove(account: number, reference: string): Promise<boolean>;
  get(account: number, reference: string): Promise<Customer | undefined>;
  /** The next `limit` after a place in the list (null: from its start) whose text holds all of the words. */
  page(query: {
    account: number;
    /** See customer-search.ts. */
    words: readonly string[];
    segment: string | null;
    after: CustomerCursor | null;
    limit: number;
  }): Promise<{ customers: Customer[]; next: CustomerCursor | null }>;
  /** All of an account, by reference, in chunks. */
  all(account: number): AsyncIterable<Customer[]>;
  segments(account: number): Promise<Segment[]>;
  putSegment(account: number, segment: Segment): Promise<void>;
  /** Its customers stay, without a segment. False if there is none. */
  removeSegment(account: number, name: string): Promise<boolean>;
}

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
  /** False, and nothing changed, if somebody else has the sign-in name. */
  change(
    id: number,
    change: { name?: string; signInName?: string; role?: Role; password?: string | null },
  ): Promise<boolean>;
  /** The user with all that is theirs: sessions, dismissed calls. */
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
  /** Takes missed calls off a user's bar; this is forgotten after `until` (Unix ms). */
  dismiss(user: number, calls: readonly string[], until: number, now: number): Promise<void>;
  /** The ids of the calls that a user has dismissed. */
  dismissed(user: number): Promise<string[]>;
}
