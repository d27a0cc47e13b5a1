import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Integration } from '../accounts/directory-store.ts';
import { extensionName, extensionText, numberCalledText } from '../accounts/extensions.ts';
import { callTable, newCalls } from '../calls/call-cells.ts';
import type { CallCursor } from '../calls/call-reader.ts';
import { type CallRecord, rangFor, talkedFor } from '../calls/call-record.ts';
import type { CallStore } from '../calls/call-store.ts';
import { type Cell, csvLines, csvTime } from '../kit/csv.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { choice, field, notice } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { cursorList } from '../kit/table.ts';
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
  readonly store: { readonly calls: CallStore };
  readonly directory: ServiceDirectory;
};

/** All calls, newest first, as a page and as CSV. */
export function callListPage(pages: Pages, context: Parts): void {
  const { store } = context;
  pages.get('/calls', 'agent', (request) => listPage(request, context));
  pages.get('/calls.csv', 'agent', async (request) => {
    const { account, query, audit } = request;
    const { page } = await asked(request, context);
    await audit('export', query.size === 0 ? 'all calls' : 'calls that match a filter');
    const withExtras = (await store.calls.distinct(account.id, 'numbers called', 1)).length > 0;
    return {
      download: 'calls.csv',
      type: 'text/csv; charset=utf-8',
      content: callsAsCsv((from) => page('older', from, PER_CHUNK), request, withExtras),
    };
  });
}

