import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one piece of work may hold the thread, ms: what others ask for waits for a few of them. */
const PIECE_MS = 4;

let last: Promise<void> = Promise.resolve();

/**
 * For long work, to be awaited often: after each few milliseconds of it everything else gets a turn. All long work of the
 * process together does one piece per turn.
 */
export function takeTurns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < PIECE_MS) return undefined;
    last = last
      .then(() => nextTurn())
      .then(() => {
        began = performance.now();
      });
    return last;
  };
}
