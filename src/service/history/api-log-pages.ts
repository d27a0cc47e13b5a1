import { limits } from '../../shared/api/contract/decisions.ts';
import { queryEntries } from '../../shared/api/contract/fields.ts';
import { numberForms } from '../../shared/phone-number/normalise-number.ts';
import type { Integration } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { callAddress } from '../calls/call-cells.ts';
import type { CallStore } from '../calls/call-store.ts';
import { copyable, displayText, lines } from '../kit/display-text.ts';
import { choice, field } from '../kit/form.ts';
import { type Answer, isRead, type Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { numberTerm } from '../kit/search-text.ts';
import { cursorIn, cursorList } from '../kit/table.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { entryTable, extrasLeftOut, integrationName, payloadText, statusChip } from './api-log-table.ts';
import {
  type HistoryCursor,
  type HistoryFilter,
  type HistorySearch,
  historyOutcomes,
  MAX_FORMS,
  type RequestStore,
  type StoredRequest,
} from './request-store.ts';
import { jsonIn, setOutJson } from './set-out-json.ts';

const PER_PAGE = 50;
/** Of one request's query string. */
const MAX_FIELDS = 50;

/** What an administrator knows of a call that is not shown comes first. */
const searchFields = ['number', 'call', 'request', 'response'] as const;

type Parts = {
  store: { requests: RequestStore; calls: CallStore };
  directory: ServiceDirectory;
};

/** The account's requests and responses (the API's request history), with a search, and each entry in full. */
export function apiLogPages(pages: Pages, parts: Parts): void {
  pages.get('/api-log', 'administrator', (request) => listPage(request, parts));
  pages.get('/api-log/entry', 'administrator', (request) => entryPage(request, parts));
}

/** What the log is asked for. */
type Asked = {
  readonly search: HistorySearch | null;
  readonly integration: Integration | undefined;
  readonly outcome: (typeof historyOutcomes)[number] | null;
  /** Unix ms. */
  readonly until: number | null;
};

function askedIn({ query, account, formats }: UserRequest, integrations: readonly Integration[]): Asked {
  return {
    search: searchIn(query, account.country),
    integration: integrations.find(({ uid }) => uid === query.get('integration')),
    outcome: historyOutcomes.find((one) => one === query.get('outcome')) ?? null,
    until: formats.instant(query.get('until') ?? ''),
  };
}

async function listPage(request: UserRequest, { store, directory }: Parts): Promise<Answer> {
  const { account, query, words } = request;
  const { apiLog: text } = words;
  const integrations = directory.integrations(account.id);
  const asked = askedIn(request, integrations);
  const { search, integration, outcome, until } = asked;
  const filter = integration || outcome ? { integration: integration?.id ?? null, outcome } : null;
  const kept = {
    ...(search && { in: search.in, term: search.term }),
    ...(integration && { integration: integration.uid }),
    ...(outcome && { outcome }),
    ...(until !== null && { until: query.get('until') ?? '' }),
  };
  const address = (also: Record<string, string>) => `/api-log?${new URLSearchParams({ ...kept, ...also })}`;
  // With its whole minute. Towards the newer ones the list ends at the newest of all.
  const start =
    until === null || query.has('newer') ? null : { at: until + 59_999, id: Number.MAX_SAFE_INTEGER };
  const read = readPage(store.requests, { account: account.id, search, filter }, start);
  const isFiltered = Object.keys(kept).length > 0;
  const { rows, isNewest, isSearching, links } = await cursorList(request, PER_PAGE, read, address);

  // The id of a call, typed where a number is asked for first.
  if (search?.in === 'number' && rows.length === 0 && isNewest && !isSearching) {
    const ofCall = { in: 'call', term: search.term } as const;
    const what = { account: account.id, search: ofCall, order: 'newest', after: null, limit: 1 } as const;
    const { entries } = await store.requests.search(what);
    if (entries.length > 0) return { redirect: address(ofCall) };
  }

  const empty = isFiltered
    ? html`${text.noMatch} <a class="button" href="/api-log">${words.common.clearFilter}</a>`
    : text.none;
  const entries = entryTable(rows, request, integrations, empty);
  const isLive = isNewest && start === null;
  return {
    title: words.settings.apiLog,
    scripts: isLive ? ['api-log'] : [],
    body: html`
      <div class="head"><h1>${words.settings.apiLog}</h1></div>
      ${searchForm(asked, isFiltered, request, integrations)}
      <div id="requests" data-live=${isLive} data-new-one=${words.kit.newRequest} data-new-many=${words.kit.newRequests}>${!isSearching && entries}</div>
      ${links}
    `,
  };
}

function searchForm(
  { search, integration, outcome }: Asked,
  isFiltered: boolean,
  { query, words }: UserRequest,
  integrations: readonly Integration[],
): Html {
  const { common, apiLog: text } = words;
  return html`<form class="filters" action="/api-log" role="search" aria-label=${text.requests} data-live-label=${text.live}>
        ${field({ label: common.search, name: 'term', type: 'search', value: search?.term ?? '', maxlength: limits.searchTermLength })}
        ${choice({ label: text.searchIn, name: 'in', value: search?.in ?? 'number', options: searchFields.map((name) => [name, text.fields[name]]) })}
        ${choice({ label: text.response, name: 'outcome', value: outcome ?? '', options: [['', common.all], ...historyOutcomes.map((name) => [name, text.outcomes[name]] as const)] })}
        ${
          integrations.length > 1 &&
          choice({
            label: text.integration,
            name: 'integration',
            value: integration?.uid ?? '',
            options: [
              ['', common.all],
              ...integrations
                .filter((one, at) => at < accountLimits.integrations || one === integration)
                .map(({ uid, name }) => [uid, plainText(name, 60)] as const),
            ],
          })
        }
        ${field({ label: text.until, name: 'until', type: 'datetime-local', value: query.get('until') ?? '' })}
        <div class="together">
          <button type="submit" class="primary">${common.search}</button>
          ${isFiltered && html`<a href="/api-log">${common.clearFilter}</a>`}
        </div>
        <p class="hint">${text.hint}</p>
      </form>`;
}

/** The search in the address: a number, a call ID or a text. A number is found however it is written, here and in requests. */
function searchIn(query: URLSearchParams, country: string | null): HistorySearch | null {
  const term = (query.get('term') ?? '').trim().slice(0, limits.searchTermLength);
  const place = searchFields.find((value) => value === query.get('in')) ?? 'call';
  if (term === '') return null;
  if (place !== 'number') return { in: place, term };
  const number = numberTerm(term, country);
  const forms = number ? [number.typed, ...number.numbers.flatMap(numberForms)] : [];
  return { in: place, term, forms: [...new Set(forms)].slice(0, MAX_FORMS) };
}

/** Reads a page of entries, newest first in both directions; `start`: where the first page begins, null at the newest. */
function readPage(
  requests: RequestStore,
  what: { account: number; search: HistorySearch | null; filter: HistoryFilter | null },
  start: HistoryCursor | null,
) {
  return async (towards: 'older' | 'newer', from: ReturnType<typeof cursorIn>) => {
    const after = from ?? start;
    const order = towards === 'older' ? 'newest' : 'oldest';
    const { entries, next } = await requests.search({ ...what, order, after, limit: PER_PAGE });
    return {
      rows: towards === 'older' ? entries : entries.toReversed(),
      next,
      back: after === null ? null : (entries[0] ?? after),
    };
  };
}

/** The list that led to an entry, with its filter. */
const listIn = (query: URLSearchParams) => {
  const back = query.get('back') ?? '';
  return back.startsWith('/api-log?') ? back : '/api-log';
};

async function entryPage(request: UserRequest, { store, directory }: Parts): Promise<Page> {
  const { account, query, formats, words, origin } = request;
  const { common, apiLog: text } = words;
  const place = cursorIn(query.get('entry'));
  const entry = place && (await entryAt(store.requests, account.id, place));
  if (!entry) throw new Refusal(404, (errors) => errors.notThere);
  const { method, path, response, at } = entry;
  const payload = payloadText(entry);
  const leftOut = extrasLeftOut(entry);
  const fields = isRead({ method }) ? queryEntries(payload).slice(0, MAX_FIELDS) : [];
  const id = callIdIn(fields, payload);
  const call = id === undefined ? undefined : await store.calls.get(account.id, id);
  return {
    title: `${method} ${path}`,
    scripts: ['copy'],
    body: html`
      <p><a href=${listIn(query)}>${words.settings.apiLog}</a></p>
      <h1>${method} ${displayText(path, 200)}</h1>
      <dl class="facts card">
        <div><dt>${common.time}</dt><dd><time datetime=${new Date(at).toISOString()}>${formats.dateTime(at)}</time></dd></div>
        <div><dt>${text.response}</dt><dd>${statusChip(entry, words)}</dd></div>
        <div><dt>${text.duration}</dt><dd>${formats.number(entry.duration, 1)} ms</dd></div>
        <div><dt>${text.integration}</dt><dd>${displayText(integrationName(entry, directory.integrations(account.id)), 80)}</dd></div>
        ${call && html`<div><dt>${text.call}</dt><dd><a href=${callAddress(call.id)}>${displayText(call.id, 255)}</a></dd></div>`}
      </dl>
      ${entry.effect === 'discarded' && html`<p class="notice bad">${text.discardedWhy}</p>`}
      ${leftOut !== undefined && html`<p class="notice bad">${text.extrasLeftOut(plainText(leftOut, 200))}</p>`}
      <h2>${text.request}</h2>
      ${typeof entry.request !== 'string' && html`<p class="quiet">${text.notUtf8}</p>`}
      ${body(payload, text.asReceived, text.empty)}
      ${
        fields.length > 0 &&
        html`<dl class="facts card">${fields.map(([name, value]) => html`<div><dt>${displayText(name, 80)}</dt><dd>${displayText(value, 500)}</dd></div>`)}</dl>`
      }
      <h2>${text.response}</h2>
      ${response === null ? html`<p class="quiet">${text.notStored}</p>` : body(response, text.response, text.empty)}
      ${copyable(words, 'curl', text.curl, curlOf(entry, payload, origin))}
    `,
  };
}

/** A body with its JSON set out; as it came if it is no JSON, or deep. */
function body(text: string, label: string, empty: string) {
  if (text === '') return html`<p class="quiet">${empty}</p>`;
  const setOut = setOutJson(text);
  return html`<pre class="received" tabindex="0" aria-label=${label}>${lines(setOut ?? text)}</pre>
    ${
      // What setting out changes: a field that is named twice, an escape, a number's digits.
      setOut !== undefined &&
      text.replace(/\s/g, '') !== setOut.replace(/\s/g, '') &&
      html`<details><summary>${label}</summary><pre class="received" tabindex="0">${lines(text)}</pre></details>`
    }`;
}

/** The call ID in a query string or JSON. With NUL there is no call, and PostgreSQL cannot look for it. */
export function callIdIn(fields: readonly (readonly [name: string, value: string])[], payload: string) {
  const id = fields.find(([name]) => name === 'id')?.[1] ?? (jsonIn(payload) as { id?: unknown })?.id;
  return typeof id === 'string' && !id.includes('\0') ? id : undefined;
}

/** The request as a command for a shell, without its token. */
function curlOf({ method, path }: StoredRequest, payload: string, origin: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const inUrl = isRead({ method }) && payload !== '' && !path.includes('?') && jsonIn(payload) === undefined;
  return [
    `curl -X ${method} ${quoted(`${origin}${path}${inUrl ? `?${payload}` : ''}`)}`,
    `  -H 'Authorization: Bearer TOKEN' -H 'Accept: application/json'`,
    ...(payload === '' || inUrl
      ? []
      : [`  -H 'Content-Type: application/json'`, `  --data-raw ${quoted(payload)}`]),
  ].join(' \\\n');
}

/** The entry at a cursor: the first one after the position just before it. */
async function entryAt(requests: RequestStore, account: number, { at, id }: { at: number; id: number }) {
  const after = { at, id: id - 1 };
  const { entries } = await requests.search({ account, search: null, order: 'oldest', after, limit: 1 });
  return entries[0]?.id === id ? entries[0] : undefined;
}
