import type { ServiceContext } from '../http/context.ts';
import { daysBetween } from '../reports/calendar.ts';
import { makeReport, type Report, type SeriesRow } from '../reports/call-report.ts';
import { csvLines } from '../reports/csv.ts';
import { quantile } from '../reports/durations.ts';
import { type Period, periodIn, stepsFor, usualPeriods } from '../reports/period.ts';
import { addressOf } from './call-filter.ts';
import { barChart, timeTicks } from './kit/chart.ts';
import { displayText } from './kit/display-text.ts';
import { choice, field } from './kit/form.ts';
import { counted } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import {
  missedRate,
  percent,
  reportTables,
  seconds,
  showTable,
  type TableName,
  tableCells,
  tableNames,
} from './report-tables.ts';

/** Call reports for any days in the account's time zone; each table also as CSV. */
export function reportPages(pages: Pages, { store }: ServiceContext): void {
  const read = async ({ account, query, now, formats: { timeZone } }: PageRequest) => {
    const period = periodIn(query, now, timeZone);
    const days = daysBetween(period.first, period.last, timeZone);
    return {
      period,
      report: await makeReport(period, days, timeZone, store.reports.figures(account.id, days, now)),
    };
  };
  pages.get('/reports', 'agent', async (request) => {
    const { period, report } = await read(request);
    return reportPage(request, period, report);
  });
  pages.get('/reports.csv', 'agent', async (request) => {
    const { period, report } = await read(request);
    const name = tableNames.find((one) => one === request.query.get('table')) ?? 'series';
    await request.audit('export', `report ${name} ${period.first} to ${period.last}`);
    return {
      download: `calls-${name}-${period.first}-${period.last}.csv`,
      type: 'text/csv; charset=utf-8',
      content: `\ufeff${csvLines(tableCells(reportTables(report, period.step)[name]))}`,
    };
  });
}

function reportPage(request: PageRequest, period: Period, report: Report): Page {
  const { account, formats } = request;
  const { step } = period;
  const { all } = report;
  const tables = reportTables(report, step);
  const section = (name: TableName, chart: Html = null) => html`<section>
    <h2>${tables[name].caption}</h2>
    ${chart}${showTable(tables[name])}
    ${tables[name].rows.length > 0 && html`<p class="save"><a href=${addressOf('/reports.csv', {}, { ...daysOf(period), by: step, table: name })} download>Download CSV<span class="unseen">: ${tables[name].caption}</span></a></p>`}
  </section>`;
  const calls = (outcome: string, count: number) =>
    html`<a href=${addressOf('/calls', {}, { ...daysOf(period), outcome })}>${count}</a>`;
  const times = ([half, most]: readonly [number | null, number | null]) =>
    html`${seconds(half)} <small class="under">9 of 10 within ${seconds(most)}</small>`;
  const both = (kind: 'waited' | 'gaveUp' | 'talked') =>
    [quantile(all[kind], 0.5), quantile(all[kind], 0.9)] as const;
  return {
    title: `Report: ${inWords(period)}`,
    body: html`
      <h1>Reports</h1>
      ${periodForm(request, period)}
      <p class="covers">Calls of <strong>${displayText(account.name, 80)}</strong>, <strong>${inWords(period)}</strong>. Times are in ${formats.timeZone}.</p>
      <dl class="tiles">
        <div><dt>Calls</dt><dd>${calls('', all.calls)}</dd></div>
        <div><dt>Answered</dt><dd>${calls('answered', all.answered)}</dd></div>
        <div><dt>Missed</dt><dd>${calls('missed', all.missed)} <small class="under">Missed rate ${percent(missedRate(all))}</small></dd></div>
        <div><dt>Median time to answer</dt><dd>${times(both('waited'))}</dd></div>
        <div><dt>Median wait before hanging up</dt><dd>${times(both('gaveUp'))}</dd></div>
        <div><dt>Median call duration</dt><dd>${times(both('talked'))}</dd></div>
      </dl>
      ${
        all.calls === 0
          ? html`<div class="empty"><p>No calls in this period.</p></div>`
          : html`
            ${section('series', html`${callChart(`Calls by ${step}`, report.series)}${step !== 'hour' && timeToAnswerChart(step, report.series)}`)}
            ${section('hours', callChart('Calls by hour of the day', report.hours))}
            ${section('extensions')}
            ${section('segments')}`
      }
      <section class="notes">
        <h2>How the figures are counted</h2>
        <p>A call counts at the time it started. It is <em>missed</em> if it ended before a person answered. The <em>missed rate</em> is the
        share of missed calls among all answered and missed calls; calls that are still ringing are not included.
        Time to answer is from the first ring to the answer; the wait before hanging up is from the first ring to the end of a
        missed call. Calls for which one of the two times is unknown are left out.</p>
      </section>
    `,
  };
}

const daysOf = ({ first, last }: Period) => ({ from: first.toString(), to: last.toString() });

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function inWords({ first, last }: Period): string {
  return first.equals(last) ? dayName.format(first) : `${dayName.format(first)} to ${dayName.format(last)}`;
}

function periodForm({ now, formats }: PageRequest, period: Period): Html {
  const { from, to } = daysOf(period);
  return html`
    <nav class="choices" aria-label="Periods">
      ${usualPeriods(now, formats.timeZone).map(([name, days]) => {
        const current = days.first.equals(period.first) && days.last.equals(period.last);
        const address = addressOf('/reports', {}, daysOf({ ...days, step: 'day' }));
        return html`<a class="button" href=${address} aria-current=${current ? 'page' : undefined}>${name}</a>`;
      })}
    </nav>
    <form class="filter" action="/reports" aria-label="Period">
      ${field({ label: 'From', name: 'from', type: 'date', value: from, required: true })}
      ${field({ label: 'To', name: 'to', type: 'date', value: to, required: true })}
      ${choice({ label: 'Group by', name: 'by', value: period.step, options: stepsFor(period).map((step) => [step, step]) })}
      <div class="buttons"><button type="submit" class="main">Show</button></div>
    </form>`;
}

function callChart(label: string, rows: readonly SeriesRow[]): Html {
  return barChart(
    {
      label: `${label}; the same figures are in the table below`,
      kinds: [
        { name: 'answered', style: 'answered' },
        { name: 'missed', style: 'missed' },
        { name: 'ringing', style: 'ringing' },
      ],
    },
    rows.map(({ label: name, short, calls, answered, missed }) => ({
      short,
      title: `${name}: ${counted(calls, 'call')}, ${answered} answered, ${missed} missed`,
      parts: [answered, missed, calls - answered - missed],
    })),
  );
}

/** Two parts per bar: the median time to answer, and what the 90th percentile adds to it. */
function timeToAnswerChart(step: string, rows: readonly SeriesRow[]): Html {
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
    rows.map(({ label, short, group }) => {
      const half = group && quantile(group.waited, 0.5);
      const most = group && quantile(group.waited, 0.9);
      return {
        short,
        title:
          half === null
            ? `${label}: no answered calls`
            : `${label}: half of the calls answered within ${seconds(half)}, 9 of 10 within ${seconds(most)}`,
        parts: [half ?? 0, (most ?? 0) - (half ?? 0)],
      };
    }),
  );
}
