import type { CallRecord } from '../calls/call-record.ts';
import type { ServiceContext } from '../http/context.ts';
import { countGroup, type Group, OTHERS } from '../reports/aggregate.ts';
import { daysBetween } from '../reports/calendar.ts';
import {
  busyHours,
  type Counts,
  type DayRow,
  makeReport,
  type NamedGroup,
  type Report,
  type SeriesRow,
} from '../reports/call-report.ts';
import { type CallersReport, callersReport, MAX_CALLS } from '../reports/callers-report.ts';
import { csvLines } from '../reports/csv.ts';
import { countOf, quantile } from '../reports/durations.ts';
import {
  daysBefore,
  daysIn,
  type Period,
  periodIn,
  type StepLength,
  stepsFor,
  usualPeriods,
} from '../reports/period.ts';
import { SHORT_SECONDS, serviceLevel, shortAbandons } from '../reports/service-level.ts';
import { callerAddress } from './call-cells.ts';
import { addressOf } from './call-filter.ts';
import { barChart, timeTicks } from './kit/chart.ts';
import { displayText, plainText } from './kit/display-text.ts';
import { choice, field } from './kit/form.ts';
import { counted } from './kit/formats.ts';
import { heatTable } from './kit/heat-table.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { peopleOf, type ReportFilter, reportFilters } from './report-filter.ts';
import {
  columnsOf,
  missedRate,
  percent,
  type ReportTable,
  type Row,
  seconds,
  showTable,
  sortingIn,
  tableCells,
} from './report-tables.ts';

/** What a report's page and its CSV are made from. */
type Reported = {
  readonly period: Period;
  readonly report: Report;
  readonly before: Report;
  readonly filter: ReportFilter | null;
  readonly filters: readonly ReportFilter[];
  readonly callers: CallersReport | null;
};

/** Call reports for any days in the account's time zone; each table also as CSV. */
export function reportPages(pages: Pages, context: ServiceContext): void {
  const { store, directory } = context;

  async function read(request: PageRequest): Promise<Reported> {
    const { account, query, now, formats } = request;
    const { timeZone } = formats;
    const period = periodIn(query, now, timeZone);
    const days = daysBetween(period.first, period.last, timeZone);
    const of = query.get('of') ?? '';
    const [kind, ...name] = of.split(':');
    // Who answered is known only from the report: a filter by extensions is taken as it is.
    const chosen = kind === 'answered' ? name.join(':').split('|') : [];
    const filter = (await reportFilters(request, context, chosen)).find(({ value }) => value === of) ?? null;
    const report = await makeReport(
      period,
      days,
      timeZone,
      store.reports.figures(account.id, days, now),
      filter?.groups,
    );
    const daysThen = sameTimeThen(period, days, now, timeZone);
    const before = await makeReport(
      { step: 'month' },
      daysThen,
      timeZone,
      store.reports.figures(account.id, daysThen, now),
      filter?.groups,
    );
    const answered = report.groups.extensions.map(([extension]) => extension);
    return {
      ...{ period, report, before, filter },
      filters: await reportFilters(request, context, [...new Set([...chosen, ...answered])]),
      callers: await callersReport(store.callers, account.id, days, report.all, filter?.groups ?? null),
    };
  }

  const tables = (request: PageRequest, reported: Reported) =>
    reportTables(request, reported, (id) =>
      directory.integrations(request.account.id).find((one) => String(one.id) === id),
    );
  pages.get('/reports', 'agent', async (request) => {
    const reported = await read(request);
    return reportPage(request, reported, tables(request, reported));
  });
  pages.get('/reports.csv', 'agent', async (request) => {
    const reported = await read(request);
    const { first, last } = reported.period;
    const all = tables(request, reported);
    const table = all.find(({ name }) => name === request.query.get('table')) ?? (all[0] as ReportTable);
    await request.audit('export', `report ${table.name} ${first} to ${last}`);
    return {
      download: `calls-${table.name}-${first}-${last}.csv`,
      type: 'text/csv; charset=utf-8',
      content: `\ufeff${csvLines(tableCells(table))}`,
    };
  });
}

