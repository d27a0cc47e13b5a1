import type { AmiFailure } from './failure.ts';

const firstDelayMs = 250;
const maxDelayMs = 10_000;

/** Trying again changes nothing until somebody changes a setting, so it need not be soon. */
const settings = new Set<AmiFailure['kind']>(['login-refused', 'tls', 'no-reporting-class', 'no-call-class']);

/**
 * Milliseconds to wait before the next attempt: none at first, since a PBX that restarted is back, then
 * doubling from 250 ms up to 10 s, with jitter so that many bridges do not come at once.
 * @param failures attempts and short-lived connections in a row before this one.
 * @param random from 0 up to, not including, 1.
 */
export function reconnectDelay(failure: AmiFailure, failures: number, random: number): number {
  if (settings.has(failure.kind)) return maxDelayMs * (0.75 + random / 4);
  if (failures === 0) return 0;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.5 + random / 2);
}
