export type Alarm = {
  /** Rings at this monotonic time, or earlier if it is set so. */
  by(at: number): void;
  off(): void;
};

/** One timer for many times: it fires at the earliest of them, once. The one it wakes sets it again. */
export function createAlarm(monotonic: () => number, fire: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;

  return {
    by(at) {
      if (at >= ringsAt) return;
      clearTimeout(timer);
      ringsAt = at;
      const wait = Math.max(0, at - monotonic());
      timer = setTimeout(() => {
        ringsAt = Number.POSITIVE_INFINITY;
        fire();
      }, wait);
    },
    off() {
      clearTimeout(timer);
      // Nothing is earlier: it never fires again.
      ringsAt = Number.NEGATIVE_INFINITY;
    },
  };
}
