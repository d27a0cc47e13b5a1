import type { Group } from './aggregate.ts';
import { countOf, countWithin } from './durations.ts';

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
