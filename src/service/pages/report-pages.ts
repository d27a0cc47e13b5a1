import type { ServiceContext } from '../http/context.ts';
import { daysBetween } from '../reports/calendar.ts';
import { csvLines } from '../reports/csv.ts';
import { quantile } from '../reports/durations.ts';
import { type Period, periodIn, stepsFor, usualPeriods } from '../reports/period.ts';
import { makeReport, type Report, type SeriesRow } from '../reports/report.ts';
import { addressOf } from './activity-filter.ts';
import { barChart, timeTicks } from './kit/chart.ts';
import { choice, field } from './kit/form.ts';
import { type Html, html } from './kit/html.ts';
import { shown } from './kit/shown.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';
import {
  percent,
  reportTables,
  seconds,
  share,
  showTable,
  type TableName,
  tableCells,
  tableNames,
} from './report-tables.ts';

/** Call reports: figures of any days, in the time zone of the account; each table as CSV too. */
export function reportPages(pages: Pages, { store }: ServiceContext): void {
  const read = async ({ account, query, now, formats: { timeZone } }: Visit) => {
    const period = periodIn(query, now, timeZone);
    const days = daysBetween(period.first, period.last, timeZone);
    return {
      period,
      report: await makeReport(period, days, timeZone, store.reports.figures(account.id, days, now)),
    };
  };
  pages.get('/reports', 'agent', async (visit) => {
    const { period, report } = await read(visit);
    return reportPage(visit, period, report);
  });
  pages.get('/reports.csv', 'agent', async (visit) => {
    const { period, report } = await read(visit);
    const name = tableNames.find((one) => one === visit.query.get('table')) ?? 'series';
    return {
      download: `calls-${name}-${period.first}-${period.last}.csv`,
      type: 'text/csv; charset=utf-8',
      content: `\ufeff${csvLines(tableCells(reportTables(report, period.step)[name]))}`,
    };
  });
}

function reportPage(visit: Visit, period: Period, report: Report): Page {
  const { account, formats } = visit;
  const { step } = period;
  const { all } = report;
  const tables = reportTables(report, step);
  const section = (name: TableName, chart: Html = null) => html`<section>
    <h2>${tables[name].caption}</h2>
    ${chart}${showTable(tables[name])}
    ${tables[name].rows.length > 0 && html`<p class="save"><a href=${addressOf('/reports.csv', {}, { ...daysOf(period), by: step, table: name })} download>Save as CSV<span class="unseen">: ${tables[name].caption}</span></a></p>`}
  </section>`;
  const calls = (outcome: string, count: number) =>
    html`<a href=${addressOf('/activity', {}, { ...daysOf(period), outcome })}>${count}</a>`;
  const times = ([half, most]: readonly [number | null, number | null]) =>
    html`${seconds(half)} <small class="under">90 % within ${seconds(most)}</small>`;
  const both = (kind: 'waited' | 'gaveUp' | 'talked') =>
    [quantile(all[kind], 0.5), quantile(all[kind], 0.9)] as const;
  return {
    title: `Calls ${inWords(period)}`,
    body: html`
      <h1>Reports</h1>
      ${periodForm(visit, period)}
      <p class="covers">Calls of <strong>${shown(account.name, 80)}</strong>, <strong>${inWords(period)}</strong>. Days and hours are those of ${formats.timeZone}.</p>
      <dl class="tiles">
        <div><dt>Calls</dt><dd>${calls('', all.calls)}</dd></div>
        <div><dt>Answered</dt><dd>${calls('answered', all.answered)}</dd></div>
        <div><dt>Missed</dt><dd>${calls('missed', all.missed)} <small class="under">${percent(share(all))} abandoned</small></dd></div>
        <div><dt>Waiting, median</dt><dd>${times(both('waited'))}</dd></div>
        <div><dt>Gave up after, median</dt><dd>${times(both('gaveUp'))}</dd></div>
        <div><dt>Talking, median</dt><dd>${times(both('talked'))}</dd></div>
      </dl>
      ${
        all.calls === 0
          ? html`<div class="empty"><p>No call in this time.</p></div>`
          : html`
            ${section('series', html`${callChart(`Calls by ${step}`, report.series)}${step !== 'hour' && waitingChart(step, report.series)}`)}
            ${section('hours', callChart('Calls by hour of the day', report.hours))}
            ${section('extensions')}
            ${section('segments')}`
      }
      <section class="notes">
        <h2>How it is counted</h2>
        <p>A call counts where it began. It is <em>missed</em> if it ended before anybody answered: the caller gave up, or nobody but a
        machine took the call. <em>Abandoned</em> is the share of missed calls in those that were answered or missed; calls that still ring are in neither.
        Waiting is from the first ring to the answer, giving up from the first ring to the end, each for the calls of which both were told.
        90 % of the calls were no longer than the second figure.</p>
      </section>
    `,
  };
}

const daysOf = ({ first, last }: Period) => ({ from: first.toString(), to: last.toString() });

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function inWords({ first, last }: Period): string {
  return first.equals(last) ? dayName.format(first) : `${dayName.format(first)} to ${dayName.format(last)}`;
}

function periodForm({ now, formats }: Visit, period: Period): Html {
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
      ${choice({ label: 'By', name: 'by', value: period.step, options: stepsFor(period).map((step) => [step, step]) })}
      <div class="buttons"><button type="submit" class="main">Show</button></div>
    </form>`;
}

function callChart(label: string, rows: readonly SeriesRow[]): Html {
  return barChart(
    {
      label: `${label}; the figures are in the table that follows`,
      kinds: [
        { name: 'answered', style: 'answered' },
        { name: 'missed', style: 'missed' },
        { name: 'ringing', style: 'ringing' },
      ],
    },
    rows.map(({ label: name, short, calls, answered, missed }) => ({
      short,
      title: `${name}: ${calls} calls, ${answered} answered, ${missed} missed`,
      parts: [answered, missed, calls - answered - missed],
    })),
  );
}

/** The median of waiting, and what lies between it and that of the 90th per cent. */
function waitingChart(step: string, rows: readonly SeriesRow[]): Html {
  return barChart(
    {
      label: `Waiting time by ${step}: median and 90 per cent; the figures are in the table that follows`,
      kinds: [
        { name: 'waiting, median', style: 'median' },
        { name: '90 % within', style: 'most' },
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
            ? `${label}: nobody waited`
            : `${label}: half of the callers waited no longer than ${seconds(half)}, 90 % no longer than ${seconds(most)}`,
        parts: [half ?? 0, (most ?? 0) - (half ?? 0)],
      };
    }),
  );
}
