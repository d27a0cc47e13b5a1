import type { ServiceDirectory } from '../accounts/directory.ts';
import { addressOf } from '../activity/call-filter.ts';
import {
  countOf,
  quantile,
  type ReportStore,
  SHORT_SECONDS,
  serviceLevel,
  shortAbandons,
} from '../calls/aggregate.ts';
import type { Day } from '../kit/calendar.ts';
import { csvLines } from '../kit/csv.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { choice, field, notice } from '../kit/form.ts';
import { type HoursPart, openingHoursOf, partsOf } from '../kit/opening-hours.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import type { CallerStore } from '../people/caller-store.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { type Html, html } from '../words/html.ts';
import { makeReport, type SeriesRow } from './call-report.ts';
import { callersReport, MAX_CALLS } from './callers-report.ts';
import { partFigures } from './kept-figures.ts';
import {
  daysBefore,
  daysFor,
  periodIn,
  type StepLength,
  sameTimeThen,
  stepsFor,
  timesIn,
  usualPeriods,
} from './period.ts';
import { callChart, heat, timeToAnswerChart } from './report-charts.ts';
import { filtersOf, namesIn, withNamesOf } from './report-filter.ts';
import { callsOf, daysOf, inWords, reportOf, stepNames } from './report-names.ts';
import { type Reported, reportTables } from './report-rows.ts';
import {
  missedRate,
  percent,
  type ReportTable,
  seconds,
  showTable,
  sortingIn,
  tableCells,
} from './report-tables.ts';

type Parts = {
  store: { reports: ReportStore; callers: CallerStore; customers: CustomerStore };
  directory: ServiceDirectory;
};

/** Call reports for any days in the account's time zone; each table also as CSV. */
export function reportPages(pages: Pages, { store, directory }: Parts): void {
  async function read(request: PageRequest): Promise<Reported> {
    const { account, query, now, formats } = request;
    const { timeZone } = formats;
    const wholeDays = periodIn(query, now, timeZone);
    const times = timesIn(query, wholeDays);
    const period = { ...wholeDays, times: times ?? undefined };

    const segments = await store.customers.segments(account.id);
    const filters = (names: ReturnType<typeof namesIn>) =>
      filtersOf(request, segments, directory.integrations(account.id), names);
    const asked = namesIn(query.get('of'));
    const filter = filters(asked).find(({ value }) => value === query.get('of')) ?? null;

    const hours = openingHoursOf(account);
    const partsIn = (part: HoursPart | undefined) =>
      hours && part ? (day: Day) => partsOf(day, hours, part, timeZone) : null;
    // Of a filter by opening hours, each day is counted in parts.
    const parts = partsIn(filter?.hours);
    const count = (days: readonly Day[], step: StepLength, opens: typeof parts) => {
      const figures =
        parts === null
          ? store.reports.figures(account.id, days, now)
          : partFigures(store.reports, account.id, days, parts, now);
      return makeReport({ step }, days, timeZone, figures, filter?.groups, opens);
    };
    const days = daysFor(period, timeZone);
    const report = await count(days, period.step, parts === null ? partsIn('in') : null);
    const before = await count(sameTimeThen(period, days, now, timeZone), 'month', null);

    const callers = await callersReport(
      store.callers,
      account.id,
      parts === null ? days : days.flatMap(parts),
      { groups: report.groups, perDay: parts === null ? report.perDay : [] },
      filter?.groups ?? null,
    );
    const wrongTimes = times === null;
    return {
      period,
      wrongTimes,
      report,
      before,
      filter,
      filters: filters(withNamesOf(report, asked)),
      callers,
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
    const { from, to } = daysOf(reported.period);
    const all = tables(request, reported);
    const table = all.find(({ name }) => name === request.query.get('table')) ?? (all[0] as ReportTable);
    await request.audit('export', `report ${table.name} ${from} to ${to}`);
    return {
      download: `calls-${table.name}-${first}-${last}.csv`,
      type: 'text/csv; charset=utf-8',
      content: `\ufeff${csvLines(tableCells(table, request.formats.timeZone))}`,
    };
  });
}

