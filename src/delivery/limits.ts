import type { Priority } from './queue.ts';

export type PriorityLimits = {
  /** Requests at the same time. */
  readonly concurrency: number;
  /**
   * A request without an answer for this long, ms, gives its turn to the next one, and goes on: calls whose requests
   * hang must not be in the way of the others.
   */
  readonly turnMs: number;
  /** Events in memory that wait for their turn; the rest stays on disk. */
  readonly buffer: number;
  /** The newest of them goes first, else the one that came first. */
  readonly newestFirst: boolean;
};

export type DeliveryLimits = {
  readonly priorities: Readonly<Record<Priority, PriorityLimits>>;
  /** Requests under way, with those that gave their turn away. The client must allow as many connections. */
  readonly inFlight: number;
  /** Attempts that are not recorded yet, beyond which nothing more is sent. */
  readonly unrecorded: number;
  /** How long a call is fresh after its newest event, ms. */
  readonly freshMs: number;
  /** An event that has waited in memory longer than this, ms, is sent only if it still is the next event of its call on disk. */
  readonly trustMs: number;
  /** The queue is looked at this often, ms, even if nothing gave a hint. */
  readonly pollMs: number;
  /** Tries of an event that the API will not have, before it is parked. */
  readonly rejectTries: number;
  /** Undelivered events older than this are parked (OUTBOX_MAX_AGE), ms. */
  readonly maxAgeMs: number;
  /** How often old events are looked for, ms; the first time after as long, when clocks have been set. */
  readonly expireEveryMs: number;
  /** In an outage, a new call may bring the next probe forward, but not nearer than this to the last, ms. */
  readonly probeGapMs: number;
};

const minute = 60_000;

export const defaultLimits: DeliveryLimits = {
  priorities: {
    fresh: { concurrency: 64, turnMs: 100, buffer: 1_024, newestFirst: true },
    backlog: { concurrency: 32, turnMs: 2_000, buffer: 256, newestFirst: false },
    // No buffer: those with the fewest attempts go first, and the queue knows them best.
    retry: { concurrency: 32, turnMs: 1_000, buffer: 0, newestFirst: false },
  },
  inFlight: 2_048,
  unrecorded: 4_000,
  freshMs: 5 * minute,
  // As long as a request may well be on its way: nothing can call that back either.
  trustMs: 100,
  pollMs: 5_000,
  rejectTries: 3,
  maxAgeMs: 14 * 24 * 60 * minute,
  expireEveryMs: 10 * minute,
  probeGapMs: 1_000,
};
