import type { ServiceDirectory } from '../accounts/directory.ts';
import { accountLimits } from '../accounts/limits.ts';
import { addressOf } from '../activity/call-filter.ts';
import type { ReportStore } from '../calls/aggregate.ts';
import { SHORT_SECONDS } from '../calls/call-meaning.ts';
import type { Budgets } from '../kit/budget.ts';
import { type Day, daysBetween } from '../kit/calendar.ts';
import { BYTE_ORDER_MARK, csvLines, forSpreadsheets } from '../kit/csv.ts';
import { displayText } from '../kit/display-text.ts';
import { choice, field, fold, oneOf } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { type HoursPart, openingHoursOf, partsOf } from '../kit/opening-hours.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import type { CallerStore } from '../people/caller-store.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { makeReport, type SeriesRow } from './call-report.ts';
import { callersReport, MAX_CALLS } from './callers-report.ts';
import { partFigures } from './kept-figures.ts';
import { periodIn, type StepLength, sameTimeThen, stepsFor, usualPeriods } from './period.ts';
import { callChart, heat } from './report-charts.ts';
import { filtersOf, namesIn, withNamesOf } from './report-filter.ts';
import { callsOf, daysOf, inWords, stepNames } from './report-names.ts';
import { type Reported, reportTables } from './report-rows.ts';
import { deciding, summaryFigures } from './report-summary.ts';
import { type ReportTable, type Row, showTable, sortingIn, tableCells } from './report-tables.ts';
import { chooseWeekly, weeklyForm } from './weekly-report.ts';
import type { WeeklyStore } from './weekly-store.ts';

type Parts = {
  store: { reports: ReportStore; callers: CallerStore; weekly: WeeklyStore };
  directory: ServiceDirectory;
  budgets: Budgets;
  /** Whether the service can send mail. */
  mails: boolean;
};

/** Call reports for any days in the account's time zone; each table also as CSV. */
export function reportPages(pages: Pages, { store, directory, budgets, mails }: Parts): void {
  async function read(request: PageRequest): Promise<Reported> {
    const { account, query, now, formats } = request;
    const { timeZone } = formats;
    const period = periodIn(query, now, timeZone);

    const filters = (names: ReturnType<typeof namesIn>) =>
      filtersOf(
        request,
        request.segments,
        // As many as an account can have, and the one that is asked for.
        directory
          .integrations(account.id)
          .filter(
            ({ uid }, at) => at < accountLimits.integrations || query.get('of') === `integration:${uid}`,
          ),
        names,
      );
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
    const days = daysBetween(period.first, period.last, timeZone);
    const report = await count(days, period.step, parts === null ? partsIn('in') : null);
    const before = await count(sameTimeThen(period, days, now, timeZone), 'month', null);

    const callers = await callersReport(
      store.callers,
      account.id,
      parts === null ? days : days.flatMap(parts),
      { groups: report.groups, perDay: parts === null ? report.perDay : [] },
      filter?.groups ?? null,
    );
    return {
      period,
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
    return page(request);
  });
  async function page(request: PageRequest, wrongAddress?: string): Promise<Page> {
    const reported = await read(request);
    const { words, user } = request;
    const mail = mails
      ? await weeklyForm(request, store.weekly, wrongAddress)
      : user.role === 'administrator' && fold(words.weekly.heading, html`<p>${words.weekly.noMail}</p>`);
    const shown = reportPage(request, reported, tables(request, reported), mail);
    return wrongAddress === undefined ? shown : { ...shown, status: 422 };
  }
  pages.post('/reports/mail', 'agent', (request) =>
    chooseWeekly(request, store.weekly, () => page(request, request.words.weekly.badAddress)),
  );
  pages.get('/reports.csv', 'agent', async (request) => {
    budgets.readers.hold(request.account.id, request.signal);
    const reported = await read(request);
    const { first, last } = reported.period;
    const { from, to } = daysOf(reported.period);
    const all = tables(request, reported);
    const table = all.find(({ name }) => name === request.query.get('table')) ?? (all[0] as ReportTable);
    return {
      download: `calls-${table.name}-${first}-${last}.csv`,
      type: 'text/csv; charset=utf-8',
      content: tableAsCsv(table, request),
      exported: `report ${table.name} ${from} to ${to}`,
    };
  });
}

async function* tableAsCsv(table: ReportTable, { formats }: PageRequest): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  const dialect = forSpreadsheets(formats.locale);
  for await (const cells of tableCells(table, formats.timeZone)) yield csvLines(cells, dialect);
}

