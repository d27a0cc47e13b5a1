import PQueue from 'p-queue';
import type { DeliveryLimits } from './limits.ts';
import { type DeliveryQueue, longestWaitMs, type Priority, type QueuedEvent } from './queue.ts';

/** How often turns are taken from requests that hang, ms. */
const sweepMs = 50;

export const priorities = ['fresh', 'backlog', 'retry'] as const satisfies readonly Priority[];

type PrefetchBufferOptions = {
  readonly queue: DeliveryQueue;
  readonly limits: DeliveryLimits;
  /** Unix ms. */
  readonly now: () => number;
  /** Unix ms of the clock that is never set. */
  readonly queueTime: () => number;
  readonly monotonic: () => number;
  readonly isOpen: (priority: Priority) => boolean;
  /** Never rejects. */
  readonly attempt: (event: QueuedEvent) => Promise<void>;
  /** Requests a refill of `retry` at this time of the queue. */
  readonly onRetryAt: (dueAt: number) => void;
  readonly onFailed: (error: unknown) => void;
};

/**
 * The events in memory: a cache of the queue, filled by hints and from disk. Each priority class has a p-queue of its
 * own, so that none blocks another.
 */
export function createPrefetchBuffer(options: PrefetchBufferOptions) {
  const { queue, limits, now, queueTime, monotonic, isOpen, attempt, onRetryAt, onFailed } = options;
  const turns: Readonly<Record<Priority, PQueue>> = {
    fresh: new PQueue({ concurrency: limits.priorities.fresh.concurrency }),
    backlog: new PQueue({ concurrency: limits.priorities.backlog.concurrency }),
    retry: new PQueue({ concurrency: limits.priorities.retry.concurrency }),
  };
  /** When each running request began, by the function that ends its turn. Oldest first. */
  const turnsTaken: Readonly<Record<Priority, Map<() => void, number>>> = {
    fresh: new Map(),
    backlog: new Map(),
    retry: new Map(),
  };
  let sweeping = false;
  /** Priorities of which the disk may hold more than memory. */
  const more = new Set<Priority>(priorities);
  const loading = new Set<Priority>();
  /** Calls of which an event is in memory. */
  const busy = new Set<string>();

  function room(priority: Priority): number {
    const { concurrency, buffer } = limits.priorities[priority];
    return concurrency + buffer - turns[priority].pending - turns[priority].size;
  }

  function due(priority: Priority, limit: number, at: number): Promise<QueuedEvent[]> {
    return queue.due({ priority, now: at, freshSince: now() - limits.freshMs, limit, except: [...busy] });
  }

  /** Resolves when the turn is over: when the request ends, or earlier if it hangs. */
  function take(priority: Priority, request: () => Promise<void>): Promise<void> {
    return new Promise((end) => {
      turnsTaken[priority].set(end, monotonic());
      sweep();
      void request().then(() => {
        turnsTaken[priority].delete(end);
        end();
      });
    });
  }

  function sweep(): void {
    if (!sweeping) setTimeout(endTurns, sweepMs);
    sweeping = true;
  }

  /** Ends the turns of requests that hang. (p-queue's own timeouts cost as much as all the rest of the dispatcher.) */
  function endTurns(): void {
    sweeping = false;
    for (const priority of priorities) {
      const began = turnsTaken[priority];
      for (const [end, at] of began) {
        if (at > monotonic() - limits.priorities[priority].turnMs) break;
        began.delete(end);
        end();
      }
      if (began.size > 0) sweep();
      it.refillIfLow(priority);
    }
  }

  /**
   * Sends an event whose turn has come, unless it is out of date or its priority is closed. Then the disk has the next
   * one.
   */
  async function send(event: QueuedEvent, priority: Priority, since: number): Promise<void> {
    try {
      const isNext =
        monotonic() - since < limits.trustMs || !isOpen(priority) || (await queue.isNext(event.seq));
      if (isNext && isOpen(priority)) return await attempt(event);
    } catch (error) {
      onFailed(error);
    }
    it.release(event.callId);
    for (const any of priorities) more.add(any);
    it.refillIfLow(priority);
  }

  const it = {
    /** Sends an event when its turn comes. If the buffer is full, it stays on disk until there is room. */
    add(event: QueuedEvent, priority: Priority) {
      if (busy.has(event.callId) || !isOpen(priority) || room(priority) <= 0) {
        more.add(priority);
        return;
      }
      busy.add(event.callId);
      const since = monotonic();
      const turn = () => take(priority, () => send(event, priority, since));
      const { newestFirst } = limits.priorities[priority];
      void turns[priority].add(turn, { priority: newestFirst ? event.seq : 0 });
    },

    /** Called when the result of an attempt is recorded: the call's next event may be sent. */
    release(callId: string) {
      busy.delete(callId);
    },

    /** Reads due events from disk. */
    async refill(priority: Priority): Promise<void> {
      if (loading.has(priority) || !isOpen(priority)) return;
      const limit = room(priority);
      more.add(priority);
      if (limit <= 0) return;
      loading.add(priority);
      more.delete(priority);
      try {
        const found = await due(priority, limit, queueTime());
        for (const event of found) it.add(event, priority);
        if (found.length === limit) more.add(priority);
        else if (priority === 'retry') {
          const next = await queue.nextDue(queueTime());
          if (next !== undefined) onRetryAt(next);
        }
      } catch (error) {
        more.add(priority);
        onFailed(error);
      } finally {
        loading.delete(priority);
      }
    },

    /** The same, if memory has run low and the disk may have more. */
    refillIfLow(priority: Priority) {
      if (more.has(priority) && room(priority) > limits.priorities[priority].buffer / 2)
        void it.refill(priority);
    },

    /** Takes one event for a probe, a new call's if there is one; `release` it afterwards. */
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

    /** Nothing more is begun until `resume`. */
    pause() {
      for (const priority of priorities) turns[priority].pause();
    },
    resume() {
      for (const priority of priorities) turns[priority].start();
    },
  };
  return it;
}
