import type { Attempt } from '../../bridge/outbox/tables/history.ts';

/** Describes a delivery attempt: `delivered: HTTP 200 in 12 ms`, `failed: no answer in time (after 10000 ms)`. */
export function attemptText({ outcome, httpStatus, error, durationMs }: Attempt): string {
  const took = `${Math.round(durationMs)} ms`;
  if (outcome === 'delivered' && error !== undefined) return `not sent: ${error}`;
  if (outcome === 'delivered') return `delivered: HTTP ${httpStatus ?? '?'} in ${took}`;
  const failure = outcome === 'dead' ? 'rejected' : 'failed';
  return `${failure}: ${error ?? 'unknown reason'} (after ${took})`;
}