function reportPage(
  request: PageRequest,
  reported: Reported,
  tables: readonly ReportTable[],
  mail: Html,
): Page {
  const { account, extensions, query, words, formats } = request;
  const text = words.reports;
  const { period, report, filter, callers } = reported;
  const { step } = period;
  const isOneDay = period.first.equals(period.last);
  const here: Record<string, string> = { ...daysOf(period), by: step, of: filter?.value ?? '' };
  const sorting = sortingIn(query.get('sort'));
  const download = (name: string) => addressOf('/reports.csv', {}, { ...here, table: name });
  const rows = (name: string) => tables.find((one) => one.name === name)?.rows ?? [];
  /** A table under its gist: the first rows, as a reader would name them. */
  const folded = (name: string, summary?: string) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined || table.rows.length === 0) return null;
    return html`<div id=${`t-${name}`}>${fold(
      summary ?? table.caption,
      html`${showTable(table, request, sorting, (sort) => `${addressOf('/reports', {}, { ...here, sort })}#t-${name}`)}
        <p><a class="button" href=${download(name)} download>${icon('download')}${text.download}<span class="unseen">: ${table.caption}</span></a></p>`,
      summary === undefined && gist(table.rows, request),
      sorting?.table === name,
    )}</div>`;
  };
  const title = inWords(period, request);
  const says = (filter === null || filter.groups === null) && deciding(report, extensions, request);
  return {
    title: text.reportOf(title),
    scripts: ['chart'],
    body: html`
      ${periodHead(request, reported, download('series'))}
      ${filter && html`<p><a class="button" href=${addressOf('/reports', {}, { ...here, of: '' })}>${displayText(filter.label, 80)}${icon('x')}</a></p>`}
      ${
        report.all.calls === 0
          ? html`<p class="empty">${icon('chart-column')}${text.noCalls}</p>`
          : html`
            ${says && html`<p class="says">${says}</p>`}
            ${figures(request, reported)}
            <div class="sheet">
              ${callChart(request, text.bySteps[step], rows('series'), (at) => stepNames(report.series[at] as SeriesRow, step, isOneDay, request).short)}
              ${folded('series', text.table)}
              ${!isOneDay && heat(request, reported)}
              ${callers === null ? html`<p class="quiet">${text.tooManyCalls(formats.number(MAX_CALLS))}</p>` : [folded('never'), folded('callers')]}
              ${['people', 'segments', 'places', 'parts', 'numbers'].map((name) => folded(name))}
              ${rows('integrations').length > 1 && folded('integrations')}
              ${fold(text.notes, html`<p>${text.notesText(account.answerWithin, SHORT_SECONDS)}</p>`)}
              ${mail}
            </div>`
      }
    `,
  };
}

/** The first rows of a table, in short: `Tenants: 117 · Owners: 65`. */
const gist = (rows: readonly Row[], { formats }: PageRequest): Html =>
  rows
    .slice(0, 4)
    .map(({ label, calls }) => `${plainText(label, 30)}: ${formats.number(calls)}`)
    .join(' · ');

/** Four figures, each with what it was before. */
const figures = (request: PageRequest, { period, report, before, filter, callers }: Reported): Html =>
  html`<dl class="figures">${summaryFigures(
    report,
    before,
    callers,
    request.account.answerWithin,
    request,
  ).map(
    ({ label, value, share, under, outcome }) => html`<div><dt>${label}</dt>
      <dd>${outcome === undefined ? value : html`<a href=${callsOf(filter, daysOf(period), { outcome })}>${value}</a>`}${share && html` <small>${share}</small>`}</dd>
      ${under.map((line) => html`<dd class="small quiet">${line}</dd>`)}</div>`,
  )}</dl>`;

/** The usual periods, one click each; other days, steps and a choice of calls in a menu. */
function periodHead(request: PageRequest, { period, filter, filters }: Reported, download: string): Html {
  const { now, formats, words } = request;
  const { from, to } = daysOf(period);
  const text = words.reports;
  const usual = usualPeriods(now, formats.timeZone).map(([name, days]) => ({
    name,
    text: { ...words.calls.days, ...text.usual }[name],
    href: addressOf('/reports', {}, { ...daysOf(days), of: filter?.value ?? '' }),
    chosen: days.first.equals(period.first) && days.last.equals(period.last),
  }));
  const isFirst = ({ name }: (typeof usual)[number]) => ['today', 'last7', 'thisMonth'].includes(name);
  return html`<div class="head"><h1>${words.layout.reports}<span class="on-paper">, ${inWords(period, request)}, ${displayText(request.account.name, 60)}</span></h1>
    ${oneOf(text.period, usual.filter(isFirst))}
    <details class="menu"><summary class="button">${inWords(period, request)}${icon('chevron-down')}</summary>
      <div class="form">
        ${usual.filter((one) => !isFirst(one)).map((one) => html`<a href=${one.href} aria-current=${one.chosen ? 'true' : undefined}>${one.text}</a>`)}
        <form class="form" action="/reports" aria-label=${text.period}>
          ${field({ label: words.calls.since, name: 'from', type: 'date', value: from, required: true })}
          ${field({ label: words.calls.until, name: 'to', type: 'date', value: to, required: true })}
          ${
            !period.first.equals(period.last) &&
            choice({
              ...{ label: text.groupBy, name: 'by', value: period.step },
              options: stepsFor(period).map((step) => [step, text.steps[step]]),
            })
          }
          ${choice({ label: words.layout.calls, name: 'of', value: filter?.value ?? '', options: [['', text.all], ...filters.map(({ value, label }) => [value, plainText(label, 60)] as const)] })}
          <button type="submit">${words.calls.find}</button>
        </form>
      </div>
    </details>
    <a class="button bare" href=${download} download aria-label=${text.download} title=${text.download}>${icon('download')}</a>
  </div>`;
}
