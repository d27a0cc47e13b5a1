/** Time, replaced in tests. */
export type Clock = {
  /** Milliseconds: since 1970, or where only differences count, monotonic. */
  now(): number;
  /** Calls back once after `ms` milliseconds; the returned function cancels it. */
  setTimer(callback: () => void, ms: number): () => void;
};

function setTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/**
 * Milliseconds of a monotonic clock that all threads of the process share; `Date.now` is the time of day, which people and
 * NTP may set. Whole: databases keep times in integer columns, and PostgreSQL refuses a fraction even in a comparison.
 * Nothing else in `src/` reads `performance.now`, so that no fraction leaves the process (`test/whole-times.test.ts`).
 */
export function monotonicMs(): number {
  return Math.floor(preciseMs());
}

/** The same clock with microseconds, for the duration of a request that we answered. Round what is kept of it. */
export function preciseMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** A clock that a caller passed in, in whole milliseconds. */
export const wholeMs = (clock: () => number) => (): number => Math.floor(clock());

/** Unix time. */
export const systemClock: Clock = { now: Date.now, setTimer };

/** Not affected when the system's time is changed. */
export const monotonicClock: Clock = { now: monotonicMs, setTimer };
