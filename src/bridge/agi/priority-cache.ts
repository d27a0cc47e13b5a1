import { LRUCache } from 'lru-cache';
import type { PriorityAnswer } from './priority-answer.ts';

type Entry = { readonly answer: PriorityAnswer; readonly at: number };

export type PriorityCacheOptions = {
  /** How long a found priority is cached, ms. */
  readonly freshMs: number;
  /** How long it is used while the API fails, ms. */
  readonly staleMs: number;
  /** How long it is cached that a caller has no priority, ms. */
  readonly notFoundMs: number;
  /** Maximum number of cached callers; the least recently used are removed. */
  readonly entries: number;
};

/** The API's answers by number. `now`: ms. */
export function createPriorityCache(
  { freshMs, staleMs, notFoundMs, entries }: PriorityCacheOptions,
  now: () => number,
) {
  const cache = new LRUCache<string, Entry>({ max: entries });
  const isYounger = ({ at }: Entry, ms: number) => now() - at < ms;

  return {
    fresh(number: string): PriorityAnswer | undefined {
      const known = cache.get(number);
      if (known === undefined) return undefined;
      return isYounger(known, known.answer.status === 'FOUND' ? freshMs : notFoundMs)
        ? known.answer
        : undefined;
    },
    /** An older priority is used if the API fails. Older "not found" answers are not. */
    stale(number: string): PriorityAnswer | undefined {
      const known = cache.peek(number);
      return known?.answer.status === 'FOUND' && isYounger(known, staleMs) ? known.answer : undefined;
    },
    set: (number: string, answer: PriorityAnswer): void => void cache.set(number, { answer, at: now() }),
    clear: () => cache.clear(),
  };
}
