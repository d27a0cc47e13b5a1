import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Integration } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionName, extensionsOf, extensionText, numberCalledText } from '../accounts/extensions.ts';
import { accountLimits } from '../accounts/limits.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { quantile, type ReportStore } from '../calls/aggregate.ts';
import { callAddress, callTable, newCalls, rangText, talkedText } from '../calls/call-cells.ts';
import { isAnswered, isMissed } from '../calls/call-meaning.ts';
import { type CallRecord, rangFor, talkedFor } from '../calls/call-record.ts';
import type { CallCursor } from '../calls/call-slices.ts';
import type { CallStore } from '../calls/call-store.ts';
import type { Budgets } from '../kit/budget.ts';
import { dateAt, daysBetween } from '../kit/calendar.ts';
import {
  BYTE_ORDER_MARK,
  type Cell,
  csvLines,
  csvNumbers,
  csvOffset,
  csvTime,
  forSpreadsheets,
} from '../kit/csv.ts';
import { displayText } from '../kit/display-text.ts';
import { choice, field, hiddenFields, notice, oneOf } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { openingHoursOf } from '../kit/opening-hours.ts';
import type { Answer } from '../kit/page-request.ts';
import { cursorList } from '../kit/table.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import {
  addressOf,
  type CallQuery,
  callQueryIn,
  extensionsIn,
  filterOf,
  notUnderstoodIn,
  outcomes,
  pageOf,
} from './call-filter.ts';

const PER_PAGE = 50;
const PER_CHUNK = 500;
/** Numbers called that one can choose from. */
const MAX_NUMBERS = 200;

type Parts = {
  readonly store: { readonly calls: CallStore; readonly reports: ReportStore };
  readonly directory: ServiceDirectory;
  readonly budgets: Budgets;
};

/** The home: today's figures, and all calls, newest first, as a page and as CSV; and the calls now alone in a window. */
export function callListPage(pages: Pages, context: Parts): void {
  const { store } = context;
  pages.get('/', 'agent', () => ({ redirect: '/calls' }));
  pages.get('/calls/window', 'agent', ({ words: { bar } }) => ({
    title: bar.title,
    callsAlone: true,
    body: null,
  }));
  pages.get('/calls', 'agent', async (request) => listPage(await withSegments(request), context));
  pages.get('/calls.csv', 'agent', async (request) => {
    const { account, query, signal } = request;
    context.budgets.readers.hold(account.id, signal);
    const { page } = await asked(request, context);
    const withExtras = (await store.calls.distinct(account.id, 'numbers called', 1)).length > 0;
    return {
      download: 'calls.csv',
      type: 'text/csv; charset=utf-8',
      content: callsAsCsv((from) => page('older', from, PER_CHUNK), request, withExtras),
      exported: query.size === 0 ? 'all calls' : 'calls that match a filter',
    };
  });
}

/** Which calls a request asks for, and pages of them. */
async function asked(request: UserRequest, { store, directory }: Parts) {
  const account = request.account.id;
  const callQuery = callQueryIn(request.query);
  const integrations = directory.integrations(account);
  const filter = await filterOf(callQuery, request, store, integrations);
  const read = pageOf(callQuery, request, store);
  return {
    callQuery,
    integrations,
    page: (towards: 'older' | 'newer', from: CallCursor | null, limit: number) =>
      read({ account, filter, towards, from, limit }),
  };
}

