import { dateAt, daysBetween } from '../kit/calendar.ts';
import { type OpeningHours, partsOf } from '../kit/opening-hours.ts';

/** When a person is called next, as a button says it: in so many minutes, on the next morning, or at a time of the day. */
export const whens = ['15', '60', 'morning', 'time'] as const;
export type When = (typeof whens)[number];

/** Where no opening hours are set. */
const MORNING = '09:00';
/** An office that is closed for longer has no next morning. */
const DAYS = 7;

type Office = { readonly timeZone: string; readonly hours: OpeningHours | null };

/** Unix ms; null if `time` is no time of the day. A time that has passed is tomorrow's. */
export function nextTry(when: When, time: string, now: number, office: Office): number | null {
  switch (when) {
    case '15':
    case '60':
      return now + Number(when) * 60_000;
    case 'morning':
      return nextMorning(now, office);
    case 'time':
      return nextAt(time, now, office);
    default:
      return when satisfies never;
  }
}

/** When the office opens next, after today. */
export function nextMorning(now: number, { timeZone, hours }: Office): number {
  const tomorrow = dateAt(now, timeZone).add({ days: 1 });
  const opens =
    hours &&
    daysBetween(tomorrow, tomorrow.add({ days: DAYS - 1 }), timeZone).flatMap((day) =>
      partsOf(day, hours, 'in', timeZone),
    )[0]?.since;
  return opens ?? atTime(tomorrow, MORNING, timeZone);
}

function nextAt(text: string, now: number, { timeZone }: Office): number | null {
  const [, hour = '', minute = '00'] = /^(\d{1,2})(?:[:.h]?(\d\d))?$/.exec(text.trim()) ?? [];
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59) return null;
  const today = dateAt(now, timeZone);
  const time = `${hour.padStart(2, '0')}:${minute}`;
  const at = atTime(today, time, timeZone);
  return at > now ? at : atTime(today.add({ days: 1 }), time, timeZone);
}

const atTime = (date: Temporal.PlainDate, time: string, timeZone: string): number =>
  date.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(timeZone).epochMilliseconds;
