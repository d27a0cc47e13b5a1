import {
  byKind,
  countFigures,
  countGroup,
  type Figures,
  type Group,
  type GroupKind,
  groupKinds,
  MAX_GROUPS,
  OTHERS,
  type SpanFigures,
} from '../calls/aggregate.ts';
import { type ClockHour, type Day, hoursOf, mondayOf, QUARTER_MS, type Span } from '../kit/calendar.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import { countPeople, type PersonFigures, type PersonOf } from './people-sums.ts';
import type { Period, StepLength } from './period.ts';

export type Counts = Pick<Group, 'calls' | 'answered' | 'missed'>;

/** One step of the period; `group` is null for hours, which have counts only. */
export type SeriesRow = Counts & {
  /** Its first and last day in the period. */
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
  /** Null unless the step is an hour. */
  readonly hour: Omit<ClockHour, keyof Span> | null;
  readonly group: Group | null;
};

/** The hours 0 to 23 of a day, or of a day of the week: `last` is then the last of them in the period. */
export type DayRow = {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
  readonly hours: readonly Counts[];
};

export type NamedGroup = readonly [name: string, group: Group];

export type Report = {
  readonly all: Group;
  /** The calls of each day, whatever the filter. */
  readonly perDay: readonly number[];
  readonly series: readonly SeriesRow[];
  /** Hours by day, or by day of the week (Monday first) if the period is longer than two weeks. */
  readonly days: readonly DayRow[];
  /** All days together, hours 0 to 23. */
  readonly hours: readonly Counts[];
  /** In each hour: the extensions that answered calls, whatever the filter. */
  readonly answerers: readonly ReadonlySet<string>[];
  /** In opening hours, and out of them; null if the account has none. */
  readonly parts: { readonly in: Counts; readonly out: Counts } | null;
  /** Most calls first; of all calls, whatever the filter. */
  readonly groups: Readonly<Record<GroupKind, readonly NamedGroup[]>>;
  /** Who was offered calls, or took them; of all calls, whatever the filter. */
  readonly people: readonly PersonFigures[];
  /** Whether a bridge has said of some calls whose phones rang. */
  readonly hasRang: boolean;
};

/** The calls to report: those of some groups of one kind. */
export type GroupFilter = { readonly kind: GroupKind; readonly names: readonly string[] };

/** More days are shown by day of the week. */
const MAX_DAY_ROWS = 14;

type DaySum = { first: Temporal.PlainDate; last: Temporal.PlainDate; hours: Sum[] };
type StepSum = { key: string; first: Temporal.PlainDate; last: Temporal.PlainDate; sum: GroupSum };

/** What is counted day by day. */
type Sums = ReturnType<typeof noSums>;

const noSums = (step: StepLength, personOf: PersonOf) => ({
  all: countGroup(),
  groups: byKind(createGroupSums),
  people: countPeople(personOf),
  hours: emptyHours(),
  answerers: Array.from({ length: 24 }, () => new Set<string>()),
  /** By date, or by day of the week. */
  dayRows: new Map<string, DaySum>(),
  steps: [] as StepSum[],
  /** The steps, if they are hours. */
  hourSeries: step === 'hour' ? ([] as SeriesRow[]) : null,
  /** In opening hours. */
  open: noCounts(),
  perDay: [] as number[],
});

/** Combines the figures of a period's days, given in the order of the days. `filter` null: all calls. */
export async function makeReport(
  { step }: Pick<Period, 'step'>,
  days: readonly Day[],
  timeZone: string,
  figures: AsyncIterable<SpanFigures>,
  filter: GroupFilter | null = null,
  opens: ((day: Day) => readonly Span[]) | null = null,
  personOf: PersonOf = (extension) => extension,
): Promise<Report> {
  const sums = noSums(step, personOf);
  const pause = createPause();
  for await (const ofDay of figures) {
    await pause();
    const day = days[sums.perDay.length] as Day;
    sums.perDay.push(ofDay.all.calls);
    for (const kind of groupKinds)
      for (const [name, part] of ofDay[kind]) sums.groups[kind].get(name).merge(part.all);
    sums.people.add(ofDay.shared);
    const figuresOfDay = filter === null ? ofDay : chosen(ofDay, filter);
    sums.all.merge(figuresOfDay.all);
    for (const span of opens?.(day) ?? []) addCounts(sums.open, countsOfSpan(figuresOfDay, day, span));
    const hourAt = addHours(sums, day, dayRowOf(sums, day, days.length), figuresOfDay, timeZone);
    addAnswerers(sums, ofDay, hourAt);
    if (step !== 'hour') addToStep(sums, day, step, figuresOfDay);
  }
  return reportOf(sums, days.length, opens !== null);
}

const countsOfSpan = (figures: Figures, { since }: Day, span: Span): Counts =>
  countsBetween(figures, { since: span.since - since, until: span.until - since });

/** The row of a day in the table of days and hours. */
function dayRowOf({ dayRows }: Sums, { date }: Day, days: number): DaySum {
  const key = String(days > MAX_DAY_ROWS ? date.dayOfWeek : date);
  const row = dayRows.get(key) ?? { first: date, last: date, hours: emptyHours() };
  row.last = date;
  dayRows.set(key, row);
  return row;
}

