import type { CallStatus } from '../api/contract/call-event.ts';

/** An event that waits to be delivered. `body` is the JSON text as it goes on the wire, fixed when it was taken. */
export type QueuedEvent = {
  /** Rising in the order in which events were taken. */
  readonly seq: number;
  readonly callId: string;
  readonly status: CallStatus;
  readonly body: string;
  /** Unix ms at which it was taken (on disk). */
  readonly takenAt: number;
  /** How often it was sent already. */
  readonly attempts: number;
};

/** What became of one attempt to deliver an event. */
export type Settlement = {
  readonly seq: number;
  readonly callId: string;
  /** `retry` keeps it at the head of its call until `nextAt`; `dead` parks it, later events of the call go on. */
  readonly outcome: 'delivered' | 'retry' | 'dead';
  /** Unix ms at which the attempt ended. */
  readonly at: number;
  /** Unix ms before which it is not sent again; for `retry` only. */
  readonly nextAt?: number;
  /** False if the attempt must not count against the event (the whole queue was at fault). */
  readonly counted: boolean;
  /** HTTP status, if there was an answer. */
  readonly httpStatus?: number;
  /** One line for people; absent when delivered. */
  readonly error?: string;
  /** From the first byte sent to the end of the answer, ms. */
  readonly durationMs: number;
};

/**
 * What the dispatcher needs of the outbox. Only the oldest undelivered event of a call, its head, is ever given out.
 * All times are passed in: the queue has no clock.
 */
export interface DeliveryQueue {
  /**
   * Heads that are due at `now`, at most `limit`, none of the calls in `except`.
   * `fresh`: calls whose newest event was taken at or after `freshSince`, never tried ones first, newest first.
   * `backlog`: all others, oldest first.
   */
  due(query: {
    lane: 'fresh' | 'backlog';
    now: number;
    freshSince: number;
    limit: number;
    except: readonly string[];
  }): Promise<QueuedEvent[]>;
  /** The next time at which a head becomes due that is not due at `now`; undefined if none waits. */
  nextDue(now: number): Promise<number | undefined>;
  /**
   * Records what became of attempts, durably, and gives for each call that has more to send its new head
   * (so that the next event of a call needs no second query).
   */
  settle(settlements: readonly Settlement[]): Promise<QueuedEvent[]>;
  /** Parks every event taken before `takenBefore` as a dead letter (OUTBOX_MAX_AGE); gives how many. */
  expire(takenBefore: number, at: number): Promise<number>;
}
