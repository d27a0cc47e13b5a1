import type { Priority } from './queue.ts';

export type PriorityLimits = {
  /** Requests at the same time. */
  readonly concurrency: number;
  /**
   * A request that has no answer after this, ms, goes on, but no longer counts against `concurrency`: calls whose
   * requests hang must not block others.
   */
  readonly turnMs: number;
};

export type DeliveryLimits = {
  readonly priorities: Readonly<Record<Priority, PriorityLimits>>;
  /** Requests in flight, with those that no longer count. The client must allow as many connections. */
  readonly inFlight: number;
  /** Attempts that are not recorded yet, beyond which nothing more is sent. */
  readonly unrecorded: number;
  /** How long a call is fresh after its newest event, ms. */
  readonly freshMs: number;
  /** The queue is looked at this often, ms, even if nothing gave a hint. */
  readonly pollMs: number;
  /** How often the API may reject an event before it becomes a dead letter. */
  readonly maxRejections: number;
  /** Undelivered events older than this become dead letters , ms. */
  readonly maxAgeMs: number;
  /** Interval of checks for old events, ms. The first is this long after the start, when the clock has been set. */
  readonly expireEveryMs: number;
  /** In an outage a new call causes a probe, but not sooner than this after the last one, ms. */
  readonly probeGapMs: number;
};

const minute = 60_000;

export const defaultLimits: DeliveryLimits = {
  priorities: {
    fresh: { concurrency: 64, turnMs: 100 },
    backlog: { concurrency: 32, turnMs: 2_000 },
    retry: { concurrency: 32, turnMs: 1_000 },
  },
  inFlight: 2_048,
  unrecorded: 4_000,
  freshMs: 5 * minute,
  pollMs: 5_000,
  maxRejections: 3,
  // Two weeks without the API: an office is not closed for longer, and calls are not returned after that.
  maxAgeMs: 14 * 24 * 60 * minute,
  expireEveryMs: 10 * minute,
  probeGapMs: 1_000,
};

/** One timer for many times: it fires at the earliest of them, once. The one it wakes sets it again. */
export function createAlarm(monotonic: () => number, fire: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;

  return {
    /** Rings at this monotonic time, or earlier if it is set so. */
    by(at: number) {
      if (at >= ringsAt) return;
      clearTimeout(timer);
      ringsAt = at;
      const wait = Math.max(0, at - monotonic());
      timer = setTimeout(() => {
        ringsAt = Number.POSITIVE_INFINITY;
        fire();
      }, wait);
    },
    off() {
      clearTimeout(timer);
      // Nothing is earlier: it never fires again.
      ringsAt = Number.NEGATIVE_INFINITY;
    },
  };
}
