import type { Classified } from './classify.ts';
import { backoff } from './outcome.ts';

/** Failures in a row after which the API counts as out of service, if there was no connection at all. */
const outAfterNoConnection = 3;
/** The same if it answered with errors or too late, which a few bad events could also cause. */
const outAfterFailures = 20;

/** The shortest wait named with 429 that is obeyed exactly, ms. */
const leastNamedMs = 1_000;

/**
 * Whether events are sent. Times are monotonic ms.
 * - `ok`: all events are sent;
 * - `paused`: the cause is the token or address: only probes are sent;
 * - `held`: the API wants fewer requests: nothing is sent until the time that it named, then a probe;
 * - `outage`: all attempts fail: only probes are sent. While the API can be reached, new calls are also sent once,
 * since somebody's screen is waiting and a few bad events may be the cause. If the API names a time, nothing is sent
 * until then.
 */
export type Flow = Flowing | Stopped;

type Flowing = {
  readonly state: 'ok';
  readonly since: number;
  /** In a row, of attempts that began after the last success. */
  readonly failures: number;
  /** When the last success ended. */
  readonly succeededAt: number;
  /** Set while `failures` is not 0: when the first of them ended, and what the last one was. */
  readonly failing?: { readonly since: number; readonly reason: string };
};

type Stopped = {
  readonly state: 'paused' | 'held' | 'outage';
  readonly since: number;
  readonly reason: string;
  /** Probes that failed, and the attempt that began it. */
  readonly attempts: number;
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
  /** True if it was a probe, the one request that checks whether the API works again. */
  readonly probe: boolean;
};

export function flowing(since: number): Flowing {
  return { state: 'ok', since, failures: 0, succeededAt: since };
}

/** What an attempt does to the flow. */
export function nextFlow(flow: Flow, attempt: Attempt, random: () => number): Flow {
  // A request that began before the state changed says nothing about the new state.
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
    // Others succeeded while this one hung: the event is bad, not the API.
    if (attempt.startedAt < flow.succeededAt) return flow;
    const failures = flow.failures + 1;
    const limit = classified.noConnection ? outAfterNoConnection : outAfterFailures;
    if (failures >= limit) return stopped('outage', flow, attempt, random);
    const since = flow.failing?.since ?? endedAt;
    return { ...flow, failures, failing: { since, reason: classified.reason } };
  }
  if (!probe) {
    const reachable = !classified.noConnection;
    const namedMs = classified.retryAfterMs ?? 0;
    if (namedMs > 0)
      return { ...flow, reachable, named: true, nextTryAt: Math.max(flow.nextTryAt, endedAt + namedMs) };
    return reachable === flow.reachable ? flow : { ...flow, reachable };
  }
  // The time that the API named is over, and it does not ask for more.
  if (flow.state === 'held') {
    const failing = { since: endedAt, reason: classified.reason };
    return { ...flowing(endedAt), failures: 1, failing };
  }
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
  const attempts = again ? flow.attempts + 1 : 1;
  const named = classified.retryAfterMs;
  // A 429 that names a second or more is obeyed exactly. 0, or a date in the past by our clock, must not cause a flood
  // of requests.
  const obeyed = state === 'held' && named !== undefined && named >= leastNamedMs;
  const wait = obeyed ? named : Math.max(backoff(attempts, random), named ?? 0);
  return {
    state,
    since: again ? flow.since : endedAt,
    reason: classified.reason,
    attempts,
    nextTryAt: endedAt + wait,
    named: (named ?? 0) > 0,
    reachable: !classified.noConnection,
  };
}

/** Times are Unix ms. */
export type DeliveryStatus = {
  readonly state: Flow['state'];
  /** Why it is not `ok`. */
  readonly reason?: string;
  readonly since: number;
  /** When the next attempt is made, if it is not `ok`. */
  readonly nextTryAt?: number;
  /** While it is `ok`, and nothing was accepted since the last attempts failed. */
  readonly retrying?: { readonly since: number; readonly reason: string; readonly failures: number };
  readonly inFlight: number;
  /** Attempts that are not recorded on disk yet. */
  readonly unrecorded: number;
  /** Since the start. */
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
  readonly lastDeliveredAt?: number;
};
