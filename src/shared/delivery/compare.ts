import { callStatuses } from '../api/contract/call-status.ts';

/** An event whose receipt the API has confirmed. */
export type Delivered = {
  readonly seq: number;
  readonly callId: string;
  readonly status: string;
  /** Unix ms at which it was confirmed. */
  readonly at: number;
};

/** The statuses in the API's history, by call, and the calls whose history was not read completely. */
export type Recorded = {
  readonly recorded: ReadonlyMap<string, ReadonlySet<string>>;
  readonly unread: ReadonlySet<string>;
};

export type Comparison = {
  readonly there: readonly Delivered[];
  /** Confirmed, and not in the history. Sent again, they move their call forward. */
  readonly missing: readonly Delivered[];
  /** The same, but a later state of the call is there: sent again, they would be discarded, since a call only moves forward. */
  readonly overtaken: readonly Delivered[];
  /** Not found so far, and the history was not read to its end. */
  readonly unread: readonly Delivered[];
};

const inOrder: readonly string[] = callStatuses;

/** Compares what was confirmed with what the API's history has. Each list is in the order in which events were queued. */
export function compare(delivered: readonly Delivered[], { recorded, unread }: Recorded): Comparison {
  const fateOf = ({ callId, status }: Delivered): keyof Comparison => {
    const has = recorded.get(callId);
    if (has?.has(status)) return 'there';
    if (unread.has(callId)) return 'unread';
    const later = inOrder.slice(inOrder.indexOf(status) + 1);
    return later.some((one) => has?.has(one)) ? 'overtaken' : 'missing';
  };
  const sorted = delivered.toSorted((a, b) => a.seq - b.seq);
  return { there: [], missing: [], overtaken: [], unread: [], ...Object.groupBy(sorted, fateOf) };
}

/** A text to look for, and the calls that it finds: the beginning of all their ids. */
export type Search = { readonly term: string; readonly callIds: readonly string[] };

/**
 * Search texts that together find all of these calls, as few as possible, and each at most `most` of them. Ids begin
 * with the second of the call, so calls of one time have the same beginning.
 */
export function searchesFor(callIds: readonly string[], most: number): Search[] {
  const split = (sorted: readonly string[]): Search[] => {
    const first = sorted[0];
    if (first === undefined) return [];
    const term = sharedBeginning(first, sorted.at(-1) as string);
    if (sorted.length <= most) return [{ term, callIds: sorted }];
    return [...Map.groupBy(sorted, (id) => id.slice(0, term.length + 1)).values()].flatMap(split);
  };
  return split([...new Set(callIds)].sort());
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}
