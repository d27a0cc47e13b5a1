import { type Day, dateAt, dateIn, daysBetween, mondayOf, QUARTER_MS } from '../kit/calendar.ts';

/** The days of a report, `first` and `last` included, grouped by `step`. */
export type Period = {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
  readonly step: StepLength;
};

export const stepLengths = ['hour', 'day', 'week', 'month'] as const;
export type StepLength = (typeof stepLengths)[number];

/** The longest period for each step, in days: keeps tables short and charts readable. */
const longest: Record<StepLength, number> = { hour: 14, day: 400, week: 2000, month: 4000 };
/** The default step of periods up to this many days. */
const defaultSteps: readonly (readonly [days: number, step: StepLength])[] = [
  [2, 'hour'],
  [62, 'day'],
  [400, 'week'],
];

/** The steps that a period can be grouped by. One day as a whole is what the report begins with: it is shown by hour. */
export function stepsFor({ first, last }: Pick<Period, 'first' | 'last'>): StepLength[] {
  const days = daysIn({ first, last });
  return days === 1 ? ['hour'] : stepLengths.filter((step) => days <= longest[step]);
}

export function daysIn({ first, last }: Pick<Period, 'first' | 'last'>): number {
  return first.until(last, { largestUnit: 'day' }).days + 1;
}

/**
 * The period in an address: `from`, `to` (`2026-11-20`) and `by`. Missing or invalid values are corrected: without dates
 * the period is the last seven days, swapped dates are put in order, it ends today at the latest, and it is at most
 * eleven years long.
 */
export function periodIn(query: URLSearchParams, now: number, timeZone: string): Period {
  const today = dateAt(now, timeZone);
  const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate) => Temporal.PlainDate.compare(a, b) < 0;
  const last = dateIn(query.get('to')) ?? today;
  const first = dateIn(query.get('from')) ?? last.subtract({ days: 6 });
  const [from, end] = isBefore(last, first) ? [last, first] : [first, last];
  const to = isBefore(from, today) && isBefore(today, end) ? today : end;
  const earliest = to.subtract({ days: longest.month - 1 });
  const days = { first: isBefore(from, earliest) ? earliest : from, last: to };
  const requested = stepsFor(days).find((step) => step === query.get('by'));
  const step = requested ?? defaultSteps.find(([most]) => daysIn(days) <= most)?.[1] ?? 'month';
  return { ...days, step };
}

/**
 * The days to compare a period with: from the first of a year or month, the same dates of the year or month before; else
 * as many whole weeks before, so that the days of the week are the same.
 */
function daysBefore({ first, last }: Pick<Period, 'first' | 'last'>): Omit<Period, 'step'> {
  const sameMonth = first.toPlainYearMonth().equals(last.toPlainYearMonth());
  if (first.day === 1 && (sameMonth || first.month === 1) && first.year === last.year) {
    const earlier = sameMonth ? { months: 1 } : { years: 1 };
    const isLastOfMonth = last.day === last.daysInMonth;
    const end = last.subtract(earlier);
    return { first: first.subtract(earlier), last: isLastOfMonth ? end.with({ day: end.daysInMonth }) : end };
  }
  const earlier = { weeks: Math.ceil(daysIn({ first, last }) / 7) };
  return { first: first.subtract(earlier), last: last.subtract(earlier) };
}

/** The days of the period before; of the last one only as much as has passed of today. */
export function sameTimeThen(period: Period, days: readonly Day[], now: number, timeZone: string) {
  const { first, last } = daysBefore(period);
  const then = daysBetween(first, last, timeZone);
  const [today, end] = [days.at(-1), then.at(-1)];
  if (today === undefined || end === undefined || today.until <= now) return then;
  const passed = Math.max(0, Math.floor((now - today.since) / QUARTER_MS) * QUARTER_MS);
  return passed === 0
    ? then.slice(0, -1)
    : [...then.slice(0, -1), { ...end, until: Math.min(end.until, end.since + passed) }];
}

type UsualPeriod = 'today' | 'yesterday' | 'last7' | 'lastWeek' | 'thisMonth' | 'lastMonth' | 'thisYear';

/** Common periods. */
export function usualPeriods(
  now: number,
  timeZone: string,
): readonly (readonly [UsualPeriod, Omit<Period, 'step'>])[] {
  const today = dateAt(now, timeZone);
  const month = today.with({ day: 1 });
  const monday = mondayOf(today);
  const yesterday = today.subtract({ days: 1 });
  return [
    ['today', { first: today, last: today }],
    ['yesterday', { first: yesterday, last: yesterday }],
    ['last7', { first: today.subtract({ days: 6 }), last: today }],
    ['lastWeek', { first: monday.subtract({ days: 7 }), last: monday.subtract({ days: 1 }) }],
    ['thisMonth', { first: month, last: today }],
    ['lastMonth', { first: month.subtract({ months: 1 }), last: month.subtract({ days: 1 }) }],
    ['thisYear', { first: today.with({ month: 1, day: 1 }), last: today }],
  ];
}
