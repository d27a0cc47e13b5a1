/** A stretch of time, Unix ms: from `since` until before `until`. */
export type Span = { readonly since: number; readonly until: number };

/** Every time zone's offset is a multiple of it, so that hours and days of any zone consist of whole quarters. */
export const QUARTER_MS = 900_000;

/** Whole quarters of an hour since 1970, in which the use of integrations is counted. */
export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS);
}

/**
 * Days and hours of a time zone (IANA name). A day has 23, 24 or 25 hours, or 23.5 and 24.5 in zones such as Lord Howe;
 * an hour that occurs twice counts as two.
 */
export type Day = Span & { readonly date: Temporal.PlainDate };

/** The days from `first` to `last`, both included. */
export function daysBetween(first: Temporal.PlainDate, last: Temporal.PlainDate, timeZone: string): Day[] {
  const days: Day[] = [];
  for (let date = first, since = startOf(first, timeZone); Temporal.PlainDate.compare(date, last) <= 0; ) {
    const next = date.add({ days: 1 });
    const until = startOf(next, timeZone);
    days.push({ date, since, until });
    date = next;
    since = until;
  }
  return days;
}

/** When a day begins in a time zone, Unix ms. */
export const startOf = (date: Temporal.PlainDate, timeZone: string): number =>
  date.toZonedDateTime(timeZone).epochMilliseconds;

/** The Monday of the week of a date. */
export const mondayOf = (date: Temporal.PlainDate): Temporal.PlainDate =>
  date.subtract({ days: date.dayOfWeek - 1 });

/** The date in a time zone at a moment (Unix ms). */
export function dateAt(at: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** Parses `2026-11-20`; undefined if it is not a date. */
export function dateIn(text: string | null): Temporal.PlainDate | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' });
  } catch {
    return undefined;
  }
}

export type ClockHour = Span & {
  /** 0 to 23. */
  readonly hour: number;
  /** From UTC, such as `+01:00`, on days with a clock change: one of their hours may come twice. */
  readonly offset?: string;
  /** `09:00`; on days with a clock change with the offset from UTC: `02:00 (+01:00)`. */
  readonly label: string;
};

const DAY_MS = 96 * QUARTER_MS;

/** The hours of a day in order. */
export function hoursOf({ since, until }: Span, timeZone: string): ClockHour[] {
  if (until - since === DAY_MS) {
    return Array.from({ length: 24 }, (_, hour) => {
      const began = since + hour * 4 * QUARTER_MS;
      return { since: began, until: began + 4 * QUARTER_MS, hour, label: clock(hour) };
    });
  }
  const hours: { since: number; until: number; hour: number; offset: string }[] = [];
  for (let at = since; at < until; at += QUARTER_MS) {
    const { hour, offset } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
    const last = hours.at(-1);
    if (last?.hour === hour && last.offset === offset) last.until = at + QUARTER_MS;
    else hours.push({ since: at, until: at + QUARTER_MS, hour, offset });
  }
  const changes = new Set(hours.map(({ offset }) => offset)).size > 1;
  return hours.map(({ offset, ...hour }) => {
    const label = clock(hour.hour);
    return changes ? { ...hour, offset, label: `${label} (${offset})` } : { ...hour, label };
  });
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
