import PQueue from 'p-queue';
import { duration } from '../../shared/delivery/report.ts';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import { failed, type PriorityAnswer, timedOut } from './priority-answer.ts';
import { type Cached, createPriorityCache, type PriorityCacheOptions } from './priority-cache.ts';
import type { LookupResult } from './read-priority.ts';

export type PriorityLookupOptions = Partial<PriorityCacheOptions> & {
  /** How long a request may wait for its start, ms: as long as a caller waits for the answer. */
  readonly maxWaitMs: number;
  /** Maximum number of simultaneous requests. */
  readonly concurrency?: number;
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

type LookupTools = {
  /** Requests a priority from the API; never rejects. */
  readonly request: (number: string) => Promise<LookupResult>;
  readonly clock: Clock;
  readonly log: Log;
};

export function createPriorityLookup(options: PriorityLookupOptions, { request, clock, log }: LookupTools) {
  const { maxWaitMs, concurrency, ...cacheOptions } = { ...defaults, ...options };
  const cache = createPriorityCache(cacheOptions, clock.now);
  const limiter = createRequestLimiter({ concurrency, maxWaitMs, maxWaiting: MAX_WAITING }, clock);
  const requests = createSharedRequests(
    (number, urgent) => limiter.run(urgent, () => request(number)),
    store,
  );
  const logFailure = oncePerMinute(clock.now);
  const logLate = oncePerMinute(clock.now);

  function store(number: string, result: LookupResult | undefined, isCurrent: boolean): PriorityAnswer {
    const { reason, ...answer } = result ?? tooMany;
    if (reason !== undefined) {
      logFailure((more) => log.say('agi.lookup-failed', { number, reason, more }));
      return orStale(number, answer, reason);
    }
    if (isCurrent) cache.set(number, answer);
    return { ...answer, why: `from the API${httpText(answer)}` };
  }

  /** An older priority, or else the answer that says that the API has failed. */
  function orStale(number: string, answer: PriorityAnswer, why: string): PriorityAnswer {
    const stale = cache.stale(number);
    return stale
      ? { ...stale.answer, why: `${cacheText(stale)}, since the API fails: ${why}` }
      : { ...answer, why };
  }

  function fetchWithin(number: string, waitMs: number): Promise<PriorityAnswer> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(() => {
        logLate((more) => log.say('agi.lookup-late', { number, waited: Math.round(waitMs), more }));
        resolve(orStale(number, timedOut, `no answer within ${Math.round(waitMs)} ms`));
      }, waitMs);
      void requests.get(number, true).then((answer) => {
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
    get(number: string, waitMs: number): PriorityAnswer | Promise<PriorityAnswer> {
      const fresh = cache.fresh(number);
      if (fresh) return { ...fresh.answer, why: cacheText(fresh) };
      return waitMs > 0
        ? fetchWithin(number, waitMs)
        : orStale(number, timedOut, 'no time left to ask the API');
    },
    /** Requests the priority in advance, with lower precedence than `get`. */
    prefetch(number: string) {
      if (cache.fresh(number) === undefined) void requests.get(number, false);
    },
    /** Empties the cache. Results of running requests are not cached either. */
    clear() {
      cache.clear();
      requests.forget();
    },
  };
}

const httpText = ({ httpStatus }: PriorityAnswer): string =>
  httpStatus === undefined ? '' : `, HTTP ${httpStatus}`;

const cacheText = ({ answer, ageMs }: Cached): string =>
  `from the cache, ${duration(ageMs)} old${httpText(answer)}`;

/**
 * Shares one request among all lookups of a number. `settle` makes an answer of its result; `isCurrent` is false if the
 * running requests have been forgotten in the meantime.
 */
function createSharedRequests(
  start: (number: string, urgent: boolean) => LimitedRequest<LookupResult>,
  settle: (number: string, result: LookupResult | undefined, isCurrent: boolean) => PriorityAnswer,
) {
  let running = new Map<string, RunningRequest>();

  return {
    get(number: string, urgent: boolean): Promise<PriorityAnswer> {
      const there = running.get(number);
      if (there !== undefined) {
        if (urgent) there.raise();
        return there.answer;
      }
      const startedIn = running;
      const { result, raise } = start(number, urgent);
      const answer = result.then((response) => {
        startedIn.delete(number);
        return settle(number, response, startedIn === running);
      });
      running.set(number, { answer, raise });
      return answer;
    },
    /** The next lookup of each number makes a request of its own. */
    forget() {
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
