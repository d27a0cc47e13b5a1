import type { Group } from './aggregate.ts';

/** A histogram in whole seconds (truncated), ascending: value, count, value, count. */
export type Durations = readonly number[];

/** Builds a histogram of durations. */
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
 * The quantile by nearest rank, in seconds: a `share` of 0.5 gives the median. Null without durations. Truncation keeps
 * the order, so this is the exact quantile, truncated to whole seconds.
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

export const countOf = (durations: Durations): number => countWithin(durations, Number.POSITIVE_INFINITY);

/** How many durations are at most this many whole seconds. */
export function countWithin(durations: Durations, seconds: number): number {
  let count = 0;
  for (let at = 0; at < durations.length && (durations[at] as number) <= seconds; at += 2)
    count += durations[at + 1] as number;
  return count;
}

/** Missed calls of at most this many seconds are mostly wrong numbers and no fault of the office. */
export const SHORT_SECONDS = 5;

export const shortAbandons = ({ gaveUp }: Pick<Group, 'gaveUp'>): number =>
  countWithin(gaveUp, SHORT_SECONDS);

/**
 * The share of calls answered within `seconds`, among those answered or missed, without short abandons; null if there are
 * none. Calls for which a time is unknown are left out.
 */
export function serviceLevel(
  { waited, gaveUp }: Pick<Group, 'waited' | 'gaveUp'>,
  seconds: number,
): number | null {
  const calls = countOf(waited) + countOf(gaveUp) - shortAbandons({ gaveUp });
  return calls === 0 ? null : countWithin(waited, seconds) / calls;
}
