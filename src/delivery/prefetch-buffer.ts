import { createPriorityGate, type PriorityGate } from './lane.ts';
import type { DeliveryLimits } from './limits.ts';
import { type DeliveryQueue, longestWaitMs, type Priority, type QueuedEvent } from './queue.ts';

export const priorities = ['fresh', 'backlog', 'retry'] as const satisfies readonly Priority[];

export type PrefetchBuffer = {
  /** Takes a head into memory if there is room, else leaves it on disk. */
  take(event: QueuedEvent, priority: Priority): void;
  /** An attempt of this call is recorded: its next event may come. */
  release(callId: string): void;
  /** Fills a priority from disk. */
  refill(priority: Priority): Promise<void>;
  /** The same, if memory has run low and the disk may have more. */
  refillIfLow(priority: Priority): void;
  /** Takes one head for a probe, a new call's if there is one; `release` it afterwards. */
  takeOne(): Promise<{ readonly event: QueuedEvent; readonly priority: Priority } | undefined>;
  /** Lanes that are not open any more forget what has not begun. */
  shut(): void;
  /** Requests that hang give their place to the next, as far as `limits.inFlight` allows. */
  giveWay(): void;
};

type PrefetchBufferOptions = {
  readonly queue: DeliveryQueue;
  readonly limits: DeliveryLimits;
  /** Unix ms. */
  readonly now: () => number;
  /** Unix ms of the clock that is never set. */
  readonly steadyNow: () => number;
  readonly monotonic: () => number;
  readonly isOpen: (priority: Priority) => boolean;
  /** Never rejects. */
  readonly send: (event: QueuedEvent, priority: Priority) => Promise<void>;
  /** Asks for a refill of `retry` at this steady time. */
  readonly onRetryAt: (steady: number) => void;
  readonly onFailed: (error: unknown) => void;
};

/** What of the queue is in memory: a cache, by priority, filled by hints and from disk. */
export function createPrefetchBuffer(options: PrefetchBufferOptions): PrefetchBuffer {
  const { queue, limits, now, steadyNow, monotonic, isOpen, send, onRetryAt, onFailed } = options;
  const gates: Readonly<Record<Priority, PriorityGate>> = {
    fresh: createPriorityGate(limits.priorities.fresh, monotonic),
    backlog: createPriorityGate(limits.priorities.backlog, monotonic),
    retry: createPriorityGate(limits.priorities.retry, monotonic),
  };
  /** Lanes of which the disk may hold more than memory. */
  const more = new Set<Priority>(priorities);
  const loading = new Set<Priority>();
  /** Calls of which an event is in memory; true: another was offered meanwhile. */
  const busy = new Map<string, boolean>();
  const places = priorities.reduce((sum, priority) => sum + limits.priorities[priority].concurrency, 0);
  /** What the gates have let through and is not at its end. */
  let begun = 0;

  function due(priority: Priority, limit: number, at: number): Promise<QueuedEvent[]> {
    return queue.due({
      priority,
      now: at,
      freshSince: now() - limits.freshMs,
      limit,
      except: [...busy.keys()],
    });
  }

  /** Sends what a gate lets through, unless it is out of date: then the disk gives what comes instead. */
  async function sendOrPutBack(event: QueuedEvent, priority: Priority, since: number): Promise<void> {
    if (monotonic() - since < limits.trustMs) return send(event, priority);
    try {
      const isNext = await queue.isNext(event.seq);
      if (isNext && isOpen(priority)) return await send(event, priority);
    } catch (error) {
      onFailed(error);
    }
    buffer.release(event.callId);
    for (const any of priorities) more.add(any);
    buffer.refillIfLow(priority);
  }

  const buffer: PrefetchBuffer = {
    take(event, priority) {
      if (busy.has(event.callId)) busy.set(event.callId, true);
      else if (!isOpen(priority) || gates[priority].room() <= 0) more.add(priority);
      else {
        busy.set(event.callId, false);
        const since = monotonic();
        gates[priority].add(event, async () => {
          begun++;
          await sendOrPutBack(event, priority, since);
          begun--;
        });
      }
    },

    release(callId) {
      if (busy.get(callId)) more.add('fresh');
      busy.delete(callId);
    },

    async refill(priority) {
      if (loading.has(priority) || !isOpen(priority)) return;
      const room = gates[priority].room();
      more.add(priority);
      if (room <= 0) return;
      loading.add(priority);
      more.delete(priority);
      try {
        const found = await due(priority, room, steadyNow());
        for (const event of found) buffer.take(event, priority);
        if (found.length === room) more.add(priority);
        else if (priority === 'retry') {
          const next = await queue.nextDue(steadyNow());
          if (next !== undefined) onRetryAt(next);
        }
      } catch (error) {
        more.add(priority);
        onFailed(error);
      } finally {
        loading.delete(priority);
      }
    },

    refillIfLow(priority) {
      if (more.has(priority) && gates[priority].room() > limits.priorities[priority].buffer / 2)
        void buffer.refill(priority);
    },

    async takeOne() {
      for (const priority of priorities) {
        // What failed before need not be due: something has to be tried.
        const [event] = await due(priority, 1, steadyNow() + (priority === 'retry' ? longestWaitMs : 0));
        if (!event || busy.has(event.callId)) continue;
        busy.set(event.callId, false);
        return { event, priority };
      }
      return undefined;
    },

    shut() {
      for (const priority of priorities) {
        if (isOpen(priority)) continue;
        for (const event of gates[priority].clear()) busy.delete(event.callId);
        more.add(priority);
      }
    },

    giveWay() {
      const at = monotonic();
      const holding = priorities.reduce((sum, priority) => sum + gates[priority].holding(), 0);
      // Those without a place, and all places taken again, must not come to more than the limit.
      let left = limits.inFlight - places - (begun - holding);
      for (const priority of priorities) {
        left -= gates[priority].release(at - limits.priorities[priority].patienceMs, left);
        buffer.refillIfLow(priority);
      }
    },
  };
  return buffer;
}