/** The days of the period before; of the last one only as much as has passed of today. */
function sameTimeThen(period: Period, days: ReturnType<typeof daysBetween>, now: number, timeZone: string) {
  const { first, last } = daysBefore(period);
  const then = daysBetween(first, last, timeZone);
  const [today, end] = [days.at(-1), then.at(-1)];
  if (today === undefined || end === undefined || today.until <= now) return then;
  const passed = Math.max(0, Math.floor((now - today.since) / 900_000) * 900_000);
  return passed === 0
    ? then.slice(0, -1)
    : [...then.slice(0, -1), { ...end, until: Math.min(end.until, end.since + passed) }];
}

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const names = {
  day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  weekday: format({ weekday: 'long' }),
  date: format({ day: 'numeric', month: 'short' }),
  month: format({ month: 'long', year: 'numeric' }),
  shortMonth: format({ month: 'short', year: '2-digit' }),
};
const dayName = (date: Temporal.PlainDate) => names.day.format(date).replace(',', '');

/** How a step is named in a table, under a bar and in CSV. */
function stepNames({ first, last, hour }: SeriesRow, step: StepLength, isOneDay: boolean) {
  if (hour !== null) {
    const label = isOneDay ? hour.label : `${dayName(first)}, ${hour.label}`;
    return { label, short: hour.label.slice(0, 5), iso: `${first}T${hour.label.replace(/ \((.*)\)/, '$1')}` };
  }
  if (step === 'month') {
    const [label, short] = [names.month.format(first), names.shortMonth.format(first)];
    return { label, short, iso: first.toPlainYearMonth().toString() };
  }
  const short = names.date.format(first);
  if (step === 'day') return { label: dayName(first), short, iso: first.toString() };
  return { label: `Week ${last.weekOfYear}, from ${short} ${first.year}`, short, iso: first.toString() };
}

type CallSpan = { readonly from: string; readonly to: string };

const daysOf = ({ first, last }: Pick<Period, 'first' | 'last'>): CallSpan => ({
  from: first.toString(),
  to: last.toString(),
});

/** An hour of a day, as the call list has it in its address. */
function hourOf(date: Temporal.PlainDate, hour: number): CallSpan {
  const from = date.toPlainDateTime({ hour });
  return { from: from.toString().slice(0, 16), to: from.add({ hours: 1 }).toString().slice(0, 16) };
}

const callsOf = (filter: ReportFilter | null, span: CallSpan, also: Record<string, string> = {}) =>
  addressOf('/calls', {}, { ...span, ...filter?.calls, ...also });

const hourName = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

function reportTables(
  { formats, extensions }: PageRequest,
  { period, report, before, filter, callers }: Reported,
  integration: (id: string) => { readonly name: string; readonly uid: string } | undefined,
): ReportTable[] {
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  const [firstHour, lastHour] = busyHours(report.hours);
  const groups = (
    kind: 'segments' | 'integrations',
    nameOf: (name: string) => string,
    calls: (name: string) => Record<string, string>,
  ) => {
    const then = new Map<string, NamedGroup[1]>(before.groups[kind]);
    return report.groups[kind].map(
      ([name, group]): Row => ({
        ...group,
        group,
        label: name === OTHERS ? 'all others' : nameOf(name),
        before: then.get(name)?.calls ?? 0,
        ...(name !== '' && name !== OTHERS && { href: callsOf(null, daysOf(period), calls(name)) }),
      }),
    );
  };
  const stepHeads = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' };
  const tables: ReportTable[] = [
    {
      name: 'series',
      caption: `Calls by ${step}`,
      columns: step === 'hour' ? columnsOf.counts('Hour') : columnsOf.steps(stepHeads[step]),
      rows: report.series.map((row) => ({
        ...row,
        ...stepNames(row, step, isOneDay),
        href: callsOf(filter, row.hour ? hourOf(row.first, row.hour.hour) : daysOf(row)),
      })),
    },
    {
      name: 'hours',
      caption: 'Calls by hour of the day',
      columns: columnsOf.counts('Hour'),
      rows: report.hours
        .map((counts, hour): Row => ({ ...counts, label: hourName(hour) }))
        .slice(firstHour, lastHour + 1),
    },
  ];
  if (callers !== null)
    tables.push(
      {
        name: 'callers',
        caption: 'Busiest callers',
        columns: columnsOf.callers('Caller'),
        rows: callers.busiest.map(({ number, name, calls, missed }) => ({
          ...{ calls, missed, answered: calls - missed },
          ...{ label: name ?? number, iso: number, href: callerAddress(number) },
        })),
      },
      {
        name: 'never',
        caption: 'Callers never reached',
        columns: columnsOf.neverReached('Caller'),
        rows: callers.neverReached.map((of) => {
          const last = of.at(-1) as CallRecord;
          return {
            ...{ calls: of.length, missed: of.length, answered: 0 },
            ...{
              label: last.customer?.name ?? last.number,
              iso: last.number,
              href: callerAddress(last.number),
            },
            note: formats.dateTime(last.startedAt),
          };
        }),
      },
    );
  if (filter === null)
    tables.push(
      {
        name: 'people',
        caption: 'Answered calls by person',
        columns: columnsOf.people('Person'),
        rows: peopleRows(extensions, report, before, (extension) =>
          callsOf(null, daysOf(period), { extension }),
        ),
      },
      {
        name: 'segments',
        caption: 'Calls by segment',
        columns: columnsOf.groups('Segment'),
        rows: groups(
          'segments',
          (name) => name || 'none',
          (segment) => ({ segment }),
        ),
      },
      {
        name: 'integrations',
        caption: 'Calls by integration',
        columns: columnsOf.groups('Integration'),
        rows: groups(
          'integrations',
          (id) => integration(id)?.name ?? 'removed',
          (id) => ({ integration: integration(id)?.uid ?? '' }),
        ),
      },
    );
  return tables;
}

