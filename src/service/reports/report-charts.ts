import { quantile } from '../calls/aggregate.ts';
import { barChart, heatTable, timeTicks } from '../kit/chart.ts';
import type { PageRequest } from '../kit/page-request.ts';
import type { Html } from '../words/html.ts';
import { busyHours, type Counts, type DayRow, type SeriesRow } from './call-report.ts';
import { daysIn, type StepLength } from './period.ts';
import { callsOf, hourName, hourOf, namesFor, type Spoken, stepNames } from './report-names.ts';
import type { Reported } from './report-rows.ts';
import { type Row, seconds } from './report-tables.ts';

const countsInWords = ({ calls, answered, missed }: Counts, { words, formats }: Spoken) =>
  words.reports.counts(calls, formats.number(answered), formats.number(missed));

export function callChart(
  request: PageRequest,
  label: string,
  rows: readonly Row[],
  short: (row: Row, at: number) => string,
): Html {
  const { kinds, sameInTable } = request.words.reports;
  return barChart(
    {
      label: sameInTable(label),
      kinds: [
        { name: kinds.answered, style: 'answered' },
        { name: kinds.missed, style: 'missed' },
        { name: kinds.ringing, style: 'ringing' },
      ],
    },
    rows.map((row, at) => ({
      short: short(row, at),
      title: `${row.label}: ${countsInWords(row, request)}`,
      ...(row.calls > 0 && row.href && { href: row.href }),
      parts: [row.answered, row.missed, row.calls - row.answered - row.missed],
    })),
  );
}

/** Two parts per bar: the median time to answer, and what the 90th percentile adds to it. */
export function timeToAnswerChart(
  request: PageRequest,
  step: StepLength,
  series: readonly SeriesRow[],
  rows: readonly Row[],
): Html {
  const text = request.words.reports;
  return barChart(
    {
      label: text.sameInTable(text.timeToAnswer),
      kinds: [
        { name: text.kinds.median, style: 'median' },
        { name: text.nineOfTen, style: 'most' },
      ],
      ticks: timeTicks,
      tick: seconds,
    },
    rows.map(({ label, href, group }, at) => {
      const half = group ? quantile(group.waited, 0.5) : null;
      const most = group ? quantile(group.waited, 0.9) : null;
      return {
        short: stepNames(series[at] as SeriesRow, step, false, request).short,
        title:
          half === null ? text.noAnswered(label) : text.answeredTimes(label, seconds(half), seconds(most)),
        ...(half !== null && href && { href }),
        parts: [half ?? 0, (most ?? 0) - (half ?? 0)],
      };
    }),
  );
}

/** Days, or days of the week, by hour. A cell of a single day leads to its calls. */
export function heat(request: PageRequest, { report, period, filter }: Reported): Html {
  const text = request.words.reports;
  const names = namesFor(request.formats.locale);
  const [first, last] = busyHours(report.hours);
  const hours = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const callsAt = (hour: number) => report.hours[hour]?.calls ?? 0;
  const most = Math.max(...hours.map(callsAt));
  const byDay = daysIn(period) <= report.days.length;
  const nameOf = ({ first: date }: DayRow) => (byDay ? names.day(date) : names.weekday(date));
  return heatTable(
    text.dayAndHourCaption,
    text.steps.day,
    hours.map((hour) => String(hour)),
    report.days.map((row) => ({
      label: nameOf(row),
      cells: hours.map((hour) => {
        const counts = row.hours[hour] as Counts;
        return {
          ...counts,
          title: `${nameOf(row)}, ${hourName(hour)}: ${countsInWords(counts, request)}`,
          href: row.first.equals(row.last) ? callsOf(filter, hourOf(row.first, hour)) : undefined,
        };
      }),
    })),
    hours.findIndex((hour) => callsAt(hour) * 4 >= most),
  );
}
