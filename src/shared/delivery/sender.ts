import type { ApiResult } from '../api/result.ts';
import { messageOf } from '../process/parse-json.ts';
import type { DeliveryLimits } from './limits.ts';
import { type Priority, priorities, type QueuedEvent } from './queue.ts';

/** An event that was sent; `isProbe`: to find out whether the receiver works again. */
export type Sent = {
  readonly event: QueuedEvent;
  readonly isProbe: boolean;
  /** Monotonic ms. */
  readonly startedAt: number;
};

type SenderOptions = {
  readonly limits: DeliveryLimits;
  readonly monotonic: () => number;
  /** A rejection counts as a failed attempt. */
  readonly send: (event: QueuedEvent) => Promise<ApiResult>;
  readonly onEnded: (sent: Sent, result: ApiResult) => void;
  /** One more request may begin. */
  readonly onFree: () => void;
};

/** Sends events; `free` says how many more of a priority may be sent. */
export function createSender({ limits, monotonic, send, onEnded, onFree }: SenderOptions) {
  const taken = Object.fromEntries(priorities.map((priority) => [priority, 0])) as Record<Priority, number>;
  let inFlight = 0;

  /** A slot is free again when its request ends, or earlier if it hangs. Returns what is to be called at its end. */
  function takeSlot(priority: Priority): () => void {
    taken[priority] += 1;
    inFlight += 1;
    let isHanging = false;
    const timer = setTimeout(() => {
      isHanging = true;
      taken[priority] -= 1;
      onFree();
    }, limits.priorities[priority].turnMs).unref();
    return () => {
      clearTimeout(timer);
      inFlight -= 1;
      if (!isHanging) taken[priority] -= 1;
      onFree();
    };
  }

  return {
    inFlight: () => inFlight,

    free: (priority: Priority) =>
      Math.min(limits.priorities[priority].concurrency - taken[priority], limits.inFlight - inFlight),

    async send(event: QueuedEvent, priority: Priority, isProbe = false): Promise<void> {
      const startedAt = monotonic();
      const freeSlot = takeSlot(priority);
      let result: ApiResult;
      try {
        result = await send(event);
      } catch (error) {
        result = { kind: 'failed', error: 'unknown', detail: messageOf(error), durationMs: 0 };
      }
      onEnded({ event, isProbe, startedAt }, result);
      freeSlot();
    },
  };
}
