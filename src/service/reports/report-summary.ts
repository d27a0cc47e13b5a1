import type { Extensions } from '../accounts/account.ts';
import { OTHERS, quantile, serviceLevel } from '../calls/aggregate.ts';
import { type Html, html } from '../words/html.ts';
import type { Report } from './call-report.ts';
import type { CallersReport } from './callers-report.ts';
import { personOf } from './report-filter.ts';
import { hourName, type Spoken } from './report-names.ts';
import { missedRate, percent } from './report-tables.ts';

/** What a report begins with, on its page and by mail: the sentence that decides, and four figures. */

/** With fewer calls an hour says nothing; nor does one that missed fewer, or hardly more of its calls than all hours. */
const [ENOUGH_CALLS, ENOUGH_MISSED, CLEARLY] = [30, 5, 1.5];

/**
 * The hour to decide about: the one that missed most, if it missed clearly more of its calls than all hours together, else
 * the busiest. Null if no hour stands out: there are few calls, or two hours have most of them.
 */
function decidingHour({ all, hours }: Pick<Report, 'all' | 'hours'>) {
  const most = (count: 'calls' | 'missed') => {
    const highest = Math.max(...hours.map((counts) => counts[count]));
    const those = hours.flatMap((counts, hour) => (counts[count] === highest ? hour : []));
    return those.length === 1 ? (those[0] as number) : null;
  };
  if (all.calls < ENOUGH_CALLS) return null;
  const [busiest, worst] = [most('calls'), most('missed')];
  const { missed = 0, answered = 0 } = hours[worst ?? -1] ?? {};
  const isClear = (missedRate({ answered, missed }) ?? 0) >= CLEARLY * (missedRate(all) ?? 0);
  if (worst !== null && worst !== busiest && missed >= ENOUGH_MISSED && isClear)
    return { is: 'missed', hour: worst } as const;
  return busiest === null ? null : ({ is: 'busiest', hour: busiest } as const);
}

/** Only what is counted, no advice. */
export function deciding(report: Report, extensions: Extensions, { words, formats }: Spoken): Html {
  const found = decidingHour(report);
  if (found === null) return null;
  const { is, hour } = found;
  const { calls = 0, missed = 0 } = report.hours[hour] ?? {};
  const known = [...(report.answerers[hour] ?? [])].filter((one) => one !== '' && one !== OTHERS);
  const people = new Set(known.map((extension) => personOf(extensions, extension)));
  const span = html`<b>${hourName(hour)} – ${hourName((hour + 1) % 24)}</b>`;
  return words.reports.says(is, span, formats.number(missed), formats.number(calls), people.size);
}

export type Figure = {
  readonly label: string;
  readonly value: string;
  /** Beside the value; below it. */
  readonly share?: string;
  readonly under: readonly string[];
  /** The outcome of its calls in the call list. */
  readonly outcome?: '' | 'missed';
};

/** Each with what it was before. `within`: the seconds in which calls are to be answered. */
export function summaryFigures(
  { all }: Pick<Report, 'all'>,
  { all: then }: Pick<Report, 'all'>,
  callers: CallersReport | null,
  within: number,
  { words, formats }: Spoken,
): Figure[] {
  const { reports: text, calls, layout } = words;
  const share = (value: number | null) => percent(value, formats.locale);
  /** Without what is not known. */
  const known = (...lines: readonly string[]) => lines.filter((line) => !line.startsWith('–'));
  const span = (value: number | null) => (value === null ? '–' : formats.span(value * 1000));
  const toAnswer = (of: typeof all) => span(quantile(of.waited, 0.5));
  const figures: Figure[] = [
    {
      label: layout.calls,
      value: formats.number(all.calls),
      outcome: '',
      under: [text.before(formats.number(then.calls))],
    },
    {
      label: calls.outcomes.missed,
      value: formats.number(all.missed),
      outcome: 'missed',
      share: share(missedRate(all)),
      under: known(text.before(share(missedRate(then)))),
    },
    {
      label: text.timeToAnswer,
      value: toAnswer(all),
      under: known(text.before(toAnswer(then)), `${share(serviceLevel(all, within))} ${text.within(within)}`),
    },
  ];
  if (callers !== null)
    figures.push({
      label: text.calledBackAfter,
      value: span(quantile(callers.calledBack, 0.5)),
      under: [
        ...known(span(quantile(callers.calledBack, 0.9))).map((most) => `${text.nineOfTen} ${most}`),
        text.neverReachedCount(formats.number(callers.neverReached.length)),
        ...(callers.stillWaiting > 0 ? [text.stillWaiting(formats.number(callers.stillWaiting))] : []),
      ],
    });
  return figures;
}
