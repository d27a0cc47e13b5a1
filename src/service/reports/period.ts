import { dateAt, dateIn } from './calendar.ts';

/** What a report covers: days from `first` to `last`, both included, told by steps of such a length. */
export type Period = {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
  readonly step: StepLength;
};

const stepLengths = ['hour', 'day', 'week', 'month'] as const;
export type StepLength = (typeof stepLengths)[number];

/** The longest period that each step is offered for, in days, so that a table ends and a chart can be read. */
const longest: Record<StepLength, number> = { hour: 14, day: 400, week: 2000, month: 4000 };
/** A period of so many days is told by this step, unless another is asked for. */
const usual: readonly (readonly [days: number, step: StepLength])[] = [
  [2, 'hour'],
  [62, 'day'],
  [400, 'week'],
];

/** The steps that a period can be told by. */
export function stepsFor({ first, last }: Pick<Period, 'first' | 'last'>): StepLength[] {
  return stepLengths.filter((step) => daysIn({ first, last }) <= longest[step]);
}

export function daysIn({ first, last }: Pick<Period, 'first' | 'last'>): number {
  return first.until(last, { largestUnit: 'day' }).days + 1;
}

/**
 * The period that an address asks for: `from`, `to` (`2026-11-20`) and `by`. What is missing or cannot be is put right:
 * without dates it is the last seven days, turned round dates are turned back, it ends today, and nothing is longer than
 * eleven years.
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
  const asked = stepsFor(days).find((step) => step === query.get('by'));
  const step = asked ?? usual.find(([most]) => daysIn(days) <= most)?.[1] ?? 'month';
  return { ...days, step };
}

/** Periods that people ask for, by name. */
export function usualPeriods(
  now: number,
  timeZone: string,
): readonly (readonly [string, Omit<Period, 'step'>])[] {
  const today = dateAt(now, timeZone);
  const month = today.with({ day: 1 });
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const yesterday = today.subtract({ days: 1 });
  return [
    ['Today', { first: today, last: today }],
    ['Yesterday', { first: yesterday, last: yesterday }],
    ['Last 7 days', { first: today.subtract({ days: 6 }), last: today }],
    ['Last week', { first: monday.subtract({ days: 7 }), last: monday.subtract({ days: 1 }) }],
    ['This month', { first: month, last: today }],
    ['Last month', { first: month.subtract({ months: 1 }), last: month.subtract({ days: 1 }) }],
    ['This year', { first: today.with({ month: 1, day: 1 }), last: today }],
  ];
}
