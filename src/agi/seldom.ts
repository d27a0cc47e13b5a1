import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;

/**
 * For what may happen to every call at once: says it the first time, and then once a minute at most, with how often
 * it was kept to itself in between. The result is called for each time that it happens.
 */
export function seldom(clock: Clock): (say: (more: number) => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let more = 0;
  return (say) => {
    if (clock.now() - lastAt < EVERY_MS) {
      more += 1;
      return;
    }
    lastAt = clock.now();
    say(more);
    more = 0;
  };
}
