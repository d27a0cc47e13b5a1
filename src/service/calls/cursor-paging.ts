import { monotonicMs } from '../kit/calendar.ts';
import { folded } from '../kit/search-text.ts';
import type { CallRecord } from './call-record.ts';
import type { CallCursor, CallFilter, CallStore } from './call-store.ts';

export type CallSlice = {
  readonly account: number;
  readonly filter: CallFilter;
  /** Those of the customers whom the filter names; null if it names none, or they have too many. */
  readonly numbers: readonly string[] | null;
  readonly towards: 'older' | 'newer';
  readonly from: CallCursor | null;
  /** Most calls to return. */
  readonly limit: number;
};

/**
 * The matching calls among those read, in the direction of paging, and the place of the first of them. `next`: null when
 * no calls are left in that direction.
 */
export type CallHits = {
  readonly calls: CallRecord[];
  readonly first: CallCursor | null;
  readonly next: CallCursor | null;
};

/** How customers are found whose calls are searched (see CustomerStore). */
export type CustomersOfCalls = {
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
const MAX_NUMBERS = 40;

/** Pages of calls, from slices that are each short. */
export function cursorPaging(
  sliceOf: (slice: CallSlice) => Promise<CallHits>,
  customers: CustomersOfCalls,
  clock: () => number = monotonicMs,
): CallStore['page'] {
  return async ({ account, filter, towards, from, limit }) => {
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

async function numbersOf(
  account: number,
  { customer, search }: CallFilter,
  customers: CustomersOfCalls,
): Promise<readonly string[] | null> {
  const few = (numbers: readonly string[]) => (numbers.length > MAX_NUMBERS ? null : numbers);
  if (customer) return few((await customers.get(account, customer.is))?.numbers ?? []);
  if (search === null || search.digits !== null) return null;
  const { words } = search;
  if (words.length === 0) return [];
  const query = { account, words, segment: null, after: null, limit: MAX_NUMBERS };
  const { customers: found, next } = await customers.page(query);
  if (next !== null) return null;
  const named = found.filter(({ name }) => words.every((word) => folded(name).includes(word)));
  return few(named.flatMap(({ numbers }) => numbers));
}
