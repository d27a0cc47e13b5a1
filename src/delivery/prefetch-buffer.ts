import { createLaneGate, type LaneGate } from './lane.ts';
import type { DeliveryLimits } from './limits.ts';
import { type DeliveryQueue, type Lane, longestWaitMs, type QueuedEvent } from './queue.ts';

export const lanes = ['fresh', 'backlog', 'retry'] as const satisfies readonly Lane[];

export type PrefetchBuffer = {
  /** Takes a head into memory if there is room, else leaves it on disk. */
  take(event: QueuedEvent, lane: Lane): void;
  /** An attempt of this call is recorded: its next event may come. */
  release(callId: string): void;
  /** Fills a lane from disk. */
  refill(lane: Lane): Promise<void>;
  /** The same, if memory has run low and the disk may have more. */
  refillIfLow(lane: Lane): void;
  /** Takes one head for a probe, a new call's if there is one; `release` it afterwards. */
  takeOne(): Promise<{ readonly event: QueuedEvent; readonly lane: Lane } | undefined>;
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
  readonly isOpen: (lane: Lane) => boolean;
  /** Never rejects. */
  readonly send: (event: QueuedEvent, lane: Lane) => Promise<void>;
  /** Asks for a refill of `retry` at this steady time. */
  readonly onRetryAt: (steady: number) => void;
  readonly onFailed: (error: unknown) => void;
};

/** What of the queue is in memory: a cache, by lane, filled by hints and from disk. */
export function createPrefetchBuffer(options: PrefetchBufferOptions): PrefetchBuffer {
  const { queue, limits, now, steadyNow, monotonic, isOpen, send, onRetryAt, onFailed } = options;
  const gates: Readonly<Record<Lane, LaneGate>> = {
    fresh: createLaneGate(limits.lanes.fresh, monotonic),
    backlog: createLaneGate(limits.lanes.backlog, monotonic),
    retry: createLaneGate(limits.lanes.retry, monotonic),
  };
  /** Lanes of which the disk may hold more than memory. */
  const more = new Set<Lane>(lanes);
  const loading = new Set<Lane>();
  /** Calls of which an event is in memory; true: another was offered meanwhile. */
  const busy = new Map<string, boolean>();
  const places = lanes.reduce((sum, lane) => sum + limits.lanes[lane].concurrency, 0);
  /** What the gates have let through and is not at its end. */
  let begun = 0;

  function due(lane: Lane, limit: number, at: number): Promise<QueuedEvent[]> {
    return queue.due({ lane, now: at, freshSince: now() - limits.freshMs, limit, except: [...busy.keys()] });
  }

  /** Sends what a gate lets through, unless it is out of date: then the disk gives what comes instead. */
  async function sendOrPutBack(event: QueuedEvent, lane: Lane, since: number): Promise<void> {
    if (monotonic() - since < limits.trustMs) return send(event, lane);
    try {
      const isHead = await queue.isHead(event.seq);
      if (isHead && isOpen(lane)) return await send(event, lane);
    } catch (error) {
      onFailed(error);
    }
    buffer.release(event.callId);
    for (const any of lanes) more.add(any);
    buffer.refillIfLow(lane);
  }

  const buffer: PrefetchBuffer = {
    take(event, lane) {
      if (busy.has(event.callId)) busy.set(event.callId, true);
      else if (!isOpen(lane) || gates[lane].room() <= 0) more.add(lane);
      else {
        busy.set(event.callId, false);
        const since = monotonic();
        gates[lane].add(event, async () => {
          begun++;
          await sendOrPutBack(event, lane, since);
          begun--;
        });
      }
    },

    release(callId) {
      if (busy.get(callId)) more.add('fresh');
      busy.delete(callId);
    },

    async refill(lane) {
      if (loading.has(lane) || !isOpen(lane)) return;
      const room = gates[lane].room();
      more.add(lane);
      if (room <= 0) return;
      loading.add(lane);
      more.delete(lane);
      try {
        const found = await due(lane, room, steadyNow());
        for (const event of found) buffer.take(event, lane);
        if (found.length === room) more.add(lane);
        else if (lane === 'retry') {
          const next = await queue.nextDue(steadyNow());
          if (next !== undefined) onRetryAt(next);
        }
      } catch (error) {
        more.add(lane);
        onFailed(error);
      } finally {
        loading.delete(lane);
      }
    },

    refillIfLow(lane) {
      if (more.has(lane) && gates[lane].room() > limits.lanes[lane].buffer / 2) void buffer.refill(lane);
    },

    async takeOne() {
      for (const lane of lanes) {
        // What failed before need not be due: something has to be tried.
        const [event] = await due(lane, 1, steadyNow() + (lane === 'retry' ? longestWaitMs : 0));
        if (!event || busy.has(event.callId)) continue;
        busy.set(event.callId, false);
        return { event, lane };
      }
      return undefined;
    },

    shut() {
      for (const lane of lanes) {
        if (isOpen(lane)) continue;
        for (const event of gates[lane].clear()) busy.delete(event.callId);
        more.add(lane);
      }
    },

    giveWay() {
      const at = monotonic();
      const holding = lanes.reduce((sum, lane) => sum + gates[lane].holding(), 0);
      // Those without a place, and all places taken again, must not come to more than the limit.
      let left = limits.inFlight - places - (begun - holding);
      for (const lane of lanes) {
        left -= gates[lane].release(at - limits.lanes[lane].patienceMs, left);
        buffer.refillIfLow(lane);
      }
    },
  };
  return buffer;
}
