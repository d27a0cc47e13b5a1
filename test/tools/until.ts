import { getTestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Long enough for any machine, short enough to find out what a test waits for, ms. */
export const longestWaitMs = 180_000;

/**
 * Looks again and again until `look` returns something that is true, and returns it. After `longestMs` (3 minutes) it fails, and says
 * what it waited for and the last state: what `state` returns, or what `look` returned last. Looks at the next turn of
 * the event loop first, later every `everyMs` milliseconds at most. An error of `look` ends the wait; so does the end of
 * the test, silently, since nothing waits any more.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  {
    state,
    everyMs = 50,
    longestMs = longestWaitMs,
  }: { state?: () => unknown; everyMs?: number; longestMs?: number } = {},
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const end = performance.now() + longestMs;
  const test = getTestContext();
  for (let pause = 0; ; pause = Math.min(pause + 1, everyMs)) {
    if (test?.signal.aborted) return new Promise(() => {});
    const seen = await look();
    if (seen) return seen as Exclude<T, false | 0 | '' | null | undefined>;
    if (performance.now() > end)
      throw new Error(
        `waited ${longestMs / 1_000} s for ${what}; the last state was ${inspect((await state?.()) ?? seen)}`,
      );
    await (pause === 0 ? new Promise(setImmediate) : wait(pause));
  }
}
