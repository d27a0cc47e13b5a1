import { numberFormat } from '../rules/number-format.ts';
import { spanText } from '../rules/span.ts';
import { type Html, html } from '../words/html.ts';
import { dateAt } from './calendar.ts';

export type Formats = ReturnType<typeof createFormats>;

const made = new Map<string, Formats>();

/** `timeZone`: an IANA name; null for the machine's. */
export function formatsFor(timeZone: string | null, locale = 'en-GB'): Formats {
  const zone = timeZone ?? machineZone();
  const key = `${locale} ${zone}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const formats = createFormats(zone, locale);
  made.set(key, formats);
  return formats;
}

/** An IANA name; `UTC` if the machine has a zone that has none. */
export function machineZone(): string {
  return Temporal.Now.timeZoneId();
}

const formatIn = (timeZone: string, locale: string) => (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone, ...options });

/** Times and numbers as a page shows them: in the account's time zone and the user's language. Arguments are Unix milliseconds. */
function createFormats(timeZone: string, locale: string) {
  const format = formatIn(timeZone, locale);
  const time = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const exact = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const { dateOf, dayOf, dayBeside, longDay, week } = dayFormats(timeZone, locale);
  const dateTime = (at: number) => `${dateOf(at)}, ${exact.format(at)}`;
  return {
    timeZone,
    /** For Intl, such as `en-GB`. */
    locale,
    /** `1,234.5`: `digits` after the point, none by default. */
    number: (value: number, digits: number = 0): string =>
      numberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value),
    /** `5 s`, `25 min`, `3 h`, `2 days`: a span of ms in its largest whole unit. */
    span: (ms: number): string => spanText(ms, locale),
    /** `09:12` */
    time: (at: number): string => time.format(at),
    /** `Fri 20 Nov 2026` */
    date: dateOf,
    /** `Fri 20 Nov 2026, 09:12:33` */
    dateTime,
    /** The start of the day of `at` in the zone. */
    startOfDay: (at: number): number =>
      Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).startOfDay().epochMilliseconds,
    /** `today`, `yesterday`, `tomorrow`, `9 Nov`: beside a word. */
    dayBeside,
    /** `Today`, `Yesterday`, `9 Nov`, `9 Nov 2025`: the day of `at`, seen at `now`. */
    day: (at: number, now: number): string => capitalised(dayBeside(at, now), locale),
    /** `Today, Friday 27 November`: the day of `at` as a heading. */
    longDay,
    /** `23–29 Nov`: the week that begins on a day. */
    week,
    /** Date and time, to the minute or second; the time alone on the day of `now`. */
    moment: (at: number, now: number, to?: 'seconds'): Html => {
      const clock = (to === 'seconds' ? exact : time).format(at);
      return html`<time datetime=${new Date(at).toISOString()} title=${dateTime(at)}>${
        dateOf(at) === dateOf(now) ? clock : `${dayOf(at, now)}, ${clock}`
      }</time>`;
    },
    /** The time of a `datetime-local` field in the zone; null if it is none. */
    instant(local: string): number | null {
      try {
        return Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds;
      } catch {
        return null;
      }
    },
  };
}

/** `dateOf`: with its day of the week; `dayOf`: short, seen at `now`; `dayBeside`: in a word if it is near. */
function dayFormats(timeZone: string, locale: string) {
  const format = formatIn(timeZone, locale);
  const day = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const shortDay = format({ day: 'numeric', month: 'short' });
  const longDay = format({ day: 'numeric', month: 'short', year: 'numeric' });
  const yearOf = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).year;
  const dayOf = (at: number, now: number) => (yearOf(at) === yearOf(now) ? shortDay : longDay).format(at);
  const dayBeside = (at: number, now: number) => {
    const days = dateAt(at, timeZone).until(dateAt(now, timeZone)).days;
    return Math.abs(days) <= 1 ? ago.format(-days, 'day') : dayOf(at, now);
  };
  const dateOf = (at: number) => (locale === 'en-GB' ? day.format(at).replace(',', '') : day.format(at));
  const weekday = format({ weekday: 'long', day: 'numeric', month: 'long' });
  const farWeekday = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const headingOf = (at: number, now: number) => {
    const days = dateAt(at, timeZone).until(dateAt(now, timeZone)).days;
    const date = (yearOf(at) === yearOf(now) ? weekday : farWeekday).format(at);
    return capitalised(days === 0 || days === 1 ? `${ago.format(-days, 'day')}, ${date}` : date, locale);
  };
  const week = (monday: Temporal.PlainDate) => {
    const noon = (date: Temporal.PlainDate) =>
      date.toZonedDateTime({ timeZone, plainTime: '12:00' }).epochMilliseconds;
    return shortDay.formatRange(noon(monday), noon(monday.add({ days: 6 })));
  };
  return { dateOf, dayOf, dayBeside, longDay: headingOf, week };
}

const capitalised = (text: string, locale: string): string =>
  `${text.slice(0, 1).toLocaleUpperCase(locale)}${text.slice(1)}`;

/** `1 call`, `2 calls`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
