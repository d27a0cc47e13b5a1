import { limits } from '../../api/contract/decisions.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { HistorySearch, RequestStore, StoredRequest } from '../store/request-store.ts';
import { placeIn, placeText } from './activity-filter.ts';
import { callAddress } from './call-words.ts';
import { entryTable, integrationName, payloadText, statusChip } from './history-table.ts';
import { choice, field } from './kit/form.ts';
import { html } from './kit/html.ts';
import { lines, shown } from './kit/shown.ts';
import { pager } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const PER_PAGE = 50;
/** Of the fields that an entry's payload holds. */
const MOST_FIELDS = 50;

const places = [
  ['call', 'Id of a call'],
  ['number', 'Number of a caller'],
  ['request', 'Text in the request'],
  ['response', 'Text in the answer'],
] as const;

/** The request history of the account, with its search, and each entry in full. */
export function historyPages(pages: Pages, context: ServiceContext): void {
  pages.get('/history', 'administrator', (visit) => historyPage(visit, context));
  pages.get('/history/entry', 'administrator', (visit) => entryPage(visit, context));
}

async function historyPage(visit: Visit, { store, directory }: ServiceContext): Promise<Page> {
  const { account, query, formats } = visit;
  const search = searchIn(query);
  const address = (also: Record<string, string> = {}) => {
    const params = new URLSearchParams({ ...(search && { in: search.in, term: search.term }), ...also });
    return params.size === 0 ? '/history' : `/history?${params}`;
  };
  const towards = query.has('newer') ? 'newer' : 'older';
  const from = placeIn(query.get(towards));
  const read = readPage(store.requests, account.id, search);
  let page = await read(towards, from);
  const onTop = towards === 'newer' && page.next === null;
  if (onTop) page = await read('older', null); // the newest page is always a full one
  const [older, newer] = towards === 'older' || onTop ? [page.next, page.back] : [page.back, page.next];
  const stopped = page.next !== null && page.entries.length < PER_PAGE;
  const way = (name: 'older' | 'newer', place: typeof older) =>
    place === null ? undefined : address({ [name]: placeText(place) });
  const newest = towards === 'older' && from === null;

  const empty = search
    ? html`<p>No request has it. <a href="/history">All requests</a></p>`
    : html`<p>No request yet. Each one that a phone system sends with a token of this account is kept here.</p>`;
  const entries = entryTable(page.entries, visit, directory.integrations(account.id), empty);
  return {
    title: 'History',
    scripts: newest ? ['fresh.js', 'tail.js'] : [],
    body: html`
      <h1>History</h1>
      <form class="filter" action="/history" role="search" aria-label="Requests">
        ${field({ label: 'Search', name: 'term', type: 'search', value: search?.term ?? '', maxlength: limits.searchTermLength })}
        ${choice({ label: 'In', name: 'in', value: search?.in ?? 'call', options: places })}
        <div class="buttons">
          <button type="submit" class="main">Show</button>
          ${search && html`<a href="/history">All requests</a>`}
        </div>
        <p class="hint">What phone systems have asked, and what they were answered. A number or a text is found as it was sent, in upper and lower case as it is written.</p>
      </form>
      <div id="tail" data-fresh=${newest}>${stopped && page.entries.length === 0 ? null : entries}</div>
      ${
        stopped &&
        html`<p class="notice" role="status">This takes a while: looked ${
          towards === 'older' ? 'back' : 'forward'
        } until ${formats.dateTime(page.next?.at ?? 0)}. <a href=${way(towards, page.next)}>Look further</a></p>`
      }
      ${pager({ newer: way('newer', newer), older: stopped && towards === 'older' ? undefined : way('older', older) })}
    `,
  };
}

/** What is looked for: an id of a call, or a text. */
function searchIn(query: URLSearchParams): HistorySearch | null {
  const term = (query.get('term') ?? '').trim().slice(0, limits.searchTermLength);
  const place = places.find(([value]) => value === query.get('in'))?.[0] ?? 'call';
  return term === '' ? null : { in: place, term };
}

/** A page of entries, newest first whichever way is gone. */
function readPage(requests: RequestStore, account: number, search: HistorySearch | null) {
  return async (towards: 'older' | 'newer', after: ReturnType<typeof placeIn>) => {
    const order = towards === 'older' ? 'newest' : 'oldest';
    const { entries, next } = await requests.search({ account, search, order, after, limit: PER_PAGE });
    return {
      entries: towards === 'older' ? entries : entries.toReversed(),
      next,
      back: after === null ? null : (entries[0] ?? after),
    };
  };
}

async function entryPage(visit: Visit, { store, directory }: ServiceContext): Promise<Page> {
  const { account, query, formats } = visit;
  const place = placeIn(query.get('entry'));
  const entry = place && (await entryAt(store.requests, account.id, place));
  if (!entry) throw new Refusal(404, 'There is no such entry, or the history does not keep it any more.');
  const { method, path, request, response, status, at } = entry;
  const fields = fieldsIn(entry);
  const id = fields.find(([name]) => name === 'id')?.[1];
  const call = id === undefined ? undefined : await store.calls.get(account.id, id);
  return {
    title: `${method} ${path}`,
    body: html`
      <p class="quiet"><a href="/history">History</a></p>
      <h1>${method} ${shown(path, 200)}</h1>
      <dl class="facts card">
        <div><dt>When</dt><dd><time datetime=${new Date(at).toISOString()}>${formats.dateTime(at)}</time></dd></div>
        <div><dt>Answer</dt><dd>${statusChip(status)}</dd></div>
        <div><dt>Took</dt><dd>${entry.duration.toFixed(1)} ms</dd></div>
        <div><dt>Integration</dt><dd>${shown(integrationName(entry, directory.integrations(account.id)), 80)}</dd></div>
        ${call && html`<div><dt>Call</dt><dd><a href=${callAddress(call.id)}>${shown(call.id, 255)}</a></dd></div>`}
      </dl>
      <h2>Request</h2>
      ${typeof request !== 'string' && html`<p class="quiet">These bytes are no valid UTF-8; what is none shows as \ufffd.</p>`}
      <pre class="received" tabindex="0" aria-label="Request as received">${payloadText(entry) === '' ? html`<span class="quiet">nothing</span>` : lines(payloadText(entry))}</pre>
      ${
        fields.length > 0 &&
        html`<dl class="facts card">${fields.map(([name, value]) => html`<div><dt>${shown(name, 80)}</dt><dd>${shown(value, 500)}</dd></div>`)}</dl>`
      }
      <h2>Answer</h2>
      <pre class="received" tabindex="0" aria-label="Answer">${response === null ? html`<span class="quiet">not kept: a list of the history</span>` : lines(response)}</pre>
    `,
  };
}

/** The entry of a place: the first one from just before it. */
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
      .slice(0, MOST_FIELDS)
      .map(([name, field]) => [name, typeof field === 'string' ? field : JSON.stringify(field)]);
  } catch {
    return entry.method === 'GET' ? [...new URLSearchParams(text)].slice(0, MOST_FIELDS) : [];
  }
}