/** Which calls a request asks for, and pages of them. */
async function asked(request: PageRequest, { store, directory }: Parts) {
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

async function listPage(request: PageRequest, context: Parts): Promise<Page> {
  const { account, query, words } = request;
  const text = words.calls;
  const { callQuery, integrations, page } = await asked(request, context);
  const called = await context.store.calls.distinct(account.id, 'numbers called', MAX_NUMBERS);
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
  const filtered = addressOf('', callQuery) !== '';
  return {
    title: text.title,
    scripts: isNewest ? ['live-parts.js'] : [],
    body: html`
      <h1>${text.title}</h1>
      ${filterForm(callQuery, request, integrations, called)}
      ${notUnderstoodIn(query).map((odd) => notice(html`${text.notUnderstood[odd.name]} ${displayText(odd.text, 60)}`, 'bad'))}
      <div id="calls" data-live=${isNewest ? 'hold' : undefined} ...${newCalls(request)}>${!isSearching && callTable(calls, request, filtered)}</div>
      ${links}
      ${
        calls.length > 0 &&
        html`<p class="save"><a href=${addressOf('/calls.csv', callQuery)} download>${filtered ? text.downloadThese : text.downloadAll}</a></p>`
      }
    `,
  };
}

/** A date, with a time if it has one. */
const moment = (label: string, name: string, value: string) =>
  field({ label, name, type: value.includes('T') ? 'datetime-local' : 'date', value });

function filterForm(
  callQuery: CallQuery,
  { account, formats, words, extensions }: PageRequest,
  integrations: readonly Integration[],
  numbersCalled: readonly string[],
): Html {
  const text = words.calls;
  const { q, customer, extension, segment, integration, called, place, hours, outcome, from, to } = callQuery;
  // What is not in the list is shown as it is.
  const isListed = called === '' || numbersCalled.includes(called);
  const narrowed = [
    ['customer', text.customer, customer],
    ['extension', text.extension, extension],
    ['segment', text.segment, segment],
    ['integration', text.integration, integration],
    ['called', text.numberCalled, isListed ? '' : called],
    ['place', text.place, place],
  ] as const;
  const nameOf = (name: string, value: string) =>
    name === 'place'
      ? (text.places[value as keyof typeof text.places] ?? value)
      : name === 'integration'
        ? (integrations.find(({ uid }) => uid === value)?.name ?? value)
        : name === 'extension'
          ? extensionsIn(value)
              .map((one) => extensionText(extensions, one))
              .join(', ')
          : value;
  return html`
  <form class="filter" action="/calls" role="search" aria-label=${text.title}>
    ${field({ label: text.search, name: 'q', type: 'search', value: q, maxlength: 255 })}
    ${choice({ label: text.outcome, name: 'outcome', value: outcome ?? '', options: outcomes.map((value) => [value, text.outcomes[value || 'all']] as const) })}
    ${
      numbersCalled.length > 0 &&
      isListed &&
      choice({
        label: text.numberCalled,
        name: 'called',
        value: called,
        options: [
          ['', text.anyNumber],
          ...numbersCalled.map((one) => [one, plainText(numberCalledText(extensions, one), 60)] as const),
        ],
      })
    }
    ${
      account.openingHours !== null &&
      choice({
        label: text.hours,
        name: 'hours',
        value: hours,
        options: (['', 'in', 'out'] as const).map((part) => [part, text.inHours[part || 'all']] as const),
      })
    }
    ${moment(text.since, 'from', from)}
    ${moment(text.until, 'to', to)}
    <label class="check"><input type="checkbox" name="mine" value="1" checked=${callQuery.mine !== ''} /> ${text.mine}</label>
    <div class="buttons">
      <button type="submit" class="main">${text.find}</button>
      ${addressOf('', callQuery) !== '' && html`<a href="/calls">${text.clear}</a>`}
    </div>
    ${narrowed.map(
      ([name, label, value]) =>
        value !== '' &&
        html`<p class="narrowed"><input type="hidden" name=${name} value=${value} />${label}: ${displayText(nameOf(name, value), 60)}
          <a href=${addressOf('/calls', { ...callQuery, [name]: '' })}>${text.remove}<span class="unseen"> ${label}</span></a></p>`,
    )}
    <p class="hint">${text.searchHint(formats.timeZone)}</p>
  </form>`;
}

/**
 * All matching calls, newest first, read while they are sent. Times have an offset from UTC, durations are in seconds.
 * `next`: the calls from a place on.
 */
export async function* callsAsCsv(
  next: (from: CallCursor | null) => ReturnType<CallStore['page']>,
  { extensions, formats: { timeZone } }: Pick<PageRequest, 'extensions' | 'formats'>,
  withExtras = false,
): AsyncGenerator<string> {
  const time = (at: number | null) => csvTime(at, timeZone);
  const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));
  const columns: readonly (readonly [head: string, cell: (call: CallRecord) => Cell])[] = [
    ['id', ({ id }) => id],
    ['started', ({ startedAt }) => time(startedAt)],
    ['number', ({ number }) => number],
    ['customer', ({ customer }) => customer?.reference ?? null],
    ['customer_name', ({ customer }) => customer?.name ?? null],
    ['segment', ({ segment }) => segment],
    ['outcome', ({ missed, status }) => (missed ? 'missed' : status === 'completed' ? 'answered' : status)],
    ['answered_by', ({ callerId }) => callerId && extensionText(extensions, callerId)],
    ['extension', ({ callerId }) => callerId],
    ['answered', ({ answeredAt }) => time(answeredAt)],
    ['ended', ({ completedAt }) => time(completedAt)],
    ['wait_seconds', (call) => seconds(rangFor(call))],
    ['duration_seconds', (call) => seconds(talkedFor(call))],
    ...(withExtras
      ? ([
          ['number_called', ({ extras }) => extras.numberCalled],
          [
            'number_called_name',
            ({ extras }) => extras.numberCalled && (extensionName(extensions, extras.numberCalled) ?? null),
          ],
          ['line', ({ extras }) => extras.line],
          ['missed_at', ({ extras }) => extras.missed?.where ?? null],
          ['missed_at_name', ({ extras }) => extras.missed?.name ?? null],
          ['ended_by', ({ extras }) => extras.missed?.by ?? null],
          ['missed_after_seconds', ({ extras }) => extras.missed?.after ?? null],
        ] satisfies readonly (readonly [string, (call: CallRecord) => Cell])[])
      : []),
  ];
  // The byte order mark makes spreadsheets read UTF-8.
  yield `\ufeff${csvLines([columns.map(([head]) => head)])}`;
  let from: CallCursor | null = null;
  do {
    const page: Awaited<ReturnType<CallStore['page']>> = await next(from);
    if (page.calls.length > 0)
      yield csvLines(page.calls.map((call) => columns.map(([, cell]) => cell(call))));
    from = page.next;
  } while (from !== null);
}
