import type { DeliveryLimits } from './limits.ts';
import { type Priority, priorities } from './queue.ts';

/** How many requests of each priority may begin. `onFree` is called when one more may. */
export function createRequestSlots(limits: DeliveryLimits, onFree: () => void) {
  const taken = Object.fromEntries(priorities.map((priority) => [priority, 0])) as Record<Priority, number>;
  let inFlight = 0;

  return {
    inFlight: () => inFlight,

    free: (priority: Priority) =>
      Math.min(limits.priorities[priority].concurrency - taken[priority], limits.inFlight - inFlight),

    /** A request begins. Its slot is free again when it ends, or earlier if it hangs. Gives what is to be called at its end. */
    take(priority: Priority): () => void {
      const free = () => {
        taken[priority] -= 1;
        onFree();
      };
      taken[priority] += 1;
      inFlight += 1;
      let isHanging = false;
      const timer = setTimeout(() => {
        isHanging = true;
        free();
      }, limits.priorities[priority].turnMs).unref();
      return () => {
        clearTimeout(timer);
        inFlight -= 1;
        if (isHanging) onFree();
        else free();
      };
    },
  };
}
