/** Time as the link takes it, so that a test can be its own clock. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number;
  /** Calls back once after so many milliseconds; the result cancels it. */
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
