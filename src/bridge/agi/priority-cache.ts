import { LRUCache } from 'lru-cache';
import type { PriorityAnswer } from './priority-answer.ts';

type Entry = { readonly answer: PriorityAnswer; readonly at: number };

/** A cached answer, and how old it is, ms. */
export type Cached = { readonly answer: PriorityAnswer; readonly ageMs: number };

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
  const cached = (
    known: Entry | undefined,
    maxMs: (answer: PriorityAnswer) => number,
  ): Cached | undefined => {
    if (known === undefined) return undefined;
    const ageMs = now() - known.at;
    return ageMs < maxMs(known.answer) ? { answer: known.answer, ageMs } : undefined;
  };

  return {
    fresh: (number: string) =>
      cached(cache.get(number), ({ status }) => (status === 'FOUND' ? freshMs : notFoundMs)),
    /** An older priority is used if the API fails. Older "not found" answers are not. */
    stale: (number: string) => cached(cache.peek(number), ({ status }) => (status === 'FOUND' ? staleMs : 0)),
    set: (number: string, answer: PriorityAnswer): void => void cache.set(number, { answer, at: now() }),
    clear: () => cache.clear(),
  };
}