/** Adds each hour of a day. Returns the hour of each quarter of the day. */
function addHours(
  { hours, hourSeries }: Sums,
  day: Day,
  row: DaySum,
  figures: Figures,
  timeZone: string,
): number[] {
  const hourAt: number[] = [];
  for (const { since, until, ...named } of hoursOf(day, timeZone)) {
    const { hour } = named;
    const counts = countsOfSpan(figures, day, { since, until });
    for (const sum of [hours[hour], row.hours[hour]]) addCounts(sum as Sum, counts);
    for (let at = since; at < until; at += QUARTER_MS) hourAt.push(hour);
    hourSeries?.push({ ...counts, first: day.date, last: day.date, hour: named, group: null });
  }
  return hourAt;
}

function addAnswerers({ answerers, groups }: Sums, ofDay: SpanFigures, hourAt: readonly number[]): void {
  for (const [extension, { quarters }] of ofDay.extensions)
    for (let at = 0; at < quarters.length; at += 4)
      answerers[hourAt[quarters[at] as number] as number]?.add(groups.extensions.keyOf(extension));
}

function addToStep({ steps }: Sums, { date }: Day, step: StepLength, figures: Figures): void {
  const key = keyOf(date, step);
  if (steps.at(-1)?.key !== key) steps.push({ key, first: date, last: date, sum: countGroup() });
  const current = steps.at(-1) as StepSum;
  current.last = date;
  current.sum.merge(figures.all);
}

function reportOf(sums: Sums, days: number, hasHours: boolean): Report {
  const { hours, answerers, groups, open, perDay, hourSeries } = sums;
  const rows = [...sums.dayRows.values()];
  const all = sums.all.group();
  const { calls, answered, missed } = all;
  return {
    all,
    perDay,
    parts: hasHours
      ? {
          in: open,
          out: {
            calls: calls - open.calls,
            answered: answered - open.answered,
            missed: missed - open.missed,
          },
        }
      : null,
    series: hourSeries ?? sums.steps.map(stepRow),
    days: days > MAX_DAY_ROWS ? rows.sort((a, b) => a.first.dayOfWeek - b.first.dayOfWeek) : rows,
    hours,
    answerers,
    groups: byKind((kind) => groups[kind].largestFirst()),
    ...sums.people.figures(),
  };
}

function stepRow({ first, last, sum }: StepSum): SeriesRow {
  const group = sum.group();
  const { calls, answered, missed } = group;
  return { calls, answered, missed, first, last, hour: null, group };
}

/** The hours of the day from the first with calls to the last: `[8, 17]`. */
export function busyHours(hours: readonly Counts[]): readonly [first: number, last: number] {
  const has = ({ calls }: Counts) => calls > 0;
  return [Math.max(0, hours.findIndex(has)), hours.findLastIndex(has)];
}

/** The steps of a report that its page shows: without the nights that have no calls on any day. */
export function shownSeries({ series, hours }: Pick<Report, 'series' | 'hours'>): readonly SeriesRow[] {
  const [first, last] = busyHours(hours);
  return series.filter(({ hour }) => hour === null || (hour.hour >= first && hour.hour <= last));
}

type GroupSum = ReturnType<typeof countGroup>;

function createGroupSums() {
  const groups = new Map<string, GroupSum>();
  // Each day may have as many names as it can, and other ones than the days before.
  const keyOf = (name: string) => (groups.has(name) || groups.size < MAX_GROUPS ? name : OTHERS);
  return {
    /** The name of the group that has the calls of this one. */
    keyOf,
    get(name: string): GroupSum {
      const key = keyOf(name);
      const sum = groups.get(key) ?? countGroup();
      groups.set(key, sum);
      return sum;
    },
    largestFirst: (): NamedGroup[] =>
      [...groups]
        .map(([name, sum]) => [name, sum.group()] as const)
        .sort(([nameA, a], [nameB, b]) => b.calls - a.calls || (nameA < nameB ? -1 : 1)),
  };
}

function chosen(ofDay: SpanFigures, { kind, names }: GroupFilter): Figures {
  const sum = countFigures();
  for (const [name, part] of ofDay[kind]) if (names.includes(name)) sum.merge(part);
  return sum.figures();
}

type Sum = { -readonly [Key in keyof Counts]: number };

const noCounts = (): Sum => ({ calls: 0, answered: 0, missed: 0 });
const emptyHours = (): Sum[] => Array.from({ length: 24 }, noCounts);

function addCounts(sum: Sum, { calls, answered, missed }: Counts): void {
  sum.calls += calls;
  sum.answered += answered;
  sum.missed += missed;
}

/** Sums the quarters of a span, ms from the start of the day. */
function countsBetween({ quarters }: Figures, { since, until }: Span): Counts {
  const sum = { calls: 0, answered: 0, missed: 0 };
  for (let at = 0; at < quarters.length; at += 4) {
    const start = (quarters[at] as number) * QUARTER_MS;
    if (start < since || start >= until) continue;
    sum.calls += quarters[at + 1] as number;
    sum.answered += quarters[at + 2] as number;
    sum.missed += quarters[at + 3] as number;
  }
  return sum;
}

function keyOf(date: Temporal.PlainDate, step: StepLength): string {
  if (step === 'month') return date.toPlainYearMonth().toString();
  return (step === 'week' ? mondayOf(date) : date).toString();
}