function reportPage(request: PageRequest, reported: Reported, tables: readonly ReportTable[]): Page {
  const { account, formats, query, words } = request;
  const text = words.reports;
  const { period, report, filter, callers, wrongTimes } = reported;
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  const here: Record<string, string> = { ...reportOf(period), by: step, of: filter?.value ?? '' };
  const sorting = sortingIn(query.get('sort'));
  const section = (name: string, above: Html = null, withTable = true) => {
    const table = tables.find((one) => one.name === name);
    return (
      table !== undefined &&
      html`<section id=${`t-${name}`}>
        <h2>${table.caption}</h2>
        ${above}${withTable && showTable(table, request, sorting, (sort) => `${addressOf('/reports', {}, { ...here, sort })}#t-${name}`)}
        ${table.rows.length > 0 && html`<p class="save"><a href=${addressOf('/reports.csv', {}, { ...here, table: name })} download>${text.download}<span class="unseen">: ${table.caption}</span></a></p>`}
      </section>`
    );
  };
  const rows = (name: string) => tables.find((one) => one.name === name)?.rows ?? [];
  const byHour = step === 'hour' && !isOneDay;
  return {
    title: text.reportOf(inWords(period, request)),
    scripts: ['chart.js'],
    body: html`
      <h1>${text.title}</h1>
      ${periodForm(request, reported)}
      ${wrongTimes && notice(text.wrongTimes, 'bad')}
      <p class="covers">${text.callsOf} <strong>${displayText(account.name, 80)}</strong>${filter && html`, <strong>${displayText(filter.label, 80)}</strong>`}, <strong>${inWords(period, request)}</strong>. ${text.timesIn(formats.timeZone)}</p>
      ${tiles(request, reported)}
      ${
        report.all.calls === 0
          ? html`<div class="empty"><p>${text.noCallsInPeriod}</p></div>`
          : html`
            ${section('series', html`${callChart(request, text.bySteps[step], rows('series'), (_, at) => stepNames(report.series[at] as SeriesRow, step, isOneDay, request).short)}${byHour && heat(request, reported)}${step !== 'hour' && timeToAnswerChart(request, step, report.series, rows('series'))}`, !byHour)}
            ${!isOneDay && !byHour && html`<section><h2>${text.byDayAndHour}</h2>${heat(request, reported)}</section>`}
            ${
              !isOneDay &&
              section(
                'hours',
                callChart(request, text.byHourOfDay, rows('hours'), ({ label }) => label),
              )
            }
            ${callers === null ? html`<p class="quiet">${text.tooManyCalls(formats.number(MAX_CALLS))}</p>` : [section('callers'), section('never')]}
            ${['parts', 'numbers', 'places', 'people', 'segments', 'integrations'].map((name) => section(name))}`
      }
      <section class="notes"><h2>${text.notes}</h2><p>${text.notesText(account.answerWithin, SHORT_SECONDS)}</p></section>
    `,
  };
}

function tiles(
  request: PageRequest,
  { period, report: { all }, before: { all: then }, filter, callers }: Reported,
): Html {
  const { account, formats, words } = request;
  const { reports: text, weekly } = words;
  const link = (outcome: string, count: number) =>
    html`<a href=${callsOf(filter, daysOf(period), { outcome })}>${formats.number(count)}</a>`;
  const tile = (label: string, value: Html, earlier: Html, under: Html = null) =>
    html`<div><dt>${label}</dt><dd>${value} ${under && html`<small class="under">${under}</small>`}${earlier !== null && html`<small class="under">${text.before} ${earlier}</small>`}</dd></div>`;
  type Kind = 'waited' | 'gaveUp' | 'talked';
  const timeTile = (label: string, kind: Kind) =>
    tile(
      label,
      seconds(quantile(all[kind], 0.5)),
      seconds(quantile(then[kind], 0.5)),
      text.nineOfTenWithin(seconds(quantile(all[kind], 0.9))),
    );
  const share = (value: number | null) => percent(value, formats.locale);
  const { answerWithin } = account;
  const short = html`<a href=${callsOf(filter, daysOf(period), { outcome: 'short' })}>${formats.number(shortAbandons(all))}</a>`;
  return html`
    <dl class="tiles">
      ${tile(weekly.calls, link('', all.calls), formats.number(then.calls))}
      ${tile(weekly.answered, link('answered', all.answered), formats.number(then.answered))}
      ${tile(weekly.missed, link('missed', all.missed), `${formats.number(then.missed)}, ${share(missedRate(then))}`, text.missedUnder(share(missedRate(all)), short, SHORT_SECONDS))}
      ${tile(weekly.answeredWithin(answerWithin), share(serviceLevel(all, answerWithin)), share(serviceLevel(then, answerWithin)))}
      ${timeTile(weekly.timeToAnswer, 'waited')}
      ${timeTile(text.wait, 'gaveUp')}
      ${timeTile(weekly.duration, 'talked')}
      ${
        callers !== null &&
        tile(
          text.untilCalledBack,
          seconds(quantile(callers.calledBack, 0.5)),
          null,
          html`${text.calledBack(formats.number(countOf(callers.calledBack)), formats.number(callers.calledAgain))} <a href="#t-never">${text.neverReachedCount(formats.number(callers.neverReached.length))}</a>`,
        )
      }
    </dl>
    <p class="quiet">${text.beforeSpan(inWords({ ...period, ...daysBefore(period) }, request))}</p>`;
}

function periodForm(
  { now, query, formats, words }: PageRequest,
  { period, filter, filters }: Reported,
): Html {
  const { from, to } = reportOf(period);
  const text = words.reports;
  return html`
    <nav class="choices" aria-label=${text.periods}>
      ${usualPeriods(now, formats.timeZone).map(([name, days]) => {
        const current = days.first.equals(period.first) && days.last.equals(period.last);
        const address = addressOf(
          '/reports',
          {},
          { ...reportOf({ ...days, times: period.times }), of: filter?.value ?? '' },
        );
        return html`<a class="button" href=${address} aria-current=${current ? 'page' : undefined}>${text.usual[name]}</a>`;
      })}
      <a class="button" href="/reports/week">${text.weekly}</a>
    </nav>
    <form class="filter" action="/reports" aria-label=${text.period}>
      ${field({ label: text.from, name: 'from', type: 'date', value: from, required: true })}
      ${field({ label: text.to, name: 'to', type: 'date', value: to, required: true })}
      ${field({ label: text.startTime, name: 'start', type: 'time', step: 900, value: query.get('start') ?? '' })}
      ${field({ label: text.endTime, name: 'end', type: 'time', step: 900, value: query.get('end') ?? '' })}
      ${
        !period.first.equals(period.last) &&
        choice({
          label: text.groupBy,
          name: 'by',
          value: period.step,
          options: stepsFor(period).map((step) => [step, text.steps[step]]),
        })
      }
      ${choice({ label: text.which, name: 'of', value: filter?.value ?? '', options: [['', text.all], ...filters.map(({ value, label }) => [value, plainText(label, 60)] as const)] })}
      <div class="buttons"><button type="submit" class="main">${text.show}</button></div>
    </form>`;
}
