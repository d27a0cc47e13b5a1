import type { Rang, Talked } from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { CallExtras, CallRecord, EventEffect, PastTimes } from '../calls/call-record.ts';
import type { Span } from '../kit/calendar.ts';

/** A call event that passed the contract; `number` is `from` as numbers are compared. */
export type AcceptedEvent = {
  readonly id: string;
  readonly status: CallStatus;
  readonly from: string;
  readonly number: string;
  readonly callerId: string | null;
  /** Absent: none, or not readable. */
  readonly extras?: CallExtras | undefined;
  readonly rang?: readonly Rang[] | undefined;
  readonly talked?: readonly Talked[] | undefined;
  /** Set if it closes a call whose end never came: the only status that it is closed from. Its integration sent nothing. */
  readonly closes?: CallStatus | undefined;
  /** Set for a call of the past: history, of which nobody is told. */
  readonly past?: PastTimes | undefined;
};

/** An authenticated request: what the history keeps of it, and the event it brought, if it brought one. */
export type RecordedRequest = {
  readonly account: number;
  readonly integration: number;
  /** Unix ms, when the request came. */
  readonly at: number;
  /** The same moment by the monotonic clock (preciseMs): the store computes the duration from it. */
  readonly began: number;
  readonly method: string;
  readonly path: string;
  /** The payload as received; bytes if they are no valid UTF-8. */
  readonly request: string | Uint8Array;
  readonly status: number;
  /** The JSON text given; null if it is not kept. */
  readonly response: string | null;
  /**
   * The `id` and the caller's number in the payload, without NUL, also if the request is refused: searches of the
   * history use them.
   */
  readonly callId: string | null;
  readonly fromNumber: string | null;
  readonly event: AcceptedEvent | null;
};

export type StoredRequest = Omit<RecordedRequest, 'account' | 'began' | 'event' | 'callId' | 'fromNumber'> & {
  readonly id: number;
  /** Of its event; null without one. */
  readonly effect: EventEffect | null;
  /** ms from the coming of the request to the writing of the entry. */
  readonly duration: number;
};

/**
 * Entries whose text holds the term, as it is or percent-encoded. A request that names the term as its call or its
 * caller's number is found even if its text has it in another form (`\u00e9` in JSON).
 */
export type TextSearch = { readonly in: 'request' | 'response'; readonly term: string };

/**
 * `call`, `number`: the requests that name this call, or this caller's number, and nothing else. `forms`: further ways in
 * which the number is written, at most MAX_FORMS.
 */
export type HistorySearch =
  | TextSearch
  | { readonly in: 'call'; readonly term: string }
  | { readonly in: 'number'; readonly term: string; readonly forms?: readonly string[] };

export const MAX_FORMS = 12;

/** Entries of one integration, or with one outcome; null: of all. */
export type HistoryFilter = {
  readonly integration: number | null;
  readonly outcome: HistoryOutcome | null;
};
export const historyOutcomes = ['accepted', 'refused', 'discarded'] as const;
type HistoryOutcome = (typeof historyOutcomes)[number];

export type HistoryOrder = 'oldest' | 'newest';

/** A place in the history: everything up to and with this entry has been read. */
export type HistoryCursor = { readonly at: number; readonly id: number };

/**
 * The place of a text search: everything up to and with `searched` has been read. Beyond it, an index has found entries
 * that were returned already, up to and with `given`.
 */
export type SearchPlace = { readonly searched: HistoryCursor; readonly given: HistoryCursor | null };

/** What a request did. */
export type Recorded = {
  /** Whether its event moved its call. */
  readonly moved: boolean;
  /** That call, if it is watched. */
  readonly call?: CallRecord | undefined;
};

export interface RequestStore {
  /**
   * Records a request and, in the same transaction, what its event does: the call moves forward and the report figures
   * follow. Unless it is `watched` (default: it is), the call may be left out of the result, since to copy it from the
   * thread of SQLite is a tenth of the work. A request without an event can wait: it is written with the next event, or
   * after some milliseconds, since a commit costs more than a lookup.
   */
  record(request: RecordedRequest, watched?: boolean): Promise<Recorded>;
  /** Entries `offset` to `offset + limit`: their number, the entries in chunks as for `all`, and the total. */
  page(query: {
    account: number;
    order: HistoryOrder;
    offset: number;
    limit: number;
  }): Promise<{ count: number; chunks: AsyncIterable<StoredRequest[]>; total: number }>;
  /**
   * Entries `offset` to `offset + limit` of the matches, from a place on (null: from the first). Texts are read for a
   * limited time; entries that an index finds beyond that are returned too. So there may be fewer than `limit`, even
   * none: `next` is where to continue, null at the end. Each page is in order, and all pages together give every match
   * once. `passed`: `count` plus the matches that the offset has skipped. Ends, and rejects, with `signal`.
   */
  textPage(query: {
    account: number;
    search: TextSearch;
    order: HistoryOrder;
    from: SearchPlace | null;
    offset: number;
    limit: number;
    signal?: AbortSignal;
  }): Promise<{
    count: number;
    passed: number;
    chunks: AsyncIterable<StoredRequest[]>;
    next: SearchPlace | null;
  }>;
  /**
   * All matches recorded before the first chunk was requested, in chunks. Memory is bounded, however long the history
   * is and however slowly it is read.
   */
  all(query: {
    account: number;
    search: HistorySearch | null;
    order: HistoryOrder;
    signal?: AbortSignal;
  }): AsyncIterable<StoredRequest[]>;
  /**
   * The next matches, from `after` on (null: from the first), at most `limit`. It stops after a time limit, so there
   * may be fewer than `limit`, even none: `next` is where to continue, null at the end.
   */
  search(query: {
    account: number;
    search: HistorySearch | null;
    filter?: HistoryFilter | null;
    order: HistoryOrder;
    after: HistoryCursor | null;
    limit: number;
  }): Promise<{ entries: StoredRequest[]; next: HistoryCursor | null }>;
  /** Replaces the texts of an entry, which is found by its number no more. */
  mask(
    account: number,
    place: HistoryCursor,
    texts: { readonly path: string; readonly request: string; readonly response: string | null },
  ): Promise<void>;
  /** The use of an account's integrations; those without requests are left out. */
  use(account: number, since: number): Promise<IntegrationUse[]>;
  /** The requests of an integration in each of these spans, in whole quarters of an hour. */
  usedIn(integration: number, spans: readonly Span[]): Promise<number[]>;
  /** Deletes what is older than `before` (Unix ms) and beyond the newest `keep` of each account; returns how many. */
  trim(limits: { before?: number; keep?: number }): Promise<number>;
  /** Deletes what is older than `before` (Unix ms) of an account; returns how many. */
  trimAccount(account: number, before: number): Promise<number>;
}

export type IntegrationUse = {
  readonly integration: number;
  /** When its newest request came, Unix ms. */
  readonly lastAt: number;
  /** Recorded since then, to a quarter of an hour (in which every time zone's day begins). */
  readonly requests: number;
};
