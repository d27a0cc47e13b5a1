import { LRUCache } from 'lru-cache';
import type { Log } from '../log/log.ts';
import { oncePerMinute } from '../log/once-per-minute.ts';
import type { Clock } from '../process/clock.ts';
import { failed, type PriorityAnswer, timedOut } from './priority-answer.ts';
import type { Reading } from './read-priority.ts';
import { createGate } from './request-limiter.ts';

/** The priorities of callers by their numbers (as they are told to the API), as the API and the cache know them. */
export type PriorityLookup = {
  /** The answer at once where it is known, else the API's within `waitMs`. The promise never fails. */
  ask(number: string, waitMs: number): PriorityAnswer | Promise<PriorityAnswer>;
  /** A call from this number has begun: asks the API ahead of the dialplan, when nothing more urgent is to be asked. */
  expect(number: string): void;
  /** Forgets everything: it was another account's, or another API's. What is under way is not kept either. */
  clear(): void;
};

export type PriorityLookupOptions = {
  /** Most requests at the same time. */
  readonly concurrency: number;
  /** How long a request may wait for its turn, ms: as long as a caller waits for the answer. */
  readonly patienceMs: number;
  /** How long an answer that found a priority counts without asking again, ms. */
  readonly freshMs: number;
  /** How long it counts while the API fails, ms. */
  readonly staleMs: number;
  /** How long an answer that found nothing counts, ms. */
  readonly notFoundMs: number;
  /** Most numbers that are remembered; those not asked for the longest are forgotten. */
  readonly entries: number;
};

/** Most requests that may wait for their turn: beyond that, an answer would come too late for everybody. */
const MOST_WAITING = 5_000;

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
  const { patienceMs } = options;
  const gate = createGate({ width: options.concurrency, patienceMs, mostWaiting: MOST_WAITING }, clock);
  let underWay = new Map<string, Enquiry>();
  const ofFailures = oncePerMinute(clock.now);
  const ofLateness = oncePerMinute(clock.now);

  const ageOf = ({ at }: Known) => clock.now() - at;

  function fresh(number: string): PriorityAnswer | undefined {
    const known = cache.get(number);
    if (known === undefined) return undefined;
    const keepMs = known.answer.status === 'FOUND' ? options.freshMs : options.notFoundMs;
    return ageOf(known) < keepMs ? known.answer : undefined;
  }

  /** What was true a while ago is better than nothing, for a customer that was known. */
  function stale(number: string): PriorityAnswer | undefined {
    const known = cache.peek(number);
    return known?.answer.status === 'FOUND' && ageOf(known) < options.staleMs ? known.answer : undefined;
  }

  /** One request for a number, however many want to know. */
  function enquire(number: string, urgent: boolean): Promise<PriorityAnswer> {
    const there = underWay.get(number);
    if (there !== undefined) {
      if (urgent) there.hurry();
      return there.answer;
    }
    const home = underWay;
    const { result, hurry } = gate.run(urgent, () => tools.request(number));
    const answer = result.then((reading) => {
      home.delete(number);
      return learn(number, reading, home === underWay);
    });
    underWay.set(number, { answer, hurry });
    return answer;
  }

  function learn(number: string, reading: Reading | undefined, isCurrent: boolean): PriorityAnswer {
    const { reason, ...answer } = reading ?? tooMany;
    if (reason !== undefined) {
      ofFailures((more) => log.say('agi.lookup-failed', { number, reason, more }));
      return stale(number) ?? answer;
    }
    if (isCurrent) cache.set(number, { answer, at: clock.now() });
    return answer;
  }

  function inTime(number: string, waitMs: number): Promise<PriorityAnswer> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(() => {
        ofLateness((more) => log.say('agi.lookup-late', { number, waited: waitMs, more }));
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
      underWay = new Map();
    },
  };
}
