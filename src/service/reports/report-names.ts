import { addressOf } from '../activity/call-filter.ts';
import { clockOf } from '../kit/opening-hours.ts';
import type { PageRequest } from '../kit/page-request.ts';
import type { SeriesRow } from './call-report.ts';
import type { Period, StepLength, Times } from './period.ts';
import type { ReportFilter } from './report-filter.ts';

type Names = ReturnType<typeof makeNames>;

const made = new Map<string, Names>();

/** How dates are written in a language. */
export function namesFor(locale: string): Names {
  const names = made.get(locale) ?? makeNames(locale);
  made.set(locale, names);
  return names;
}

function makeNames(locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, options);
    return (date: Temporal.PlainDate) =>
      locale === 'en-GB' ? formatter.format(date).replace(',', '') : formatter.format(date);
  };
  return {
    day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: format({ weekday: 'long' }),
    date: format({ day: 'numeric', month: 'short' }),
    month: format({ month: 'long', year: 'numeric' }),
    shortMonth: format({ month: 'short', year: '2-digit' }),
    full: format({ day: 'numeric', month: 'short', year: 'numeric' }),
  };
}

export type Spoken = Pick<PageRequest, 'words' | 'formats'>;

/** How a step is named in a table, under a bar and in CSV. */
export function stepNames(
  { first, last, hour }: SeriesRow,
  step: StepLength,
  isOneDay: boolean,
  { words, formats }: Spoken,
) {
  const names = namesFor(formats.locale);
  if (hour !== null) {
    const label = isOneDay ? hour.label : `${names.day(first)}, ${hour.label}`;
    return { label, short: hour.label.slice(0, 5), iso: `${first}T${hour.label.replace(/ \((.*)\)/, '$1')}` };
  }
  if (step === 'month') {
    const [label, short] = [names.month(first), names.shortMonth(first)];
    return { label, short, iso: first.toPlainYearMonth().toString() };
  }
  const short = names.date(first);
  if (step === 'day') return { label: names.day(first), short, iso: first.toString() };
  const label = words.reports.week(last.weekOfYear ?? 0, names.full(first));
  return { label, short, iso: first.toString() };
}

type CallSpan = { readonly from: string; readonly to: string };

type Days = Omit<Period, 'step'>;

/** The period, as the call list has it in its address. */
export const daysOf = ({ first, last, times }: Days): CallSpan =>
  times ? partOf(first, times) : { from: first.toString(), to: last.toString() };

/** An hour of a day, or what these times leave of it. */
export const hourOf = (date: Temporal.PlainDate, hour: number, [from, to]: Times = [0, 1440]): CallSpan =>
  partOf(date, [Math.max(from, hour * 60), Math.min(to, (hour + 1) * 60)]);

function partOf(date: Temporal.PlainDate, [from, to]: Times): CallSpan {
  const at = (minutes: number) => date.toPlainDateTime().add({ minutes }).toString().slice(0, 16);
  return { from: at(from), to: at(to) };
}

/** The period, as reports have it in their address. */
export const reportOf = ({ first, last, times }: Days): Record<string, string> => ({
  ...daysOf({ first, last }),
  ...(times && first.equals(last) && { start: clockOf(times[0]), end: clockOf(times[1]) }),
});

export const callsOf = (filter: ReportFilter | null, span: CallSpan, also: Record<string, string> = {}) =>
  addressOf('/calls', {}, { ...span, ...filter?.calls, ...also });

export const hourName = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

export function inWords({ first, last, times }: Days, { words, formats }: Spoken): string {
  const { full } = namesFor(formats.locale);
  if (times) return `${full(first)}, ${clockOf(times[0])}–${clockOf(times[1])}`;
  return first.equals(last) ? full(first) : words.reports.span(full(first), full(last));
}