async function listPage(request: SegmentRequest, context: Parts): Promise<Answer> {
  const { account, query, words, administrates } = request;
  const text = words.calls;
  const { callQuery, integrations, page } = await asked(request, context);
  const [called, figures] = await Promise.all([
    // Only what is live is read of a renewal.
    request.isRenewal ? [] : context.store.calls.distinct(account.id, 'numbers called', MAX_NUMBERS),
    today(request, context),
  ]);
  const {
    rows: calls,
    isNewest,
    isSearching,
    links,
  } = await cursorList(
    request,
    PER_PAGE,
    async (towards, from) => {
      const { calls: rows, ...places } = await page(towards, from, PER_PAGE);
      return { rows, ...places };
    },
    (also) => addressOf('/calls', callQuery, also),
  );
  if (calls.length === 0 && callQuery.q !== '' && isNewest && !isSearching && !request.isRenewal) {
    const call = await context.store.calls.get(account.id, callQuery.q);
    if (call) return { redirect: callAddress(call.id) };
  }
  const filtered = addressOf('', callQuery) !== '';
  const isUnused = calls.length === 0 && !filtered && isNewest;
  return {
    title: words.layout.calls,
    scripts: isNewest ? ['live'] : [],
    body: html`
      <div class="head"><h1>${words.layout.calls}</h1>${figures}</div>
      ${!isUnused && !request.isRenewal && filterForm(callQuery, request, { integrations, numbersCalled: called })}
      ${notUnderstoodIn(query).map((odd) => notice(html`${text.notUnderstood[odd.name === 'from' || odd.name === 'to' ? 'date' : odd.name]} ${displayText(odd.text, 60)}`, 'bad'))}
      <div id="calls" data-live=${isNewest ? (filtered ? 'hold' : '') : undefined} ...${newCalls(request)}>${!isSearching && callTable(calls, request, filtered)}</div>
      ${isUnused && administrates && html`<p class="empty"><a class="button primary" href="/integrations">${text.connect}</a></p>`}
      ${links}
    `,
  };
}

