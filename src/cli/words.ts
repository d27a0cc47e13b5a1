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
