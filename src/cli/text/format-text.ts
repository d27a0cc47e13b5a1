import type { Attempt } from '../../bridge/outbox/tables/history.ts';
import { duration } from '../../shared/delivery/report.ts';

/** Formats Unix ms in the local time zone: `14:03:07` if it is today, `18 Nov 14:03:07` otherwise. */
export function clockTime(at: number, now: number): string {
  const time = new Date(at);
  const clock = time.toTimeString().slice(0, 8);
  if (time.toDateString() === new Date(now).toDateString()) return clock;
  const [, month = '', day = ''] = time.toDateString().split(' ');
  return `${Number(day)} ${month} ${clock}`;
}

/** Formats Unix ms as `3 min ago (14:03:07)`. */
export function ago(at: number, now: number): string {
  return `${duration(now - at)} ago (${clockTime(at, now)})`;
}

/** Formats a count with its noun: `1 event`, `2 events`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Quotes a text for a command that is printed, if a shell would not take it as one word. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses `30s`, `10m`, `24h` or `7d` into ms. Throws for anything else. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`got ${text}; takes a time such as 30s, 10m, 24h or 7d`);
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}

/** Describes a delivery attempt: `delivered: HTTP 200 in 12 ms`, `failed: no answer in time (after 10000 ms)`. */
export function attemptText({ outcome, httpStatus, error, durationMs }: Attempt): string {
  const took = `${Math.round(durationMs)} ms`;
  if (outcome === 'delivered' && error !== undefined) return `not sent: ${error}`;
  if (outcome === 'delivered') return `delivered: HTTP ${httpStatus ?? '?'} in ${took}`;
  const failure = outcome === 'dead' ? 'rejected' : 'failed';
  return `${failure}: ${error ?? 'unknown reason'} (after ${took})`;
}
