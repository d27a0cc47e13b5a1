import type { DeliveryLimits } from './limits.ts';
import {
  type DeliveryQueue,
  type DeliveryResult,
  longestWaitMs,
  type Priority,
  priorities,
  type QueuedEvent,
} from './queue.ts';

type DueReaderOptions = {
  readonly queue: DeliveryQueue;
  readonly limits: DeliveryLimits;
  /** Unix ms. */
  readonly now: () => number;
  /** Unix ms of the clock that is never set. */
  readonly queueTime: () => number;
  /** How many events of this priority may be sent now. */
  readonly free: (priority: Priority) => number;
  /** Sends an event. */
  readonly begin: (event: QueuedEvent, priority: Priority) => void;
  /** An event of `retry` is due at this time of the queue. */
  readonly onRetryAt: (dueAt: number) => void;
  readonly onFailed: (error: unknown) => void;
};

/**
 * Finds the events that are sent next: on disk, where all of them are, or offered by those who have just queued them,
 * which saves a query. Nothing waits in memory: what cannot be sent now is read again when it can.
 */
export function createDueReader({ queue, limits, free, begin, ...options }: DueReaderOptions) {
  const { now, queueTime, onRetryAt, onFailed } = options;
  /** Priorities of which the disk may hold events that could be sent. */
  const more = new Set<Priority>(priorities);
  /** Calls of which an event is under way, until its result is recorded. */
  const busy = new Set<string>();
  /** Calls that were busy while the disk is read: what was read of them may be older. */
  const settled = new Set<string>();
  let reading = false;

  const due = (priority: Priority, limit: number, at: number) =>
    queue.due({ priority, now: at, freshSince: now() - limits.freshMs, limit, except: [...busy] });

  function send(event: QueuedEvent, priority: Priority): void {
    if (busy.has(event.callId) || free(priority) <= 0) {
      more.add(priority);
      return;
    }
    busy.add(event.callId);
    begin(event, priority);
  }

  async function read(priority: Priority): Promise<void> {
    more.delete(priority);
    settled.clear();
    const limit = free(priority);
    const found = await due(priority, limit, queueTime());
    for (const event of found) if (!settled.has(event.callId)) send(event, priority);
    if (found.length === limit) more.add(priority);
    else if (priority === 'retry') {
      const next = await queue.nextDue(queueTime());
      if (next !== undefined) onRetryAt(next);
    }
  }

  /** Reads what can be sent, the most urgent first, until nothing more can be. */
  async function readMore(): Promise<void> {
    if (reading) return;
    reading = true;
    const next = () => priorities.find((priority) => more.has(priority) && free(priority) > 0);
    for (let priority = next(); priority !== undefined; priority = next())
      try {
        await read(priority);
      } catch (error) {
        more.add(priority);
        onFailed(error);
        break;
      }
    reading = false;
  }

  return {
    /** Sends an event that was just queued, if it can be sent now. */
    offer: send,

    /** Reads the disk if it may hold more. To be called when more can be sent. */
    readMore,

    /** Reads the disk, whatever is known of it. */
    readAll(some: readonly Priority[] = priorities): void {
      for (const priority of some) more.add(priority);
      void readMore();
    },

    /** These results are on disk: the next events of their calls may be sent. */
    recorded(results: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]): void {
      for (const { callId, nextAt } of results) {
        busy.delete(callId);
        settled.add(callId);
        if (nextAt !== undefined) onRetryAt(nextAt);
      }
      for (const event of nextEvents) {
        // It was sent before, and lost its place to an event that was sent again: the disk knows when it is due.
        if (event.attempts > 0) onRetryAt(queueTime());
        else send(event, event.queuedAt >= now() - limits.freshMs ? 'fresh' : 'backlog');
      }
      void readMore();
    },

    /** Takes one event for a probe, a new call's if there is one. */
    async takeOne(): Promise<QueuedEvent | undefined> {
      for (const priority of priorities) {
        // Events that failed before need not be due yet: a probe needs some event.
        const [event] = await due(priority, 1, queueTime() + (priority === 'retry' ? longestWaitMs : 0));
        if (!event || busy.has(event.callId)) continue;
        busy.add(event.callId);
        return event;
      }
      return undefined;
    },
  };
}