/** Today's figures, in one row. */
async function today({ account, formats, now, words }: UserRequest, { store }: Parts): Promise<Html> {
  const text = words.calls;
  const date = dateAt(now, formats.timeZone);
  // The whole day: the store keeps a span's figures for the next request.
  const day = daysBetween(date, date, formats.timeZone);
  for await (const { all } of store.reports.figures(account.id, day, now)) {
    const median = quantile(all.waited, 0.5);
    const figures = [
      [all.calls, text.today],
      [all.answered, text.answeredToday],
      [all.missed, text.missedToday],
      [median === null ? '–' : formats.span(median * 1000), text.toAnswer],
    ] as const;
    return html`<dl id="today" class="strip" data-live>${figures.map(([value, label]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
  }
  return null;
}

/** A date, with a time if it has one. */
const moment = (label: string, name: string, value: string) =>
  field({ label, name, type: value.includes('T') ? timeType(value) : 'date', value });
/** A browser's field for times has no offset. */
const timeType = (value: string) => (value.length > '2026-11-20T09:00'.length ? 'text' : 'datetime-local');

/** What a filter form offers: the account's integrations, and the numbers that were called. */
type Offered = {
  readonly integrations: readonly Integration[];
  readonly numbersCalled: readonly string[];
};

/** What is searched, which calls, which days; and in a menu what is needed seldom. Only the search needs a press of Enter. */
function filterForm(callQuery: CallQuery, request: SegmentRequest, offered: Offered): Html {
  const { words, extensions, user } = request;
  const text = words.calls;
  const { q, customer, mine, integration, place, outcome } = callQuery;
  const at = (change: Partial<CallQuery>) => addressOf('/calls', { ...callQuery, ...change });
  const days = dayChoices(request);
  const chosenDays = days.find(({ from, to }) => from === callQuery.from && to === callQuery.to);
  return html`
  <form class="filters" action="/calls" role="search" aria-label=${words.layout.calls}>
    <div class="search">${icon('search')}<input type="search" name="q" value=${q} maxlength="255" aria-label=${text.search} placeholder=${text.search} /></div>
    ${hiddenFields(Object.fromEntries(Object.entries({ customer, integration, place, mine }).filter(([, value]) => value !== '')))}
    ${oneOf(text.which, [
      {
        text: text.outcomes.all,
        href: at({ outcome: null, mine: '' }),
        chosen: outcome === null && mine === '',
      },
      { text: text.outcomes.missed, href: at({ outcome: 'missed', mine: '' }), chosen: outcome === 'missed' },
      ...(extensionsOf(extensions, user.id).length > 0
        ? [{ text: text.mine, href: at({ outcome: null, mine: '1' }), chosen: mine !== '' }]
        : []),
    ])}
    <details class="menu"><summary class="button">${chosenDays?.text ?? dayText(callQuery)}${icon('chevron-down')}</summary>
      <div>${days.map(({ text: name, from, to }) => html`<a href=${at({ from, to })}>${name}</a>`)}</div>
    </details>
    <details class="menu"><summary class="button bare" aria-label=${text.more} title=${text.more}>${icon('sliders-horizontal')}</summary>
      <div class="form">
        ${seldomFields(callQuery, request, offered)}
        <button type="submit">${text.find}</button>
        <a href=${addressOf('/calls.csv', callQuery)} download>${icon('download')}${text.download}</a>
      </div>
    </details>
    ${narrowedBy(callQuery, request, offered.integrations).map(
      ([name, label, value]) =>
        value !== '' &&
        html`<a class="button" href=${at({ [name]: name === 'outcome' ? null : '' })} aria-label=${`${words.common.remove}: ${label} ${plainText(value, 60)}`}>${label}: ${displayText(value, 60)}${icon('x')}</a>`,
    )}
  </form>`;
}

/** What the list is narrowed by besides the search, the days and whose calls: each can be taken away. */
function narrowedBy(
  callQuery: CallQuery,
  { words, extensions }: SegmentRequest,
  integrations: readonly Integration[],
) {
  const text = words.calls;
  const { customer, extension, segment, integration, called, place, hours, outcome } = callQuery;
  return [
    ['customer', text.customer, customer],
    [
      'integration',
      text.integration,
      integration && (integrations.find(({ uid }) => uid === integration)?.name ?? integration),
    ],
    ['place', text.place, place && text.places[place as keyof typeof text.places]],
    ['outcome', text.outcome, outcome === null || outcome === 'missed' ? '' : text.outcomes[outcome]],
    [
      'extension',
      text.answeredBy,
      extensionsIn(extension)
        .map((one) => extensionText(extensions, one))
        .join(', '),
    ],
    ['segment', text.segment, segment],
    ['called', text.numberCalled, called && numberCalledText(extensions, called)],
    ['hours', words.settings.openingHours, hours && text.inHours[hours]],
  ] as const;
}

function seldomFields(callQuery: CallQuery, request: SegmentRequest, { numbersCalled }: Offered): Html {
  const { account, words, extensions, segments } = request;
  const text = words.calls;
  const { extension, segment, called, hours, outcome } = callQuery;
  const answerers = [...extensions.values()]
    .filter(({ name, userName }) => name !== '' || userName !== null)
    .slice(0, accountLimits.extensions);
  return html`${choice({ label: text.outcome, name: 'outcome', value: outcome ?? '', options: outcomes.map((value) => [value, text.outcomes[value || 'all']] as const) })}
        ${choice({ label: text.answeredBy, name: 'extension', value: extension, options: [['', words.common.all], ...answerers.map((one) => [one.extension, plainText(extensionText(extensions, one.extension), 60)] as const)] })}
        ${segments.length > 0 && choice({ label: text.segment, name: 'segment', value: segment, options: [['', text.outcomes.all], ...segments.map(({ name }) => [name, plainText(name, 60)] as const)] })}
        ${
          numbersCalled.length > 0 &&
          choice({
            label: text.numberCalled,
            name: 'called',
            value: called,
            options: [
              ['', words.common.all],
              ...numbersCalled.map(
                (one) =>
                  [
                    exportedNumber(one, account.country),
                    plainText(numberCalledText(extensions, one), 60),
                  ] as const,
              ),
            ],
          })
        }
        ${
          openingHoursOf(account) !== null &&
          choice({
            label: words.settings.openingHours,
            name: 'hours',
            value: hours,
            options: (['', 'in', 'out'] as const).map((part) => [part, text.inHours[part || 'all']] as const),
          })
        }
        ${moment(text.since, 'from', callQuery.from)}
        ${moment(text.until, 'to', callQuery.to)}`;
}

/** The days that people ask for, as they stand in an address. */
function dayChoices({ formats, now, words: { calls: text } }: UserRequest) {
  const date = dateAt(now, formats.timeZone);
  const day = (ago: number) => String(date.subtract({ days: ago }));
  return [
    { text: text.anyDay, from: '', to: '' },
    { text: text.days.today, from: day(0), to: day(0) },
    { text: text.days.yesterday, from: day(1), to: day(1) },
    { text: text.days.week, from: day(6), to: day(0) },
    { text: text.days.month, from: String(date.with({ day: 1 })), to: day(0) },
  ];
}

const dayText = ({ from, to }: CallQuery) =>
  [...new Set([from, to])].filter(Boolean).join(' – ').replaceAll('T', ' ');

/**
 * All matching calls for a spreadsheet, newest first, read while they are sent. Times are on the account's clocks, whose
 * offset from UTC is next to the start; durations are in seconds.
 * `next`: the calls from a place on.
 */
export async function* callsAsCsv(
  next: (from: CallCursor | null) => ReturnType<CallStore['page']>,
  {
    account,
    extensions,
    formats: { timeZone, locale },
  }: Pick<UserRequest, 'account' | 'extensions' | 'formats'>,
  withExtras = false,
): AsyncGenerator<string> {
  const time = (at: number | null) => csvTime(at, timeZone);
  const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));
  const columns: readonly (readonly [head: string, cell: (call: CallRecord) => Cell])[] = [
    ['id', ({ id }) => id],
    ['started', ({ startedAt }) => time(startedAt)],
    ['zone', ({ startedAt }) => csvOffset(startedAt, timeZone)],
    ['number', ({ number }) => csvNumbers([exportedNumber(number, account.country)])],
    ['customer', ({ customer }) => customer?.reference ?? null],
    ['customer_name', ({ customer }) => customer?.name ?? null],
    ['segment', ({ segment }) => segment],
    ['outcome', (call) => (isMissed(call) ? 'missed' : isAnswered(call) ? 'answered' : call.status)],
    ['answered_by', ({ callerId }) => callerId && extensionText(extensions, callerId)],
    ['extension', ({ callerId }) => callerId && csvNumbers([callerId])],
    ['answered', ({ answeredAt }) => time(answeredAt)],
    ['ended', ({ completedAt }) => time(completedAt)],
    ['wait_seconds', (call) => seconds(rangFor(call))],
    ['duration_seconds', (call) => seconds(talkedFor(call))],
    ...(withExtras
      ? ([
          [
            'number_called',
            ({ extras }) =>
              extras.numberCalled && csvNumbers([exportedNumber(extras.numberCalled, account.country)]),
          ],
          [
            'number_called_name',
            ({ extras }) => extras.numberCalled && (extensionName(extensions, extras.numberCalled) ?? null),
          ],
          ['line', ({ extras }) => extras.line],
          ['missed_at', ({ extras }) => extras.missed?.where ?? null],
          ['missed_at_name', ({ extras }) => extras.missed?.name ?? null],
          ['ended_by', ({ extras }) => extras.missed?.by ?? null],
          ['missed_after_seconds', ({ extras }) => extras.missed?.after ?? null],
          ['rang', (call) => (call.rang === null ? null : rangText(call, extensions))],
          ['talked', (call) => (call.talked === null ? null : talkedText(call, extensions, ', then '))],
        ] satisfies readonly (readonly [string, (call: CallRecord) => Cell])[])
      : []),
  ];
  const dialect = forSpreadsheets(locale);
  yield `${BYTE_ORDER_MARK}${csvLines([columns.map(([head]) => head)], dialect)}`;
  let from: CallCursor | null = null;
  do {
    const page: Awaited<ReturnType<CallStore['page']>> = await next(from);
    if (page.calls.length > 0)
      yield csvLines(
        page.calls.map((call) => columns.map(([, cell]) => cell(call))),
        dialect,
      );
    from = page.next;
  } while (from !== null);
}
