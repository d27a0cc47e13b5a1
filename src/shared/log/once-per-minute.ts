const WINDOW_MS = 60_000;

/**
 * Limits a log message to once a minute, for what may happen with every call. The returned function is to be called
 * each time; it calls `report` the first time, and later with the number of times suppressed since then.
 * @param now ms.
 */
export function oncePerMinute(now: () => number): (report: (suppressed: number) => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (report) => {
    if (now() - lastAt < WINDOW_MS) {
      suppressed += 1;
      return;
    }
    lastAt = now();
    report(suppressed);
    suppressed = 0;
  };
}
