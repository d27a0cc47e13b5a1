/** The lease to deliver: when it expires, ms after its last renewal, another process takes over. */
export const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Whether this process delivers. */
export type Lease =
  /** It does not know, or another one does. */
  | { readonly state: 'none' }
  /** No webhook was enabled at the last poll. Changes are not read, and those of that time are never sent. */
  | { readonly state: 'idle' }
  | {
      readonly state: 'held';
      /** When it expires, Unix ms. */
      readonly until: number;
      /** All changes up to here are queued; null: unknown. */
      readonly cursor: string | null;
      /** The cursor in the database. */
      readonly savedCursor: string | null;
    };

type LeaseInput =
  | { readonly type: 'no-webhooks' }
  /** What the database answered; `held`: the cursor saved there, undefined if another process has the lease. */
  | {
      readonly type: 'answered';
      readonly held: { readonly cursor: string | null } | undefined;
      readonly until: number;
    }
  | { readonly type: 'queued'; readonly cursor: string | null };

/**
 * What to ask the database for: the lease, and with it to save this cursor. Undefined if that can wait: a single process
 * only saves a new cursor.
 */
export function leaseRequest(
  lease: Lease,
  { now, shared }: { readonly now: number; readonly shared: boolean },
): { readonly cursor: string | undefined } | undefined {
  if (lease.state !== 'held') return { cursor: undefined };
  const { until, cursor, savedCursor } = lease;
  const isDue = Math.abs(until - LEASE_MS - now) >= RENEW_MS;
  return isDue && (shared || cursor !== savedCursor) ? { cursor: cursor ?? undefined } : undefined;
}

export function nextLease(lease: Lease, input: LeaseInput): Lease {
  switch (input.type) {
    case 'no-webhooks':
      return { state: 'idle' };
    case 'answered': {
      if (input.held === undefined) return lease.state === 'idle' ? lease : { state: 'none' };
      const cursor = cursorAfter(lease, input.held.cursor);
      return { state: 'held', until: input.until, cursor, savedCursor: cursor };
    }
    case 'queued':
      return lease.state === 'held' ? { ...lease, cursor: input.cursor } : lease;
    default:
      return input satisfies never;
  }
}

function cursorAfter(lease: Lease, saved: string | null): string | null {
  if (lease.state === 'held') return lease.cursor;
  return lease.state === 'idle' ? null : saved;
}
