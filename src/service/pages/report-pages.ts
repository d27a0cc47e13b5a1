import { mailAddress } from '../../mail/mail-address.ts';
import { spaced } from '../../phone-number/normalise-number.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { ServiceContext } from '../http/context.ts';
import { countGroup, type Group, OTHERS } from '../reports/aggregate.ts';
import { dateIn, daysBetween } from '../reports/calendar.ts';
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
import { changeForm, choice, field } from './kit/form.ts';
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
import { lastWeek, weeklyReport, weeklyReportBody } from './weekly-report.ts';

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
  weekPages(pages, context);

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

/** The report of a week as it is mailed, to print; and where it is mailed to. */
function weekPages(pages: Pages, { store, mailer }: ServiceContext): void {
  async function page(request: PageRequest, error?: string): Promise<Page> {
    const { account, words, formats, now, query, user, token, form } = request;
    const last = lastWeek(now, formats.timeZone);
    const asked = dateIn(query.get('of'));
    const monday = asked ? asked.subtract({ days: asked.dayOfWeek - 1 }) : last;
    const report = await weeklyReport(store, account, monday, words, formats, now);
    const address = form.get('address') ?? (await store.weekly.address(user.id)) ?? '';
    const text = words.weekly;
    return {
      title: report.title,
      ...(error && { status: 422 }),
      body: html`
        <p class="quiet"><a href="/reports">← ${words.layout.reports}</a></p>
        <h1>${report.title}</h1>
        ${weeklyReportBody(report)}
        ${
          mailer === undefined
            ? html`<p class="quiet save">${text.noMail}</p>`
            : changeForm(
                { action: '/reports/week', token, label: text.heading },
                html`<h2>${text.heading}</h2>
                  ${field({ label: text.address, name: 'address', value: address, maxlength: 254, hint: text.hint, errors: error ? { address: error } : null })}
                  <button type="submit">${words.common.save}</button>`,
              )
        }`,
    };
  }
  pages.get('/reports/week', 'agent', (request) => page(request));
  pages.post('/reports/week', 'agent', async (request) => {
    const address = (request.form.get('address') ?? '').trim();
    if (address.length > 254 || (address !== '' && !mailAddress.test(address)))
      return page(request, request.words.weekly.badAddress);
    const sent = lastWeek(request.now, request.formats.timeZone).toString();
    await store.weekly.put(request.user.id, address || null, sent);
    await request.audit('settings', `weekly report to ${address || 'nobody'}`);
    return { redirect: '/reports/week' };
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

type Names = ReturnType<typeof makeNames>;
const made = new Map<string, Names>();

/** How dates are written in a language. */
function namesFor(locale: string): Names {
  const names = made.get(locale) ?? makeNames(locale);
  made.set(locale, names);
  return names;
}

function makeNames(locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const of = new Intl.DateTimeFormat(locale, options);
    return (date: Temporal.PlainDate) =>
      locale === 'en-GB' ? of.format(date).replace(',', '') : of.format(date);
  };
  return {
    day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: format({ weekday: 'long' }),
    date: format({ day: 'numeric', month: 'short' }),
    month: format({ month: 'long', year: 'numeric' }),
    shortMonth: format({ month: 'short', year: '2-digit' }),
    full: format({ day: 'numeric', month: 'short', year: 'numeric' }),
  };
}

type Spoken = Pick<PageRequest, 'words' | 'formats'>;

/** How a step is named in a table, under a bar and in CSV. */
function stepNames(
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
  const short = names.date(first);
  if (step === 'day') return { label: names.day(first), short, iso: first.toString() };
  const label = words.reports.week(last.weekOfYear ?? 0, names.full(first));
  return { label, short, iso: first.toString() };
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
  request: PageRequest,
  { period, report, before, filter, callers }: Reported,
  integration: (id: string) => { readonly name: string; readonly uid: string } | undefined,
): ReportTable[] {
  const { formats, extensions, words } = request;
  const text = words.reports;
  const columns = columnsOf(words);
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
        label: name === OTHERS ? text.others : nameOf(name),
        before: then.get(name)?.calls ?? 0,
        ...(name !== '' && name !== OTHERS && { href: callsOf(null, daysOf(period), calls(name)) }),
      }),
    );
  };
  const tables: ReportTable[] = [
    {
      name: 'series',
      caption: text.bySteps[step],
      columns: columns[step === 'hour' ? 'counts' : 'steps'](text.steps[step], step),
      rows: report.series.map((row) => ({
        ...row,
        ...stepNames(row, step, isOneDay, request),
        href: callsOf(filter, row.hour ? hourOf(row.first, row.hour.hour) : daysOf(row)),
      })),
    },
    {
      name: 'hours',
      caption: text.byHourOfDay,
      columns: columns.counts(text.steps.hour, 'hour'),
      rows: report.hours
        .map((counts, hour): Row => ({ ...counts, label: hourName(hour) }))
        .slice(firstHour, lastHour + 1),
    },
  ];
  if (callers !== null)
    tables.push(
      {
        name: 'callers',
        caption: text.busiest,
        columns: columns.callers(text.caller),
        rows: callers.busiest.map(({ number, name, calls, missed }) => ({
          ...{ calls, missed, answered: calls - missed },
          ...{ label: name ?? spaced(number), iso: number, href: callerAddress(number) },
        })),
      },
      {
        name: 'never',
        caption: text.neverReached,
        columns: columns.neverReached(text.caller),
        rows: callers.neverReached.map((of) => {
          const last = of.at(-1) as CallRecord;
          return {
            ...{ calls: of.length, missed: of.length, answered: 0 },
            ...{
              label: last.customer?.name ?? spaced(last.number),
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
        caption: text.byPerson,
        columns: columns.people(text.person, 'person'),
        rows: peopleRows(extensions, words, report, before, (extension) =>
          callsOf(null, daysOf(period), { extension }),
        ),
      },
      {
        name: 'segments',
        caption: text.bySegment,
        columns: columns.groups(text.segment, 'segment'),
        rows: groups(
          'segments',
          (name) => name || text.none,
          (segment) => ({ segment }),
        ),
      },
      {
        name: 'integrations',
        caption: text.byIntegration,
        columns: columns.groups(text.integration, 'integration'),
        rows: groups(
          'integrations',
          (id) => integration(id)?.name ?? text.removed,
          (id) => ({ integration: integration(id)?.uid ?? '' }),
        ),
      },
    );
  return tables;
}

/** Answered calls by person, most first. */
function peopleRows(
  extensions: PageRequest['extensions'],
  { reports: text }: PageRequest['words'],
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
        label: search === '' ? text.unknown : search === OTHERS ? text.others : name,
        before: own.reduce((calls, extension) => calls + (then.get(extension)?.answered ?? 0), 0),
        ...(search !== '' && search !== OTHERS && { href: calls(search) }),
      };
    })
    .sort((a, b) => b.answered - a.answered);
}

