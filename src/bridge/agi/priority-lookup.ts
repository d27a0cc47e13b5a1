import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import { failed, type PriorityAnswer, timedOut } from './priority-answer.ts';
import type { LookupResult } from './read-priority.ts';

export type PriorityLookupOptions = {
  /** How long a request may wait for its start, ms: as long as a caller waits for the answer. */
  readonly maxWaitMs: number;
  /** Maximum number of simultaneous requests. */
  readonly concurrency?: number;
  /** How long a found priority is cached, ms. */
  readonly freshMs?: number;
  /** How long it is used while the API fails, ms. */
  readonly staleMs?: number;
  /** How long it is cached that a caller has no priority, ms. */
  readonly notFoundMs?: number;
  /** Maximum number of cached callers; the least recently used are removed. */
  readonly entries?: number;
};

/** Enough for every call of an office to ask at once, few enough for an API that serves others as well. */
export const lookupsAtOnce = 8;

const defaults = {
  concurrency: lookupsAtOnce,
  // A caller who is put through twice is asked about once; a changed priority counts a minute later.
  freshMs: 60_000,
  // Yesterday's priority is better than none.
  staleMs: 86_400_000,
  // A customer who was just entered counts with the next call.
  notFoundMs: 30_000,
  // Some megabytes: the callers of many days.
  entries: 10_000,
};

/** Maximum number of waiting requests; with more, every answer would be late. */
const MAX_WAITING = { urgent: 5_000, prefetch: 200 };

const tooMany: LookupResult = { ...failed, reason: 'too many lookups are waiting for the API' };

type RunningRequest = { readonly answer: Promise<PriorityAnswer>; readonly raise: () => void };
type CacheEntry = { readonly answer: PriorityAnswer; readonly at: number };

export function createPriorityLookup(
  options: PriorityLookupOptions,
  tools: {
    /** Requests a priority from the API; never rejects. */
    request: (number: string) => Promise<LookupResult>;
    clock: Clock;
    log: Log;
  },
) {
  const { clock, log } = tools;
  const { maxWaitMs, concurrency, freshMs, staleMs, notFoundMs, entries } = { ...defaults, ...options };
  const cache = new LRUCache<string, CacheEntry>({ max: entries });
  const limiter = createRequestLimiter({ concurrency, maxWaitMs, maxWaiting: MAX_WAITING }, clock);
  let running = new Map<string, RunningRequest>();
  const logFailure = oncePerMinute(clock.now);
  const logLate = oncePerMinute(clock.now);

  const ageOf = ({ at }: CacheEntry) => clock.now() - at;

  function fresh(number: string): PriorityAnswer | undefined {
    const known = cache.get(number);
    if (known === undefined) return undefined;
    const keepMs = known.answer.status === 'FOUND' ? freshMs : notFoundMs;
    return ageOf(known) < keepMs ? known.answer : undefined;
  }

  /** An older priority is used if the API fails. Older "not found" answers are not. */
  function stale(number: string): PriorityAnswer | undefined {
    const known = cache.peek(number);
    return known?.answer.status === 'FOUND' && ageOf(known) < staleMs ? known.answer : undefined;
  }

  /** Shares one request among all lookups of a number. */
  function fetch(number: string, urgent: boolean): Promise<PriorityAnswer> {
    const there = running.get(number);
    if (there !== undefined) {
      if (urgent) there.raise();
      return there.answer;
    }
    const startedIn = running;
    const { result, raise } = limiter.run(urgent, () => tools.request(number));
    const answer = result.then((response) => {
      startedIn.delete(number);
      return store(number, response, startedIn === running);
    });
    running.set(number, { answer, raise });
    return answer;
  }

  function store(number: string, result: LookupResult | undefined, isCurrent: boolean): PriorityAnswer {
    const { reason, ...answer } = result ?? tooMany;
    if (reason !== undefined) {
      logFailure((more) => log.say('agi.lookup-failed', { number, reason, more }));
      return stale(number) ?? answer;
    }
    if (isCurrent) cache.set(number, { answer, at: clock.now() });
    return answer;
  }

  function fetchWithin(number: string, waitMs: number): Promise<PriorityAnswer> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(() => {
        logLate((more) => log.say('agi.lookup-late', { number, waited: Math.round(waitMs), more }));
        resolve(stale(number) ?? timedOut);
      }, waitMs);
      void fetch(number, true).then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }

  return {
    /**
     * Returns the cached answer, or a promise that never rejects: of the API's answer if that comes within `waitMs`, else of
     * an older cached priority, else of a time-out or error. Without time left, no request is made.
     */
    get: (number: string, waitMs: number): PriorityAnswer | Promise<PriorityAnswer> =>
      fresh(number) ?? (waitMs > 0 ? fetchWithin(number, waitMs) : (stale(number) ?? timedOut)),
    /** Requests the priority in advance, with lower precedence than `get`. */
    prefetch(number: string) {
      if (fresh(number) === undefined) void fetch(number, false);
    },
    /** Empties the cache. Results of running requests are not cached either. */
    clear() {
      cache.clear();
      running = new Map();
    },
  };
}

/**
 * Limits the number of simultaneous requests. Urgent ones, for which a caller waits, go first, in the order in which
 * they came.
 */
type RequestLimiter = {
  run<T>(urgent: boolean, request: () => Promise<T>): LimitedRequest<T>;
};

type LimitedRequest<T> = {
  /** Undefined if no request was made: its turn came too late, or too many wait already. */
  readonly result: Promise<T | undefined>;
  /** Makes it urgent. */
  raise(): void;
};

type RequestLimiterOptions = {
  /** Most requests at the same time. */
  readonly concurrency: number;
  /** How long a request may wait for its turn, ms. */
  readonly maxWaitMs: number;
  /** Most requests that wait, of each kind. */
  readonly maxWaiting: Readonly<Record<'urgent' | 'prefetch', number>>;
};

function createRequestLimiter(
  { concurrency, maxWaitMs, maxWaiting }: RequestLimiterOptions,
  clock: Clock,
): RequestLimiter {
  const queue = new PQueue({ concurrency });
  /** Counted here: p-queue would go through all that wait. */
  const waiting = { urgent: 0, prefetch: 0 };
  let requests = 0;

  return {
    run(urgent, request) {
      let kind: keyof typeof waiting | undefined = urgent ? 'urgent' : 'prefetch';
      if (waiting[kind] >= maxWaiting[kind]) return { result: Promise.resolve(undefined), raise: () => {} };
      waiting[kind] += 1;
      const id = String(requests++);
      let since = clock.now();
      const result = queue.add(
        async () => {
          if (kind !== undefined) waiting[kind] -= 1;
          kind = undefined;
          return clock.now() - since <= maxWaitMs ? request() : undefined;
        },
        { id, priority: Number(urgent) },
      );
      return {
        result,
        raise() {
          if (kind !== 'prefetch') return;
          waiting.prefetch -= 1;
          waiting.urgent += 1;
          kind = 'urgent';
          since = clock.now();
          queue.setPriority(id, 1);
        },
      };
    },
  };
}
