/** How often each duration came, in whole seconds (the rest is cut off): value, count, value, count, rising. */
export type Durations = readonly number[];

/** Counts durations. */
export function countDurations() {
  const counts = new Map<number, number>();
  const add = (seconds: number, count: number) => counts.set(seconds, (counts.get(seconds) ?? 0) + count);
  return {
    /** `ms`: null is not counted. */
    add(ms: number | null): void {
      if (ms !== null) add(Math.floor(ms / 1000), 1);
    },
    addAll(durations: Durations): void {
      for (let at = 0; at < durations.length; at += 2)
        add(durations[at] as number, durations[at + 1] as number);
    },
    durations: (): Durations => [...counts].sort(([a], [b]) => a - b).flat(),
  };
}

/**
 * The smallest duration that so large a share of all do not exceed (nearest rank), in seconds: 0.5 is the median.
 * Null of none. Cutting to whole seconds keeps the order, so this is the exact quantile, cut to whole seconds.
 */
export function quantile(durations: Durations, share: number): number | null {
  let total = 0;
  for (let at = 1; at < durations.length; at += 2) total += durations[at] as number;
  let left = Math.max(1, Math.ceil(total * share));
  for (let at = 0; at < durations.length; at += 2) {
    left -= durations[at + 1] as number;
    if (left <= 0) return durations[at] as number;
  }
  return null;
}
