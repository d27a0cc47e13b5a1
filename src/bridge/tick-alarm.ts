import { monotonicMs } from '../shared/process/clock.ts';
import { NUMBER_WAIT_MS } from './calls/call.ts';

/** Least time between two ticks, ms: each goes through all calls that wait for a number. */
const TICK_GAP_MS = 50;

export type TickAlarm = ReturnType<typeof createTickAlarm>;

/** One timer is enough: at each tick the tracker asks again for whatever it still waits for. */
export function createTickAlarm(tick: () => void) {
  let next: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  let due: NodeJS.Immediate | undefined;
  /** On the clock that is never set. */
  let mayTickAt = 0;

  function fire(): void {
    next = undefined;
    mayTickAt = monotonicMs() + TICK_GAP_MS;
    // After a pause of the process, timers come before what has arrived in it: that may be what a call waits for.
    clearImmediate(due);
    due = setImmediate(tick);
  }

  return {
    /** Ticks at this time, Unix ms, or earlier. */
    by(at: number): void {
      if (next !== undefined && next.at <= at) return;
      clearTimeout(next?.timer);
      const ms = Math.max(at - Date.now(), mayTickAt - monotonicMs(), 0);
      next = { at, timer: setTimeout(fire, Math.min(ms, NUMBER_WAIT_MS)) };
    },
    off(): void {
      clearTimeout(next?.timer);
      clearImmediate(due);
    },
  };
}
