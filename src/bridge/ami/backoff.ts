import type { AmiFailure } from './failure.ts';

const firstDelayMs = 250;
const maxDelayMs = 10_000;
const maxAnswerDeadlineMs = 60_000;

/** Failures that only a change of settings ends: the next attempt need not be soon. */
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

/**
 * Deadline for an answer while no byte arrives, ms. It doubles after each attempt without an answer, up to a minute, so
 * that an Asterisk that is too busy for the first deadline meets a later one, and one that hangs is still found.
 * @param firstMs the deadline when `silences` is 0.
 * @param silences how many times in a row an attempt, or the link itself, ended because no answer came.
 */
export function answerDeadline(firstMs: number, silences: number): number {
  return Math.min(Math.max(firstMs, maxAnswerDeadlineMs), firstMs * 2 ** silences);
}

/** Deadline for an answer even though bytes arrive, ms: inputs are held back until the snapshot is complete. */
export function longestAnswer(deadlineMs: number): number {
  return Math.max(deadlineMs, Math.min(4 * deadlineMs, maxAnswerDeadlineMs));
}
