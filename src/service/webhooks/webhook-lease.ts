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
      readonly place: string | null;
      /** The place in the database. */
      readonly savedPlace: string | null;
    };

export type LeaseInput =
  | { readonly type: 'no-webhooks' }
  /** What the database answered; `held`: the place saved there, undefined if another process has the lease. */
  | {
      readonly type: 'answered';
      readonly held: { readonly place: string | null } | undefined;
      readonly until: number;
    }
  | { readonly type: 'queued'; readonly place: string | null };

/**
 * What to ask the database for: the lease, and with it to save this place. Undefined if that can wait: a single process
 * only saves a new place.
 */
export function leaseRequest(
  lease: Lease,
  { now, shared }: { readonly now: number; readonly shared: boolean },
): { readonly place: string | undefined } | undefined {
  if (lease.state !== 'held') return { place: undefined };
  const { until, place, savedPlace } = lease;
  const isDue = Math.abs(until - LEASE_MS - now) >= RENEW_MS;
  return isDue && (shared || place !== savedPlace) ? { place: place ?? undefined } : undefined;
}

export function nextLease(lease: Lease, input: LeaseInput): Lease {
  switch (input.type) {
    case 'no-webhooks':
      return { state: 'idle' };
    case 'answered': {
      if (input.held === undefined) return lease.state === 'idle' ? lease : { state: 'none' };
      const place = placeAfter(lease, input.held.place);
      return { state: 'held', until: input.until, place, savedPlace: place };
    }
    case 'queued':
      return lease.state === 'held' ? { ...lease, place: input.place } : lease;
    default:
      return input satisfies never;
  }
}

function placeAfter(lease: Lease, saved: string | null): string | null {
  if (lease.state === 'held') return lease.place;
  return lease.state === 'idle' ? null : saved;
}
