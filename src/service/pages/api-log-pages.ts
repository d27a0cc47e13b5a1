import { limits } from '../../api/contract/decisions.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { HistorySearch, RequestStore, StoredRequest } from '../store/request-store.ts';
import { entryTable, integrationName, payloadText, statusChip } from './api-log-table.ts';
import { callAddress } from './call-cells.ts';
import { cursorIn, cursorList } from './kit/cursor-list.ts';
import { displayText, lines } from './kit/display-text.ts';
import { choice, field } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';

const PER_PAGE = 50;
/** Of one request's payload. */
const MAX_FIELDS = 50;

const searchFields = [
  ['call', 'Call ID'],
  ['number', 'Caller’s number'],
  ['request', 'Request text'],
  ['response', 'Response text'],
] as const;

/** The account's requests and responses (the API's request history), with a search, and each entry in full. */
export function apiLogPages(pages: Pages, context: ServiceContext): void {
  pages.get('/api-log', 'administrator', (request) => listPage(request, context));
  pages.get('/api-log/entry', 'administrator', (request) => entryPage(request, context));
}

async function listPage(request: PageRequest, { store, directory, budgets }: ServiceContext): Promise<Page> {
  const { account, user, query } = request;
  const search = searchIn(query);
  const address = (also: Record<string, string>) =>
    `/api-log?${new URLSearchParams({ ...(search && { in: search.in, term: search.term }), ...also })}`;
  const read = readPage(store.requests, account.id, search);
  const { rows, isNewest, isSearching, links } = await budgets.searches(account.id, `user ${user.id}`, () =>
    cursorList(request, PER_PAGE, read, address),
  );

  const empty = search
    ? html`<p>No matching requests. <a href="/api-log">Show all requests</a></p>`
    : html`<p>No requests yet. Requests with a token of this account are listed here.</p>`;
  const entries = entryTable(rows, request, directory.integrations(account.id), empty);
  return {
    title: 'API log',
    scripts: isNewest ? ['live-parts.js', 'api-log.js'] : [],
    body: html`
      <h1>API log</h1>
      <form class="filter" action="/api-log" role="search" aria-label="Requests">
        ${field({ label: 'Search', name: 'term', type: 'search', value: search?.term ?? '', maxlength: limits.searchTermLength })}
        ${choice({ label: 'In', name: 'in', value: search?.in ?? 'call', options: searchFields })}
        <div class="buttons">
          <button type="submit" class="main">Search</button>
          ${search && html`<a href="/api-log">Clear search</a>`}
        </div>
        <p class="hint">Requests from phone systems and programs, and the responses to them. Search is case-sensitive, and finds numbers as they were sent.</p>
      </form>
      <div id="requests" data-live=${isNewest}>${!isSearching && entries}</div>
      ${links}
    `,
  };
}

/** The search in the address: a call ID or a text. */
function searchIn(query: URLSearchParams): HistorySearch | null {
  const term = (query.get('term') ?? '').trim().slice(0, limits.searchTermLength);
  const place = searchFields.find(([value]) => value === query.get('in'))?.[0] ?? 'call';
  return term === '' ? null : { in: place, term };
}

/** Reads a page of entries, newest first in both directions. */
function readPage(requests: RequestStore, account: number, search: HistorySearch | null) {
  return async (towards: 'older' | 'newer', after: ReturnType<typeof cursorIn>) => {
    const order = towards === 'older' ? 'newest' : 'oldest';
    const { entries, next } = await requests.search({ account, search, order, after, limit: PER_PAGE });
    return {
      rows: towards === 'older' ? entries : entries.toReversed(),
      next,
      back: after === null ? null : (entries[0] ?? after),
    };
  };
}

async function entryPage(request: PageRequest, { store, directory }: ServiceContext): Promise<Page> {
  const { account, query, formats } = request;
  const place = cursorIn(query.get('entry'));
  const entry = place && (await entryAt(store.requests, account.id, place));
  if (!entry) throw new Refusal(404, (errors) => errors.noEntry);
  const { method, path, response, status, at } = entry;
  const fields = fieldsIn(entry);
  const id = fields.find(([name]) => name === 'id')?.[1];
  const call = id === undefined ? undefined : await store.calls.get(account.id, id);
  return {
    title: `${method} ${path}`,
    body: html`
      <p class="quiet"><a href="/api-log">← API log</a></p>
      <h1>${method} ${displayText(path, 200)}</h1>
      <dl class="facts card">
        <div><dt>Time</dt><dd><time datetime=${new Date(at).toISOString()}>${formats.dateTime(at)}</time></dd></div>
        <div><dt>Response</dt><dd>${statusChip(status)}</dd></div>
        <div><dt>Duration</dt><dd>${entry.duration.toFixed(1)} ms</dd></div>
        <div><dt>Integration</dt><dd>${displayText(integrationName(entry, directory.integrations(account.id)), 80)}</dd></div>
        ${call && html`<div><dt>Call</dt><dd><a href=${callAddress(call.id)}>${displayText(call.id, 255)}</a></dd></div>`}
      </dl>
      <h2>Request</h2>
      ${typeof entry.request !== 'string' && html`<p class="quiet">Not valid UTF-8: invalid bytes are shown as \ufffd.</p>`}
      <pre class="received" tabindex="0" aria-label="Request as received">${payloadText(entry) === '' ? html`<span class="quiet">empty</span>` : lines(payloadText(entry))}</pre>
      ${
        fields.length > 0 &&
        html`<dl class="facts card">${fields.map(([name, value]) => html`<div><dt>${displayText(name, 80)}</dt><dd>${displayText(value, 500)}</dd></div>`)}</dl>`
      }
      <h2>Response</h2>
      <pre class="received" tabindex="0" aria-label="Response">${response === null ? html`<span class="quiet">not stored: a list of the request history</span>` : lines(response)}</pre>
    `,
  };
}

/** The entry at a cursor: the first one after the position just before it. */
async function entryAt(requests: RequestStore, account: number, { at, id }: { at: number; id: number }) {
  const after = { at, id: id - 1 };
  const { entries } = await requests.search({ account, search: null, order: 'oldest', after, limit: 1 });
  return entries[0]?.id === id ? entries[0] : undefined;
}

/** The fields of a payload, read as the API reads them: a JSON object, or a query string. */
function fieldsIn(entry: StoredRequest): [name: string, value: string][] {
  const text = payloadText(entry);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return Object.entries(value)
      .slice(0, MAX_FIELDS)
      .map(([name, field]) => [name, typeof field === 'string' ? field : JSON.stringify(field)]);
  } catch {
    return entry.method === 'GET' ? [...new URLSearchParams(text)].slice(0, MAX_FIELDS) : [];
  }
}
