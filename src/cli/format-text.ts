import { duration } from '../delivery/report.ts';

/** `14:03:07` today, `18 Nov 14:03:07` before: the time of this machine, which is what people compare with. */
export function clockTime(at: number, now: number): string {
  const time = new Date(at);
  const clock = time.toTimeString().slice(0, 8);
  if (time.toDateString() === new Date(now).toDateString()) return clock;
  const [, month = '', day = ''] = time.toDateString().split(' ');
  return `${Number(day)} ${month} ${clock}`;
}

/** `3 min ago (14:03:07)` */
export function ago(at: number, now: number): string {
  return `${duration(now - at)} ago (${clockTime(at, now)})`;
}

/** `1 event`, `2 events` */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30s`, `10m`, `24h`, `7d` in ms. */
export function spanOf(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`got ${text}; a span of time is written 30s, 10m, 24h or 7d`);
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
