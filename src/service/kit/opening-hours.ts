import { z } from 'zod';
import type { Account } from '../accounts/directory-store.ts';
import { type Day, dateIn, type Span } from './calendar.ts';

const stored = z.object({
  /** Monday first: minutes of the day, in quarters of an hour, 1440 for midnight; null: closed. */
  week: z.array(z.tuple([z.number(), z.number()]).nullable()),
  /** Dates, such as `2026-12-25`. */
  closed: z.array(z.string()),
});

/** In the account's time zone. */
export type OpeningHours = z.infer<typeof stored>;

/** `in`: in opening hours, `out`: out of them. */
export type HoursPart = 'in' | 'out';

/** Null: the account has set none. */
export const openingHoursOf = ({ openingHours }: Pick<Account, 'openingHours'>): OpeningHours | null =>
  openingHours === null ? null : stored.parse(JSON.parse(openingHours));

/** When an office is open on a day, or when it is not: whole quarters of an hour, in order. */
export function partsOf(
  { date, since, until }: Day,
  { week, closed }: OpeningHours,
  part: HoursPart,
  timeZone: string,
): Span[] {
  const [from, to] = (!closed.includes(date.toString()) && week[date.dayOfWeek - 1]) || [0, 0];
  const at = (minutes: number) =>
    date
      .add({ days: minutes === 1440 ? 1 : 0 })
      .toPlainDateTime({ hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 })
      .toZonedDateTime(timeZone).epochMilliseconds;
  const within = (time: number) => Math.min(Math.max(time, since), until);
  const [opens, closes] = from === to ? [since, since] : [within(at(from)), within(at(to))];
  const parts: Span[] =
    part === 'in'
      ? [{ since: opens, until: closes }]
      : [
          { since, until: opens },
          { since: closes, until },
        ];
  return parts.filter((one) => one.since < one.until);
}

const time = /^([01]\d|2[0-3]):(00|15|30|45)$/;

/** Minutes of the day; null if no time is given, NaN if it is none. */
export function minutesIn(text: string | null): number | null {
  const [, hour, minute] = time.exec(text ?? '') ?? [];
  return !text ? null : hour === undefined ? Number.NaN : Number(hour) * 60 + Number(minute);
}

/** Reads a form with `from-1`, `to-1` (Monday) to `to-7` and `closed`; the names of the fields that are wrong. */
export function openingHoursIn(form: URLSearchParams): { hours: OpeningHours | null } | { wrong: string[] } {
  const wrong: string[] = [];
  const week = Array.from({ length: 7 }, (_, at): [number, number] | null => {
    const [from, to] = [minutesIn(form.get(`from-${at + 1}`)), minutesIn(form.get(`to-${at + 1}`))];
    if (from === null && to === null) return null;
    const end = to === 0 ? 1440 : (to ?? Number.NaN);
    if (!((from ?? Number.NaN) < end)) wrong.push(`from-${at + 1}`);
    return [from ?? 0, end];
  });
  const closed = [...new Set((form.get('closed') ?? '').split(/[\s,;]+/).filter(Boolean))].sort();
  if (closed.length > 500 || closed.some((date) => dateIn(date) === undefined)) wrong.push('closed');
  if (wrong.length > 0) return { wrong };
  return { hours: week.some((day) => day !== null) ? { week, closed } : null };
}

/** Minutes of the day as a field of a form has them. */
export const clockOf = (minutes: number | undefined): string =>
  minutes === undefined
    ? ''
    : `${String(Math.floor(minutes / 60) % 24).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
