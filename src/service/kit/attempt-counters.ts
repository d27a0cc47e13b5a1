import { LRUCache } from 'lru-cache';
import { isOpen } from '../rules/time-limit.ts';

/** Attempts count for this long, ms: what users are told when there were too many. */
const WINDOW_MS = 15 * 60_000;
/** Counters in memory; the least recently used ones are dropped. */
const MAX_COUNTERS = 50_000;

/** The attempts of a quarter of an hour that begins with the first. */
export type Counter = { count: number; readonly until: number };

/** Counts attempts by names of whatever makes them. Nobody can reset a counter. Each process counts for itself. */
export function createAttemptCounters() {
  const counters = new LRUCache<string, Counter>({ max: MAX_COUNTERS });
  return {
    /** Counts one attempt under each of these names. Undefined, and nothing is counted: one of them has had `most`. */
    count(limits: readonly (readonly [name: string, most: number])[], now: number): Counter[] | undefined {
      const taken = limits.map(([name, most]) => {
        const known = counters.get(name);
        const isKnown = known !== undefined && isOpen(known.until, WINDOW_MS, now);
        return { name, most, counter: isKnown ? known : { count: 0, until: now + WINDOW_MS } };
      });
      if (taken.some(({ most, counter }) => counter.count >= most)) return undefined;
      for (const { name, counter } of taken) {
        counter.count += 1;
        counters.set(name, counter);
      }
      return taken.map(({ counter }) => counter);
    },
  };
}
