import type { Clock } from './clock.ts';

/** A clock that moves only with `advance`. Its milliseconds have a fraction, as those of a system clock may. */
type TestClock = Clock & {
  /** Advances the clock by `ms`, and fires the timers due until then, in order. */
  advance(ms: number): void;
  /** Number of pending timers. */
  readonly timers: () => number;
};

export function createTestClock(): TestClock {
  let time = 0.375;
  const timers = new Set<{ at: number; fire: () => void }>();
  return {
    now: () => time,
    setTimer(fire, ms) {
      const timer = { at: time + ms, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        time = Math.max(time, next.at);
        next.fire();
      }
      time = end;
    },
    timers: () => timers.size,
  };
}
