import type { CallStatus } from '../api/contract/call-event.ts';

/** An event that waits to be delivered. `body` is the JSON text as it goes on the wire, fixed when it was queued. */
export type QueuedEvent = {
  /** Rising in the order in which events were queued. */
  readonly seq: number;
  readonly callId: string;
  readonly status: CallStatus;
  readonly body: string;
  /** Unix ms at which it was queued (on disk). */
  readonly queuedAt: number;
  /** How often it was sent already; attempts that did not count are not in it. */
  readonly attempts: number;
  /** How many of them the far side answered by saying that it will not have this event. */
  readonly rejections: number;
};

/** What became of one attempt to deliver an event. */
export type DeliveryResult = {
  readonly seq: number;
  readonly callId: string;
  /** `retry` keeps it the next event of its call until `nextAt`; `dead` parks it, later events of the call go on. */
  readonly outcome: 'delivered' | 'retry' | 'dead';
  /** Unix ms at which the attempt ended. */
  readonly at: number;
  /** Unix ms before which it is not sent again; for `retry` only. */
  readonly nextAt?: number;
  /** False if the attempt must not count against the event (the whole queue was at fault). */
  readonly counted: boolean;
  /** True if the far side will not have this event. */
  readonly rejected?: true;
  /** HTTP status, if there was an answer. */
  readonly httpStatus?: number;
  /** One line for people; when delivered, only if it was not by us. */
  readonly error?: string;
  /** From the first byte sent to the end of the answer, ms. */
  readonly durationMs: number;
};

/**
 * Which next events are asked for. The first two were never tried (`attempts` 0) and are due at once, also when the clock was set back:
 * - `fresh`: of calls whose newest event was queued at or after `freshSince`, newest first: a screen is waiting;
 * - `backlog`: of all other calls, oldest first;
 * - `retry`: tried before and `nextAt` has come; fewest attempts first (16 and more are alike), then the earliest
 *   `nextAt`, so that one stumble of a good call never waits behind many calls that fail for ever.
 */
export type Priority = 'fresh' | 'backlog' | 'retry';

/** No wait between two attempts is longer, ms. */
export const longestWaitMs = 60_000;

/**
 * What the dispatcher needs of the outbox. Only the oldest undelivered event of a call, its next event, is ever given out.
 * Whoever appends offers to the dispatcher those of the new events that are next, so that they need no query.
 * All times are passed in: the queue has no clock. Since clocks are set back, a `nextAt` further away than
 * `longestWaitMs` from `now` counts as come.
 */
export interface DeliveryQueue {
  /** Next events that are due at `now`, at most `limit`, none of the calls in `except`. */
  due(query: {
    priority: Priority;
    now: number;
    freshSince: number;
    limit: number;
    except: readonly string[];
  }): Promise<QueuedEvent[]>;
  /**
   * Whether this event still is the next of its call. Operators change the queue from processes of their own: they may
   * have made an older event of the call wait again, or have thrown this one away.
   */
  isNext(seq: number): Promise<boolean>;
  /** The next time at which a tried one becomes due that is not due at `now`; undefined if none waits. */
  nextDue(now: number): Promise<number | undefined>;
  /**
   * Records what became of attempts, durably, and returns for each call that has more to send after a `delivered` or
   * `dead` its next event (so that the next event of a call needs no second query).
   */
  record(results: readonly DeliveryResult[]): Promise<QueuedEvent[]>;
  /** Parks every event queued before `queuedBefore` as a dead letter (OUTBOX_MAX_AGE); returns how many. */
  expire(queuedBefore: number, at: number): Promise<number>;
  /** How many events wait to be delivered; dead letters are not among them. */
  waiting(): Promise<number>;
}