function reportPage(request: PageRequest, reported: Reported, tables: readonly ReportTable[]): Page {
  const { account, formats, query, words } = request;
  const text = words.reports;
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
            ${['people', 'segments', 'integrations'].map((name) => section(name))}`
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
  const short = formats.number(shortAbandons(all));
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
    <p class="quiet">${text.beforeSpan(inWords(daysBefore(period), request))}</p>`;
}

function inWords({ first, last }: Pick<Period, 'first' | 'last'>, { words, formats }: Spoken): string {
  const { full } = namesFor(formats.locale);
  return first.equals(last) ? full(first) : words.reports.span(full(first), full(last));
}

function periodForm({ now, formats, words }: PageRequest, { period, filter, filters }: Reported): Html {
  const { from, to } = daysOf(period);
  const text = words.reports;
  return html`
    <nav class="choices" aria-label=${text.periods}>
      ${usualPeriods(now, formats.timeZone).map(([name, days]) => {
        const current = days.first.equals(period.first) && days.last.equals(period.last);
        const address = addressOf('/reports', {}, { ...daysOf(days), of: filter?.value ?? '' });
        return html`<a class="button" href=${address} aria-current=${current ? 'page' : undefined}>${text.usual[name]}</a>`;
      })}
      <a class="button" href="/reports/week">${text.weekly}</a>
    </nav>
    <form class="filter" action="/reports" aria-label=${text.period}>
      ${field({ label: text.from, name: 'from', type: 'date', value: from, required: true })}
      ${field({ label: text.to, name: 'to', type: 'date', value: to, required: true })}
      ${choice({ label: text.groupBy, name: 'by', value: period.step, options: stepsFor(period).map((step) => [step, text.steps[step]]) })}
      ${choice({ label: text.which, name: 'of', value: filter?.value ?? '', options: [['', text.all], ...filters.map(({ value, label }) => [value, plainText(label, 60)] as const)] })}
      <div class="buttons"><button type="submit" class="main">${text.show}</button></div>
    </form>`;
}

const countsInWords = ({ calls, answered, missed }: Counts, { words, formats }: Spoken) =>
  words.reports.counts(calls, formats.number(answered), formats.number(missed));

function callChart(
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
function timeToAnswerChart(
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
function heat(request: PageRequest, { report, period, filter }: Reported): Html {
  const text = request.words.reports;
  const names = namesFor(request.formats.locale);
  const [first, last] = busyHours(report.hours);
  const hours = Array.from({ length: last - first + 1 }, (_, at) => first + at);
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
  );
}
