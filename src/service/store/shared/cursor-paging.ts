import type { CallRecord } from '../../calls/call-record.ts';
import { monotonicMs } from '../../upkeep/monotonic-clock.ts';
import type { CallCursor, CallFilter, CallStore } from '../call-store.ts';

export type CallSlice = {
  readonly account: number;
  readonly filter: CallFilter;
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

/** Time limit of one page, ms; then it says how far it searched. */
const TIME_LIMIT_MS = 400;

/** Pages of calls, from slices that are each short. */
export function cursorPaging(
  sliceOf: (slice: CallSlice) => Promise<CallHits>,
  clock: () => number = monotonicMs,
): CallStore['page'] {
  return async ({ account, filter, towards, from, limit }) => {
    const calls: CallRecord[] = [];
    let first: CallCursor | null = null;
    let next = from;
    const began = clock();
    do {
      const hits = await sliceOf({ account, filter, towards, from: next, limit: limit - calls.length });
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
