/** Somebody who waits `since`, Unix ms. */
type Waiting = { readonly priority: number | null; readonly since: number };

/** Without a segment: after all others. */
export const rankOf = (priority: number | null): number => priority ?? Number.NEGATIVE_INFINITY;

/** The highest priority first, then who has waited longest; for `sort`. */
export function waitingOrder(a: Waiting, b: Waiting): number {
  const [first, second] = [rankOf(a.priority), rankOf(b.priority)];
  return first === second ? a.since - b.since : second > first ? 1 : -1;
}
