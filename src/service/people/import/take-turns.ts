import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../../shared/process/clock.ts';

/** How long one piece of work may block the thread, ms: other requests wait for a few of them. */
const PIECE_MS = 4;

let last: Promise<void> = Promise.resolve();

/**
 * To be awaited often during long work: every few milliseconds it lets other work run. All long work of the process
 * does one piece per turn of the event loop.
 */
export function takeTurns(): () => Promise<void> | undefined {
  let began = monotonicMs();
  return () => {
    if (monotonicMs() - began < PIECE_MS) return undefined;
    last = last
      .then(() => nextTurn())
      .then(() => {
        began = monotonicMs();
      });
    return last;
  };
}
