import type { CallStatus } from '../../api/contract/call-event.ts';
import type { CallRecord } from '../calls/call-record.ts';

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
   * and how many match in all: null if a text is found after the page, too, and how often would take long to count.
   * Where no index finds a text, all are read: that ends, and rejects, with `signal`.
   */
  page(query: {
    account: number;
    search: HistorySearch | null;
    order: HistoryOrder;
    offset: number;
    limit: number;
    signal?: AbortSignal;
  }): Promise<{ count: number; chunks: AsyncIterable<StoredRequest[]>; total: number | null }>;
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
   * Does what lets a text search read less than everything, for what was recorded up to ten minutes before `now` (Unix ms);
   * gives for how many entries. Searches find the same without it, but for an entry that is recorded later than that:
   * its text is found when its day is over.
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
