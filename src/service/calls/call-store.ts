import type { CallNow } from '../../shared/api/contract/bridge-calls.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import { hasWords } from '../kit/search-text.ts';
import type { CallFilter } from './call-conditions.ts';
import type { callReader } from './call-reader.ts';
import type { CallRecord } from './call-record.ts';
import type { callRemoval } from './call-removal.ts';
import type { CallCursor, CallHits, CallSlice } from './call-slices.ts';

/** News for screens besides the calls that this process moves. On SQLite there is no other process. */
export interface CallFeed {
  /**
   * Calls `on.moved` with the current state of each call in the accounts of `watched()` soon after it moved. A call may
   * come more than once, may have been moved by this process, and may come later than its own report.
   * `missed`: others may have moved; read the open calls again. `directory`: accounts or integrations changed.
   * `calledBack`: a user did something about a missed caller of the account, or a number was forgotten. `customers`: those
   * of the account have changed, in this process or in another. `who`: another process was told who rings and talks now;
   * it may be lost.
   * Returns a function that stops it.
   */
  follow(
    watched: () => readonly number[],
    on: {
      moved(account: number, call: CallRecord): void;
      missed(): void;
      directory(): void;
      calledBack(account: number): void;
      customers(account: number): void;
      who(account: number, calls: readonly CallNow[]): void;
    },
  ): () => void;
  /** Tells the other processes who rings and talks now in calls of the account. */
  tellWho(account: number, calls: readonly CallNow[]): Promise<unknown>;
}

export const noFilter: CallFilter = {
  segment: null,
  integration: null,
  search: null,
  number: null,
  customer: null,
  extensions: null,
  numberCalled: null,
  place: null,
  outcome: null,
  since: null,
  until: null,
  updatedSince: null,
};

type CallPage = {
  readonly calls: CallRecord[];
  readonly next: CallCursor | null;
  readonly back: CallCursor | null;
};

/** How customers are found whose calls are searched (see CustomerStore). */
type CustomersOfCalls = {
  get(account: number, reference: string): Promise<{ readonly numbers: readonly string[] } | undefined>;
  page(query: {
    account: number;
    words: readonly string[];
    segment: null;
    after: null;
    limit: number;
  }): Promise<{
    readonly customers: readonly { readonly name: string; readonly numbers: readonly string[] }[];
    readonly next: unknown;
  }>;
};

/** Time limit of one page, ms; then it says how far it searched. */
const TIME_LIMIT_MS = 400;
/**
 * Customers, and numbers of them, whose calls are found number by number. With more, the calls of a name are found by
 * reading all, newest first: then the next one is near.
 */
const FEW_NUMBERS = 40;

/** Pages of calls, from slices that are each short. */
export function cursorPaging(
  sliceOf: (slice: CallSlice) => Promise<CallHits>,
  customers: CustomersOfCalls,
  clock: () => number = monotonicMs,
) {
  /**
   * The next matching calls, at most `limit`, newest first in both directions: from `from` on (null: from the end in
   * that direction), without `from` itself. It stops after a time limit, so there may be fewer than `limit`, even none.
   * `next`: where to continue in the same direction, null at the end. `back`: where the returned calls begin in the
   * other direction, null if there are none.
   */
  return async ({ account, filter, towards, from, limit }: Omit<CallSlice, 'numbers'>): Promise<CallPage> => {
    const calls: CallRecord[] = [];
    let first: CallCursor | null = null;
    let next = from;
    const began = clock();
    const numbers = await numbersOf(account, filter, customers);
    do {
      const hits = await sliceOf({
        account,
        filter,
        numbers,
        towards,
        from: next,
        limit: limit - calls.length,
      });
      calls.push(...hits.calls);
      first ??= hits.first;
      next = hits.next;
    } while (next !== null && calls.length < limit && clock() - began < TIME_LIMIT_MS);
    return {
      calls: towards === 'older' ? calls : calls.reverse(),
      next,
      back: from === null ? null : (first ?? from),
    };
  };
}

export type CallStore = Omit<ReturnType<typeof callReader>, 'open'> &
  ReturnType<typeof callRemoval> & { readonly page: ReturnType<typeof cursorPaging> };

/** The newest calls that match, newest first. */
export const newestCalls = async (
  { page }: CallStore,
  account: number,
  filter: Partial<CallFilter>,
  limit: number,
): Promise<readonly CallRecord[]> =>
  (await page({ account, filter: { ...noFilter, ...filter }, towards: 'older', from: null, limit })).calls;

async function numbersOf(
  account: number,
  { customer, search }: CallFilter,
  customers: CustomersOfCalls,
): Promise<readonly string[] | null> {
  const few = (numbers: readonly string[]) => (numbers.length > FEW_NUMBERS ? null : numbers);
  if (customer) return few((await customers.get(account, customer.is))?.numbers ?? []);
  if (search === null || search.digits !== null) return null;
  const { words } = search;
  if (words.length === 0) return [];
  const query = { account, words, segment: null, after: null, limit: FEW_NUMBERS };
  const { customers: found, next } = await customers.page(query);
  if (next !== null) return null;
  const named = found.filter(({ name }) => hasWords(name, words));
  return few(named.flatMap(({ numbers }) => numbers));
}
