import { addressOf } from '../activity/call-filter.ts';
import type { PageRequest } from '../kit/page-request.ts';
import type { SeriesRow } from './call-report.ts';
import type { Period, StepLength } from './period.ts';
import type { ReportFilter } from './report-filter.ts';

type Names = ReturnType<typeof createNames>;

const made = new Map<string, Names>();

/** How dates are written in a language. */
export function namesFor(locale: string): Names {
  const names = made.get(locale) ?? createNames(locale);
  made.set(locale, names);
  return names;
}

function createNames(locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, options);
    return (date: Temporal.PlainDate) =>
      locale === 'en-GB' ? formatter.format(date).replace(',', '') : formatter.format(date);
  };
  const shortDay = format({ weekday: 'short', day: 'numeric' });
  const full = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  return {
    day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: format({ weekday: 'short' }),
    /** `Wed 18`, also where the language writes `Mi., 18.` */
    shortDay: (date: Temporal.PlainDate) => shortDay(date).replace(/\.?,/, ''),
    date: format({ day: 'numeric', month: 'short' }),
    month: format({ month: 'long', year: 'numeric' }),
    shortMonth: format({ month: 'short', year: '2-digit' }),
    full: format(full),
    /** `16–22 Nov 2026` */
    span: (first: Temporal.PlainDate, last: Temporal.PlainDate) =>
      new Intl.DateTimeFormat(locale, full).formatRange(first, last),
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
  if (step === 'day') return { label: names.day(first), short: names.shortDay(first), iso: first.toString() };
  const short = names.date(first);
  const label = words.reports.week(last.weekOfYear ?? 0, names.full(first));
  return { label, short, iso: first.toString() };
}

type CallSpan = { readonly from: string; readonly to: string };

type Days = Omit<Period, 'step'>;

/** The period, as the call list has it in its address. */
export const daysOf = ({ first, last }: Days): CallSpan => ({ from: first.toString(), to: last.toString() });

/** An hour of a day. `offset`: which of two that the clocks show alike. */
export function hourOf(date: Temporal.PlainDate, hour: number, offset = ''): CallSpan {
  const at = (hours: number) => `${date.toPlainDateTime().add({ hours }).toString().slice(0, 16)}${offset}`;
  return { from: at(hour), to: at(hour + 1) };
}

export const callsOf = (filter: ReportFilter | null, span: CallSpan, also: Record<string, string> = {}) =>
  addressOf('/calls', {}, { ...span, ...filter?.calls, ...also });

export const hourName = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

export const inWords = ({ first, last }: Days, { formats }: Pick<Spoken, 'formats'>): string =>
  namesFor(formats.locale).span(first, last);
