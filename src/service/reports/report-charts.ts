import { barChart, heatTable } from '../kit/chart.ts';
import type { PageRequest } from '../kit/page-request.ts';
import type { Html } from '../words/html.ts';
import { busyHours, type Counts, type DayRow } from './call-report.ts';
import { daysIn } from './period.ts';
import { callsOf, hourName, hourOf, namesFor, type Spoken } from './report-names.ts';
import type { Reported } from './report-rows.ts';
import type { Row } from './report-tables.ts';

const countsInWords = ({ calls, answered, missed }: Counts, { words, formats }: Spoken) =>
  words.reports.counts(calls, formats.number(answered), formats.number(missed));

export function callChart(
  request: PageRequest,
  label: string,
  rows: readonly Row[],
  short: (at: number) => string,
): Html {
  const { words, formats } = request;
  const kinds = [
    { name: words.calls.outcomes.answered, style: 'answered' },
    { name: words.calls.outcomes.missed, style: 'missed' },
    { name: words.calls.ringing, style: 'rings' },
  ];
  return barChart(
    { label, kinds },
    rows.map((row, at) => ({
      short: short(at),
      title: `${row.label}: ${countsInWords(row, request)}`,
      ...(row.calls > 0 && row.href && { href: row.href }),
      parts: [row.answered, row.missed, row.calls - row.answered - row.missed],
      numbers: [formats.number(row.calls), row.missed > 0 ? formats.number(row.missed) : ''],
    })),
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
  const nameOf = ({ first: date }: DayRow) => (byDay ? names.shortDay(date) : names.weekday(date));
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
