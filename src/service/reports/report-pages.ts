import type { ServiceDirectory } from '../accounts/directory.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
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
import type { Answer, Page } from '../kit/page-request.ts';
import type { CallerStore } from '../people/caller-store.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { makeReport, type SeriesRow, shownSeries } from './call-report.ts';
import { callersReport, MAX_CALLS } from './callers-report.ts';
import { partFigures } from './figure-cache.ts';
import { periodIn, type StepLength, sameTimeThen, stepsFor, usualPeriods } from './period.ts';
import { callChart, heat } from './report-charts.ts';
import { filtersOf, namesIn, personOf, withNamesOf } from './report-filter.ts';
import { callsOf, daysOf, inWords, stepNames } from './report-names.ts';
import { type Reported, reportTables } from './report-rows.ts';
import { deciding, summaryFigures } from './report-summary.ts';
import { type ReportTable, type Row, showTable, sortingIn, tableCells } from './report-tables.ts';
import { chooseWeekly, weeklyForm } from './weekly-report.ts';
import type { WeeklyStore } from './weekly-store.ts';

type Parts = {
  readonly store: {
    readonly reports: ReportStore;
    readonly callers: CallerStore;
    readonly weekly: WeeklyStore;
  };
  readonly directory: ServiceDirectory;
  readonly budgets: Budgets;
  /** Undefined: the service cannot send mail. */
  readonly mailer: object | undefined;
};

/** Call reports for any days in the account's time zone; each table also as CSV. */
export function reportPages(pages: Pages, parts: Parts): void {
  pages.get('/reports', 'agent', (request) => page(request, parts));
  pages.get('/reports.csv', 'agent', (request) => download(request, parts));
  pages.post('/reports/mail', 'agent', (request) =>
    chooseWeekly(request, parts.store.weekly, () => page(request, parts, request.words.weekly.badAddress)),
  );
}

async function page(request: UserRequest, parts: Parts, wrongAddress?: string): Promise<Page> {
  const reported = await read(request, parts);
  const { words, user } = request;
  const mail = parts.mailer
    ? await weeklyForm(request, parts.store.weekly, wrongAddress)
    : user.role === 'administrator' && fold(words.weekly.heading, html`<p>${words.weekly.noMail}</p>`);
  const shown = reportPage(request, reported, tablesOf(request, reported, parts), mail);
  return wrongAddress === undefined ? shown : { ...shown, status: 422 };
}

async function download(request: UserRequest, parts: Parts): Promise<Answer> {
  parts.budgets.readers.hold(request.account.id, request.signal);
  const reported = await read(request, parts);
  const { first, last } = reported.period;
  const { from, to } = daysOf(reported.period);
  const all = tablesOf(request, reported, parts);
  const table = all.find(({ name }) => name === request.query.get('table')) ?? (all[0] as ReportTable);
  return {
    download: `calls-${table.name}-${first}-${last}.csv`,
    type: 'text/csv; charset=utf-8',
    content: tableAsCsv(table, request),
    exported: `report ${table.name} ${from} to ${to}`,
  };
}

const tablesOf = (request: UserRequest, reported: Reported, { directory }: Parts) =>
  reportTables(request, reported, (id) =>
    directory.integrations(request.account.id).find((one) => String(one.id) === id),
  );

async function read(request: UserRequest, parts: Parts): Promise<Reported> {
  const { account, query, now, formats, extensions } = request;
  const { timeZone } = formats;
  const { store } = parts;
  const period = periodIn(query, now, timeZone);
  const offered = await offeredFilters(request, parts);
  const asked = namesIn(query.get('of'));
  const filter = offered(asked).find(({ value }) => value === query.get('of')) ?? null;

  const hours = openingHoursOf(account);
  const partsIn = (part: HoursPart | undefined) =>
    hours && part ? (day: Day) => partsOf(day, hours, part, timeZone) : null;
  // Of a filter by opening hours, each day is counted in parts.
  const dayParts = partsIn(filter?.hours);
  const count = (days: readonly Day[], step: StepLength, opens: typeof dayParts) => {
    const figures =
      dayParts === null
        ? store.reports.figures(account.id, days, now)
        : partFigures(store.reports, account.id, days, dayParts, now);
    return makeReport({ step }, days, timeZone, figures, filter?.groups, opens, (extension) =>
      personOf(extensions, extension),
    );
  };
  const days = daysBetween(period.first, period.last, timeZone);
  const report = await count(days, period.step, dayParts === null ? partsIn('in') : null);
  const before = await count(sameTimeThen(period, days, now, timeZone), 'month', null);

  const callers = await callersReport(
    store.callers,
    account.id,
    dayParts === null ? days : days.flatMap(dayParts),
    { groups: report.groups, perDay: dayParts === null ? report.perDay : [] },
    filter?.groups ?? null,
    now,
  );
  return { period, report, before, filter, filters: offered(withNamesOf(report, asked)), callers };
}

/** The filters that one can choose, by the names in a report: as many as an account can have, and the one that is asked for. */
async function offeredFilters(request: UserRequest, { directory }: Parts) {
  const asked = request.query.get('of');
  const segments = await request.readSegments();
  const integrations = directory
    .integrations(request.account.id)
    .filter(({ uid }, at) => at < accountLimits.integrations || asked === `integration:${uid}`);
  return (names: ReturnType<typeof namesIn>) => filtersOf(request, segments, integrations, names);
}

async function* tableAsCsv(table: ReportTable, { formats }: UserRequest): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  const dialect = forSpreadsheets(formats.locale);
  for await (const cells of tableCells(table, formats.timeZone)) yield csvLines(cells, dialect);
}

function reportPage(
  request: UserRequest,
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
              ${callChart(request, text.bySteps[step], rows('series'), (at) => stepNames(shownSeries(report)[at] as SeriesRow, step, isOneDay, request).short)}
              ${folded('series', text.table)}
              ${!isOneDay && heat(request, reported)}
              ${callers === null ? html`<p class="quiet">${text.tooManyCalls(formats.number(MAX_CALLS))}</p>` : [folded('never'), folded('callers')]}
              ${['people', 'segments', 'places', 'parts', 'numbers'].map((name) => folded(name))}
              ${rows('integrations').length > 1 && folded('integrations')}
              ${fold(text.notes, html`<p>${text.notesText(account.answerWithin, SHORT_SECONDS)}</p>${report.hasRang && html`<p>${text.offeredText}</p>`}`)}
              ${mail}
            </div>`
      }
    `,
  };
}

/** The first rows of a table, in short: `Tenants: 117 · Owners: 65`. */
const gist = (rows: readonly Row[], { formats }: UserRequest): Html =>
  rows
    .filter(({ calls }) => calls > 0)
    .slice(0, 4)
    .map(({ label, calls }) => `${plainText(label, 30)}: ${formats.number(calls)}`)
    .join(' · ');

/** Four figures, each with what it was before. */
const figures = (request: UserRequest, { period, report, before, filter, callers }: Reported): Html =>
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
function periodHead(request: UserRequest, { period, filter, filters }: Reported, download: string): Html {
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
              label: text.groupBy,
              name: 'by',
              value: period.step,
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
