import type { Attempt } from '../outbox/tables/history.ts';

/** One attempt to deliver, in words: `HTTP 200 in 12 ms`, `no answer in time, after 10000 ms`. */
export function attemptText({ outcome, httpStatus, error, durationMs }: Attempt): string {
  const took = `${Math.round(durationMs)} ms`;
  if (outcome === 'delivered' && error !== undefined) return `not sent: ${error}`;
  if (outcome === 'delivered') return `delivered: HTTP ${httpStatus ?? '?'} in ${took}`;
  const given = outcome === 'dead' ? 'given up' : 'failed';
  return `${given}: ${error ?? 'no reason was kept'} (after ${took})`;
}
