import { LRUCache } from 'lru-cache';
import type { Log } from '../log/log.ts';
import { oncePerMinute } from '../log/once-per-minute.ts';
import type { Clock } from '../process/clock.ts';
import { failed, type PriorityAnswer, timedOut } from './priority-answer.ts';
import type { Reading } from './read-priority.ts';
import { createRequestLimiter } from './request-limiter.ts';

/** Looks up priorities by number (as the API gets it), in the cache and at the API. */
export type PriorityLookup = {
  /** The cached answer at once, else the API's within `waitMs`. The promise never rejects. */
  ask(number: string, waitMs: number): PriorityAnswer | Promise<PriorityAnswer>;
  /** A call from this number has begun: asks the API before the dialplan does, once no urgent request waits. */
  expect(number: string): void;
  /** Empties the cache, since the account or the API is another; requests in flight are not cached either. */
  clear(): void;
};

export type PriorityLookupOptions = {
  /** Most requests at the same time. */
  readonly concurrency: number;
  /** How long a request may wait for its turn, ms: as long as a caller waits for the answer. */
  readonly maxWaitMs: number;
  /** How long an answer that found a priority counts without asking again, ms. */
  readonly freshMs: number;
  /** How long it counts while the API fails, ms. */
  readonly staleMs: number;
  /** How long an answer that found nothing counts, ms. */
  readonly notFoundMs: number;
  /** Most numbers in the cache; the least recently used are dropped. */
  readonly entries: number;
};

/** Most requests that may wait for their turn: with more, every answer would come too late. */
const MAX_WAITING = 5_000;

const tooMany: Reading = { ...failed, reason: 'too many lookups wait for the API' };

type Enquiry = { readonly answer: Promise<PriorityAnswer>; readonly hurry: () => void };
type Known = { readonly answer: PriorityAnswer; readonly at: number };

export function createPriorityLookup(
  options: PriorityLookupOptions,
  tools: {
    /** Asks the API; never fails. */
    request: (number: string) => Promise<Reading>;
    clock: Clock;
    log: Log;
  },
): PriorityLookup {
  const { clock, log } = tools;
  const cache = new LRUCache<string, Known>({ max: options.entries });
  const { concurrency, maxWaitMs } = options;
  const limiter = createRequestLimiter({ concurrency, maxWaitMs, maxWaiting: MAX_WAITING }, clock);
  let inFlight = new Map<string, Enquiry>();
  const failureLog = oncePerMinute(clock.now);
  const lateLog = oncePerMinute(clock.now);

  const ageOf = ({ at }: Known) => clock.now() - at;

  function fresh(number: string): PriorityAnswer | undefined {
    const known = cache.get(number);
    if (known === undefined) return undefined;
    const keepMs = known.answer.status === 'FOUND' ? options.freshMs : options.notFoundMs;
    return ageOf(known) < keepMs ? known.answer : undefined;
  }

  /** An old priority is better than none, for a customer that was found. */
  function stale(number: string): PriorityAnswer | undefined {
    const known = cache.peek(number);
    return known?.answer.status === 'FOUND' && ageOf(known) < options.staleMs ? known.answer : undefined;
  }

  /** Makes one request for a number at a time. */
  function enquire(number: string, urgent: boolean): Promise<PriorityAnswer> {
    const pending = inFlight.get(number);
    if (pending !== undefined) {
      if (urgent) pending.hurry();
      return pending.answer;
    }
    const home = inFlight;
    const { result, hurry } = limiter.run(urgent, () => tools.request(number));
    const answer = result.then((reading) => {
      home.delete(number);
      return learn(number, reading, home === inFlight);
    });
    inFlight.set(number, { answer, hurry });
    return answer;
  }

  function learn(number: string, reading: Reading | undefined, isCurrent: boolean): PriorityAnswer {
    const { reason, ...answer } = reading ?? tooMany;
    if (reason !== undefined) {
      failureLog((more) => log.say('agi.lookup-failed', { number, reason, more }));
      return stale(number) ?? answer;
    }
    if (isCurrent) cache.set(number, { answer, at: clock.now() });
    return answer;
  }

  function inTime(number: string, waitMs: number): Promise<PriorityAnswer> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(() => {
        lateLog((more) => log.say('agi.lookup-late', { number, waited: waitMs, more }));
        resolve(stale(number) ?? timedOut);
      }, waitMs);
      void enquire(number, true).then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }

  return {
    ask: (number, waitMs) =>
      fresh(number) ?? (waitMs > 0 ? inTime(number, waitMs) : (stale(number) ?? timedOut)),
    expect(number) {
      if (fresh(number) === undefined) void enquire(number, false);
    },
    clear() {
      cache.clear();
      inFlight = new Map();
    },
  };
}
