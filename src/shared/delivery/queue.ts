/** An event that waits to be delivered. `body` is the JSON text as it goes on the wire, fixed when it was queued. */
export type QueuedEvent = {
  /** Rising in the order in which events were queued. */
  readonly seq: number;
  readonly callId: string;
  /** What it reports: a call's status, or the name of a webhook's event. */
  readonly status: string;
  readonly body: string;
  /** Unix ms at which it was queued (on disk). */
  readonly queuedAt: number;
  /** How often it was sent, without the attempts that do not count. */
  readonly attempts: number;
  /** How many of these attempts the receiver answered by rejecting the event. */
  readonly rejections: number;
};

/** The result of one attempt to deliver an event. */
export type DeliveryResult = {
  readonly seq: number;
  readonly callId: string;
  /** `retry` keeps it the next event of its call until `nextAt`; `dead` makes it a dead letter, and later events of the call go on. */
  readonly outcome: 'delivered' | 'retry' | 'dead';
  /** Unix ms at which the attempt ended. */
  readonly at: number;
  /** Unix ms before which it is not sent again; for `retry` only. */
  readonly nextAt?: number;
  /** False if the attempt must not count against the event (the whole queue was at fault). */
  readonly counted: boolean;
  /** True if the receiver will not have this event. */
  readonly rejected?: true;
  /** HTTP status, if there was an answer. */
  readonly httpStatus?: number;
  /** One line for people; when delivered, only if it was not by us. */
  readonly error?: string;
  /** From the first byte sent to the end of the answer, ms. */
  readonly durationMs: number;
};

/**
 * Classes of next events. The first two have no attempts yet, and are due at once, also when the clock was set back:
 * - `fresh`: of calls whose newest event was queued at or after `freshSince`, newest first: a screen is waiting;
 * - `backlog`: of all other calls, oldest first;
 * - `retry`: those with attempts, whose `nextAt` has come; fewest attempts first (16 and more are alike), then the earliest
 *   `nextAt`, so that an event that failed once does not wait behind many that always fail.
 */
export const priorities = ['fresh', 'backlog', 'retry'] as const;
export type Priority = (typeof priorities)[number];

/** No wait between two attempts is longer, ms. */
export const longestWaitMs = 60_000;

/**
 * What the dispatcher needs of the outbox. It returns only next events: the oldest undelivered event of each call. Code that
 * appends events also offers the next events among them to the dispatcher, so that these need no query. The queue has no
 * clock: all times are arguments. A `nextAt` more than `longestWaitMs` ahead of `now` counts as due, since the clock must
 * have been set back.
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
  /** When the next event of `retry` that is not due at `now` becomes due; undefined if there is none. */
  nextDue(now: number): Promise<number | undefined>;
  /**
   * Stores the results of attempts, durably. Returns the new next event of each call with a `delivered` or `dead` result
   * and more events, so that it needs no query.
   */
  record(results: readonly DeliveryResult[]): Promise<QueuedEvent[]>;
  /** Makes every event queued before `queuedBefore` a dead letter; returns how many. */
  expire(queuedBefore: number, at: number): Promise<number>;
  /** How many events wait to be delivered; dead letters are not among them. */
  waiting(): Promise<number>;
}
