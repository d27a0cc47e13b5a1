/** Clocks of processes of one service differ by less than this, ms; so does one that is set right now and then. */
const CLOCKS_MS = 5 * 60_000;

/**
 * Whether a window of this length that ends at `end` is open. One that ends later than one of now began before the clock
 * was set back: it is over, too.
 */
export const isOpen = (end: number, length: number, now: number): boolean => now < end && end <= now + length;

/** The same of what is stored, or signed and given away: perhaps by another process, whose clock is a little ahead. */
export const isInForce = (end: number, length: number, now: number): boolean =>
  isOpen(end, length + CLOCKS_MS, now);

/** What began later than this began while the clock was ahead (see `isInForce`). */
export const latestBegin = (now: number): number => now + CLOCKS_MS;
