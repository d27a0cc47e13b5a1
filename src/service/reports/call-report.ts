import { countGroup, type Group, QUARTER_MS, type SpanFigures } from './aggregate.ts';
import { type Day, hoursOf } from './calendar.ts';
import type { Period, StepLength } from './period.ts';

export type Counts = Pick<Group, 'calls' | 'answered' | 'missed'>;

/** One row of a series; `group` is null for hours, which have counts only. */
export type SeriesRow = Counts & {
  /** `Fri 20 Nov 2026`. */
  readonly label: string;
  /** A short label for charts. */
  readonly short: string;
  readonly group: Group | null;
};

export type Report = {
  readonly all: Group;
  readonly series: readonly SeriesRow[];
  /** Of all days together, hours 0 to 23. */
  readonly hours: readonly SeriesRow[];
  /** Most calls first. */
  readonly extensions: readonly (readonly [string, Group])[];
  readonly segments: readonly (readonly [string, Group])[];
};

/** Combines the figures of a period's days, given in the order of the days. */
export async function makeReport(
  { step }: Pick<Period, 'step'>,
  days: readonly Day[],
  timeZone: string,
  figures: AsyncIterable<SpanFigures>,
): Promise<Report> {
  const all = countGroup();
  const extensions = new Map<string, ReturnType<typeof countGroup>>();
  const segments = new Map<string, ReturnType<typeof countGroup>>();
  const collect = (groups: typeof extensions, [name, group]: readonly [string, Group]) => {
    const sum = groups.get(name) ?? countGroup();
    groups.set(name, sum);
    sum.merge(group);
  };
  const hours = Array.from({ length: 24 }, () => ({ calls: 0, answered: 0, missed: 0 }));
  const steps: { label: string; short: string; sum: ReturnType<typeof countGroup> }[] = [];
  const series: SeriesRow[] = [];

  let index = 0;
  for await (const ofDay of figures) {
    const day = days[index] as Day;
    index += 1;
    all.merge(ofDay.all);
    for (const group of ofDay.extensions) collect(extensions, group);
    for (const group of ofDay.segments) collect(segments, group);
    for (const hour of hoursOf(day, timeZone)) {
      const counts = countsBetween(ofDay, hour.since - day.since, hour.until - day.since);
      const sum = hours[hour.hour] as { -readonly [Key in keyof Counts]: number };
      for (const key of ['calls', 'answered', 'missed'] as const) sum[key] += counts[key];
      if (step === 'hour') {
        const label = days.length === 1 ? hour.label : `${names.day.format(day.date)}, ${hour.label}`;
        series.push({ ...counts, label, short: hour.label.slice(0, 5), group: null });
      }
    }
    if (step === 'hour') continue;
    const { label, short } = nameOf(day.date, step);
    if (steps.at(-1)?.label !== label) steps.push({ label, short, sum: countGroup() });
    steps.at(-1)?.sum.merge(ofDay.all);
  }
  for (const { label, short, sum } of steps) {
    const group = sum.group();
    series.push({ ...countsOf(group), label, short, group });
  }
  const largestFirst = (groups: typeof extensions) =>
    [...groups]
      .map(([name, sum]) => [name, sum.group()] as const)
      .sort(([nameA, a], [nameB, b]) => b.calls - a.calls || (nameA < nameB ? -1 : 1));
  return {
    all: all.group(),
    series,
    hours: hours.map((counts, hour) => {
      const label = `${String(hour).padStart(2, '0')}:00`;
      return { ...counts, label, short: label, group: null };
    }),
    extensions: largestFirst(extensions),
    segments: largestFirst(segments),
  };
}

const countsOf = ({ calls, answered, missed }: Group): Counts => ({ calls, answered, missed });

/** Sums the quarters from `since` until before `until`, ms from the start of the day. */
function countsBetween({ quarters }: SpanFigures, since: number, until: number): Counts {
  const [first, end] = [since / QUARTER_MS, until / QUARTER_MS];
  const sum = (offset: number) => {
    let total = 0;
    for (let quarter = first; quarter < end; quarter += 1) total += quarters[quarter * 3 + offset] ?? 0;
    return total;
  };
  return { calls: sum(0), answered: sum(1), missed: sum(2) };
}

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const names = {
  day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  weekday: format({ weekday: 'short', day: 'numeric' }),
  date: format({ day: 'numeric', month: 'short' }),
  month: format({ month: 'long', year: 'numeric' }),
  shortMonth: format({ month: 'short', year: '2-digit' }),
};

function nameOf(date: Temporal.PlainDate, step: StepLength): { label: string; short: string } {
  if (step === 'month') return { label: names.month.format(date), short: names.shortMonth.format(date) };
  if (step === 'day')
    return { label: names.day.format(date).replace(',', ''), short: names.date.format(date) };
  const monday = date.subtract({ days: date.dayOfWeek - 1 });
  const label = `Week ${date.weekOfYear}, from ${names.date.format(monday)} ${monday.year}`;
  return { label, short: names.date.format(monday) };
}
