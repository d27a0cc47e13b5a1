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

/** Unix time. */
export const systemClock: Clock = { now: Date.now, setTimer };

/** Not affected when the system's time is changed. */
export const monotonicClock: Clock = { now: () => performance.now(), setTimer };
