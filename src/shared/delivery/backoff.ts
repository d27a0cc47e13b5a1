import { longestWaitMs } from './queue.ts';

const firstCeilingMs = 1_000;

/**
 * How long to wait after the `failures`-th failure in a row (from 1), ms: exponential with full jitter, so that many
 * bridges that failed together do not come back together. `random` returns 0 to 1.
 */
export function backoff(failures: number, random: () => number): number {
  // 2^6 s is over the cap already; larger powers would only overflow.
  const ceiling = Math.min(longestWaitMs, firstCeilingMs * 2 ** Math.min(Math.max(failures, 1) - 1, 6));
  return Math.round(random() * ceiling);
}
