import type { CallRecord } from '../../calls/call-record.ts';
import { steadyMs } from '../../upkeep/steady-clock.ts';
import type { CallCursor, CallFilter, CallStore } from '../call-store.ts';

export type CallSlice = {
  readonly account: number;
  readonly filter: CallFilter;
  readonly towards: 'older' | 'newer';
  readonly from: CallCursor | null;
  /** Calls to give, at most. */
  readonly limit: number;
};

/**
 * The calls that match among those looked at, in the direction gone, and the place of the first of them. `next`: null
 * when there is nothing beyond the calls looked at.
 */
export type CallHits = {
  readonly calls: CallRecord[];
  readonly first: CallCursor | null;
  readonly next: CallCursor | null;
};

/** How long one page is looked for, ms: then it says how far it came. */
const PATIENCE_MS = 400;

/** Pages of calls, from slices that are each short. */
export function cursorPaging(
  sliceOf: (slice: CallSlice) => Promise<CallHits>,
  clock: () => number = steadyMs,
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
    } while (next !== null && calls.length < limit && clock() - began < PATIENCE_MS);
    return {
      calls: towards === 'older' ? calls : calls.reverse(),
      next,
      back: from === null ? null : (first ?? from),
    };
  };
}
