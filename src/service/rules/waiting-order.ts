/** Somebody who waits `since`, Unix ms. */
type Waiting = { readonly priority: number | null; readonly since: number };

/** Without a segment: after all others. */
export const rankOf = (priority: number | null): number => priority ?? Number.NEGATIVE_INFINITY;

/** The highest priority first, then who has waited longest; for `sort`. */
export function waitingOrder(a: Waiting, b: Waiting): number {
  const [first, second] = [rankOf(a.priority), rankOf(b.priority)];
  return first === second ? a.since - b.since : second > first ? 1 : -1;
}

/** Somebody whom a user has taken, and wants to be reminded of at `due`. */
type Promised = { readonly due: number | null; readonly taker: string | null };

/** Whether it is time for a user to call. */
export const isDueFor = ({ due, taker }: Promised, user: string, now: number): boolean =>
  due !== null && due <= now && taker === user;