/** Answered calls by person, most first. */
function peopleRows(
  extensions: PageRequest['extensions'],
  report: Report,
  before: Report,
  calls: (extension: string) => string,
): Row[] {
  const [now, then] = [new Map(report.groups.extensions), new Map(before.groups.extensions)];
  return peopleOf([...now.keys()], extensions)
    .map(({ name, extensions: own, search }): Row => {
      const sum = countGroup();
      for (const extension of own) sum.merge(now.get(extension) as Group);
      const group = sum.group();
      return {
        ...{ ...group, group },
        label: search === '' ? 'unknown' : search === OTHERS ? 'all others' : name,
        before: own.reduce((calls, extension) => calls + (then.get(extension)?.answered ?? 0), 0),
        ...(search !== '' && search !== OTHERS && { href: calls(search) }),
      };
    })
    .sort((a, b) => b.answered - a.answered);
}

function reportPage(request: PageRequest, reported: Reported, tables: readonly ReportTable[]): Page {
  const { account, formats, query } = request;
  const { period, report, filter, callers } = reported;
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  const here = { ...daysOf(period), by: step, of: filter?.value ?? '' };
  const sorting = sortingIn(query.get('sort'));
  const section = (name: string, above: Html = null, withTable = true) => {
    const table = tables.find((one) => one.name === name);
    return (
      table !== undefined &&
      html`<section id=${`t-${name}`}>
        <h2>${table.caption}</h2>
        ${above}${withTable && showTable(table, sorting, (sort) => `${addressOf('/reports', {}, { ...here, sort })}#t-${name}`)}
        ${table.rows.length > 0 && html`<p class="save"><a href=${addressOf('/reports.csv', {}, { ...here, table: name })} download>Download CSV<span class="unseen">: ${table.caption}</span></a></p>`}
      </section>`
    );
  };
  const rows = (name: string) => tables.find((one) => one.name === name)?.rows ?? [];
  const byHour = step === 'hour' && !isOneDay;
  return {
    title: `Report: ${inWords(period)}`,
    scripts: ['chart.js'],
    body: html`
      <h1>Reports</h1>
      ${periodForm(request, reported)}
      <p class="covers">Calls of <strong>${displayText(account.name, 80)}</strong>${filter && html`, <strong>${displayText(filter.label, 80)}</strong>`}, <strong>${inWords(period)}</strong>. Times are in ${formats.timeZone}.</p>
      ${tiles(request, reported)}
      ${
        report.all.calls === 0
          ? html`<div class="empty"><p>No calls in this period.</p></div>`
          : html`
            ${section('series', html`${callChart(`Calls by ${step}`, rows('series'), (_, at) => stepNames(report.series[at] as SeriesRow, step, isOneDay).short)}${byHour && heat(reported)}${step !== 'hour' && timeToAnswerChart(step, report.series, rows('series'))}`, !byHour)}
            ${!isOneDay && !byHour && html`<section><h2>Calls by day and hour</h2>${heat(reported)}</section>`}
            ${
              !isOneDay &&
              section(
                'hours',
                callChart('Calls by hour of the day', rows('hours'), ({ label }) => label),
              )
            }
            ${callers === null ? html`<p class="quiet">Callers are listed for at most ${counted(MAX_CALLS, 'call')}. Choose a shorter period.</p>` : [section('callers'), section('never')]}
            ${['people', 'segments', 'integrations'].map((name) => section(name))}`
      }
      ${notes(account.answerWithin)}
    `,
  };
}

function tiles(
  { account }: PageRequest,
  { period, report: { all }, before: { all: then }, filter, callers }: Reported,
): Html {
  const days = inWords(daysBefore(period));
  const link = (outcome: string, count: number) =>
    html`<a href=${callsOf(filter, daysOf(period), { outcome })}>${count}</a>`;
  const tile = (label: string, value: Html, earlier: Html, under: Html = null) =>
    html`<div><dt>${label}</dt><dd>${value} ${under && html`<small class="under">${under}</small>`}${earlier !== null && html`<small class="under">Before: ${earlier}</small>`}</dd></div>`;
  const half = (kind: 'waited' | 'gaveUp' | 'talked') => seconds(quantile(all[kind], 0.5));
  const most = (kind: 'waited' | 'gaveUp' | 'talked') =>
    `9 of 10 within ${seconds(quantile(all[kind], 0.9))}`;
  const halfThen = (kind: 'waited' | 'gaveUp' | 'talked') => seconds(quantile(then[kind], 0.5));
  const { answerWithin } = account;
  return html`
    <dl class="tiles">
      ${tile('Calls', link('', all.calls), then.calls)}
      ${tile('Answered', link('answered', all.answered), then.answered)}
      ${tile('Missed', link('missed', all.missed), `${then.missed}, ${percent(missedRate(then))}`, html`Missed rate ${percent(missedRate(all))}; ${shortAbandons(all)} hung up within ${SHORT_SECONDS} s`)}
      ${tile(`Answered within ${answerWithin} s`, percent(serviceLevel(all, answerWithin)), percent(serviceLevel(then, answerWithin)))}
      ${tile('Median time to answer', half('waited'), halfThen('waited'), most('waited'))}
      ${tile('Median wait before hanging up', half('gaveUp'), halfThen('gaveUp'), most('gaveUp'))}
      ${tile('Median call duration', half('talked'), halfThen('talked'), most('talked'))}
      ${
        callers?.calledBack &&
        tile(
          'Median time until called back',
          seconds(quantile(callers.calledBack, 0.5)),
          null,
          html`${countOf(callers.calledBack)} called back, ${callers.calledAgain} called again, <a href="#t-never">${callers.neverReached.length} never reached</a>`,
        )
      }
    </dl>
    <p class="quiet">Before: ${days}${period.last.equals(daysBefore(period).last) ? '' : ', the same part of it'}.</p>`;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function inWords({ first, last }: Pick<Period, 'first' | 'last'>): string {
  return first.equals(last)
    ? dayFormat.format(first)
    : `${dayFormat.format(first)} to ${dayFormat.format(last)}`;
}

function periodForm({ now, formats }: PageRequest, { period, filter, filters }: Reported): Html {
  const { from, to } = daysOf(period);
  return html`
    <nav class="choices" aria-label="Periods">
      ${usualPeriods(now, formats.timeZone).map(([name, days]) => {
        const current = days.first.equals(period.first) && days.last.equals(period.last);
        const address = addressOf('/reports', {}, { ...daysOf(days), of: filter?.value ?? '' });
        return html`<a class="button" href=${address} aria-current=${current ? 'page' : undefined}>${name}</a>`;
      })}
    </nav>
    <form class="filter" action="/reports" aria-label="Period">
      ${field({ label: 'From', name: 'from', type: 'date', value: from, required: true })}
      ${field({ label: 'To', name: 'to', type: 'date', value: to, required: true })}
      ${choice({ label: 'Group by', name: 'by', value: period.step, options: stepsFor(period).map((step) => [step, step]) })}
      ${choice({ label: 'Calls', name: 'of', value: filter?.value ?? '', options: [['', 'All calls'], ...filters.map(({ value, label }) => [value, plainText(label, 60)] as const)] })}
      <div class="buttons"><button type="submit" class="main">Show</button></div>
    </form>`;
}

const countsInWords = ({ calls, answered, missed }: Counts) =>
  `${counted(calls, 'call')}, ${answered} answered, ${missed} missed`;

function callChart(label: string, rows: readonly Row[], short: (row: Row, at: number) => string): Html {
  return barChart(
    {
      label: `${label}; the same figures are in the table below`,
      kinds: [
        { name: 'answered', style: 'answered' },
        { name: 'missed', style: 'missed' },
        { name: 'ringing', style: 'ringing' },
      ],
    },
    rows.map((row, at) => ({
      short: short(row, at),
      title: `${row.label}: ${countsInWords(row)}`,
      ...(row.calls > 0 && row.href && { href: row.href }),
      parts: [row.answered, row.missed, row.calls - row.answered - row.missed],
    })),
  );
}

/** Two parts per bar: the median time to answer, and what the 90th percentile adds to it. */
function timeToAnswerChart(step: string, series: readonly SeriesRow[], rows: readonly Row[]): Html {
  return barChart(
    {
      label: `Time to answer by ${step}: median and 90th percentile; the same figures are in the table below`,
      kinds: [
        { name: 'median time to answer', style: 'median' },
        { name: '9 of 10 within', style: 'most' },
      ],
      ticks: timeTicks,
      tick: seconds,
    },
    rows.map(({ label, href, group }, at) => {
      const half = group ? quantile(group.waited, 0.5) : null;
      const most = group ? quantile(group.waited, 0.9) : null;
      return {
        short: stepNames(series[at] as SeriesRow, step as StepLength, false).short,
        title:
          half === null
            ? `${label}: no answered calls`
            : `${label}: half of the calls answered within ${seconds(half)}, 9 of 10 within ${seconds(most)}`,
        ...(half !== null && href && { href }),
        parts: [half ?? 0, (most ?? 0) - (half ?? 0)],
      };
    }),
  );
}

/** Days, or days of the week, by hour. A cell of a single day leads to its calls. */
function heat({ report, period, filter }: Reported): Html {
  const [first, last] = busyHours(report.hours);
  const hours = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const byDay = daysIn(period) <= report.days.length;
  const nameOf = ({ first: date }: DayRow) => (byDay ? dayName(date) : names.weekday.format(date));
  return heatTable(
    'Calls by day and hour; the missed ones below',
    'Day',
    hours.map((hour) => String(hour)),
    report.days.map((row) => ({
      label: nameOf(row),
      cells: hours.map((hour) => {
        const counts = row.hours[hour] as Counts;
        return {
          ...counts,
          title: `${nameOf(row)}, ${hourName(hour)}: ${countsInWords(counts)}`,
          href: row.first.equals(row.last) ? callsOf(filter, hourOf(row.first, hour)) : undefined,
        };
      }),
    })),
  );
}

const notes = (answerWithin: number) => html`<section class="notes">
  <h2>How the figures are counted</h2>
  <p>A call counts at the time it started. It is <em>missed</em> if it ended before a person answered. The <em>missed rate</em> is the
  share of missed calls among all answered and missed calls; calls that are still ringing are not included.
  Time to answer is from the first ring to the answer; the wait before hanging up is from the first ring to the end of a
  missed call. Calls for which one of the two times is unknown are left out. <em>Answered within ${answerWithin} s</em> is the share of
  those calls among all answered and missed ones, without callers who hung up within ${SHORT_SECONDS} s; administrators can change the
  time under <a href="/account">Account</a>. Time until called back is from a caller’s first missed call until a colleague
  pressed Done under “To call back”.</p>
</section>`;
