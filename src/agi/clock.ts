/** Time as it is used here, so that a test can be its own clock. */
export type Clock = {
  /** Milliseconds from any fixed moment on, never back. */
  now(): number;
  /** Calls back once after so many milliseconds; the result cancels it. */
  setTimer(callback: () => void, ms: number): () => void;
};
