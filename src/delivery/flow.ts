import { backoff } from './backoff.ts';
import type { Classified } from './classify.ts';

/** Failures in a row, without one success, from which on the API counts as out: if there was no connection at all ... */
const outAfterNoConnection = 3;
/** ... and if it answered with errors or not in time, which a handful of bad events could also cause. */
const outAfterFailures = 20;

/** A wait that the API names with 429 is taken at its word from here on, ms. */
const leastNamedMs = 1_000;

/**
 * Whether the queue flows. Times are monotonic ms.
 * - `ok`: everything is sent;
 * - `paused`: no event is at fault (token, address): nothing is sent but a probe;
 * - `held`: the API wants fewer requests: nothing is sent until the time it named, then a probe;
 * - `outage`: nothing but failures: a probe now and then; while the API can be reached at all, new calls are also
 *   tried once, since somebody's screen is waiting and the failures may be those of a few bad events. If the API names
 *   a time, nothing is sent until then.
 */
export type Flow = Flowing | Stopped;

type Flowing = {
  readonly state: 'ok';
  readonly since: number;
  /** In a row, of attempts that began after the last success. */
  readonly failures: number;
  /** When the last success ended. */
  readonly succeededAt: number;
};

type Stopped = {
  readonly state: 'paused' | 'held' | 'outage';
  readonly since: number;
  readonly reason: string;
  /** Probes that failed, and the attempt that began it. */
  readonly tries: number;
  readonly nextTryAt: number;
  /** True if the API has named that time. */
  readonly named: boolean;
  /** False if the last failure was that there was no connection. */
  readonly reachable: boolean;
};

/** One attempt that has come to its end. */
export type Attempt = {
  readonly classified: Classified;
  readonly startedAt: number;
  readonly endedAt: number;
  /** True if it was the one request that tries whether it works again. */
  readonly probe: boolean;
};

export function flowing(since: number): Flowing {
  return { state: 'ok', since, failures: 0, succeededAt: since };
}

/** What an attempt does to the flow. */
export function nextFlow(flow: Flow, attempt: Attempt, random: () => number): Flow {
  // What was under way when the state changed says nothing about the new one.
  if (attempt.startedAt < flow.since) return flow;
  const { classified, endedAt, probe } = attempt;
  const { verdict } = classified;
  if (verdict === 'delivered' || verdict === 'reject') {
    return {
      state: 'ok',
      since: flow.state === 'ok' ? flow.since : endedAt,
      failures: 0,
      succeededAt: endedAt,
    };
  }
  if (verdict === 'pause') return stopped('paused', flow, attempt, random);
  if (verdict === 'hold') return stopped('held', flow, attempt, random);

  if (flow.state === 'ok') {
    // While this one hung, others got through: a bad event rather than a bad time.
    if (attempt.startedAt < flow.succeededAt) return flow;
    const failures = flow.failures + 1;
    const limit = classified.noConnection ? outAfterNoConnection : outAfterFailures;
    return failures >= limit ? stopped('outage', flow, attempt, random) : { ...flow, failures };
  }
  if (!probe) {
    const reachable = !classified.noConnection;
    const namedMs = classified.retryAfterMs ?? 0;
    if (namedMs > 0)
      return { ...flow, reachable, named: true, nextTryAt: Math.max(flow.nextTryAt, endedAt + namedMs) };
    return reachable === flow.reachable ? flow : { ...flow, reachable };
  }
  // The time that the API named is over, and it does not ask for more.
  if (flow.state === 'held') return { ...flowing(endedAt), failures: 1 };
  const next = stopped(flow.state, flow, attempt, random);
  return flow.state === 'paused' ? { ...next, reason: flow.reason } : next;
}

function stopped(
  state: Stopped['state'],
  flow: Flow,
  { classified, endedAt }: Attempt,
  random: () => number,
): Stopped {
  const again = flow.state === state;
  const tries = again ? flow.tries + 1 : 1;
  const named = classified.retryAfterMs;
  // A 429 that names a second or more means it; 0, or a date that is past by our clock, must not make a flood.
  const obeyed = state === 'held' && named !== undefined && named >= leastNamedMs;
  const wait = obeyed ? named : Math.max(backoff(tries, random), named ?? 0);
  return {
    state,
    since: again ? flow.since : endedAt,
    reason: classified.reason,
    tries,
    nextTryAt: endedAt + wait,
    named: (named ?? 0) > 0,
    reachable: !classified.noConnection,
  };
}
