/** A clock, so that tests can use their own. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number;
  /** Calls back once after `ms` milliseconds; the result cancels it. */
  setTimer(callback: () => void, ms: number): () => void;
};

/** The process's own clock. */
export const systemClock: Clock = {
  now: Date.now,
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
