import { z } from 'zod';
import type { Day, Span } from './calendar.ts';
import { readDates } from './dates.ts';

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

/** As an account keeps them: JSON of `stored`, or null. */
type Saved = { readonly openingHours: string | null };

/** Null: the account has set none. */
export function openingHoursOf(account: Saved): OpeningHours | null {
  const saved = savedHoursOf(account);
  return saved?.week.some((day) => day !== null) ? saved : null;
}

/** As they were saved: an account may have entered its closed days first, and no hours yet. */
export const savedHoursOf = ({ openingHours }: Saved): OpeningHours | null =>
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
function minutesIn(text: string | null): number | null {
  const [, hour, minute] = time.exec(text ?? '') ?? [];
  return !text ? null : hour === undefined ? Number.NaN : Number(hour) * 60 + Number(minute);
}

/** The most closed days. */
const MOST_CLOSED = 500;
/** Characters of the field for them at most. */
export const CLOSED_CHARACTERS = 6_000;

/**
 * Reads a form with `from-1`, `to-1` (Monday) to `to-7` and `closed`; `wrong`: fields that are, with what was typed where
 * that is one of several.
 */
export function openingHoursIn(
  form: URLSearchParams,
  how: { readonly monthFirst: boolean },
): { hours: OpeningHours | null } | { wrong: Record<string, string> } {
  const wrong: Record<string, string> = {};
  const week = Array.from({ length: 7 }, (_, at): [number, number] | null => {
    const [from, to] = [minutesIn(form.get(`from-${at + 1}`)), minutesIn(form.get(`to-${at + 1}`))];
    if (from === null && to === null) return null;
    const end = to === 0 ? 1440 : (to ?? Number.NaN);
    if (!((from ?? Number.NaN) < end)) wrong[`from-${at + 1}`] = '';
    return [from ?? 0, end];
  });
  const typed = form.get('closed') ?? '';
  const isTooLong = typed.length > CLOSED_CHARACTERS;
  const read = readDates(isTooLong ? '' : typed, { ...how, most: MOST_CLOSED });
  const { dates: closed, wrong: unread } = read;
  if (isTooLong || read.isTooMuch || unread.length > 0) wrong.closed = unread[0] ?? '';
  if (Object.keys(wrong).length > 0) return { wrong };
  const isEmpty = closed.length === 0 && week.every((day) => day === null);
  return { hours: isEmpty ? null : { week, closed } };
}

/** Minutes of the day as a field of a form has them. */
export const clockOf = (minutes: number | undefined): string =>
  minutes === undefined
    ? ''
    : `${String(Math.floor(minutes / 60) % 24).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
