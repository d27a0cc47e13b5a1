import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HistoryPage, HistoryQuery } from '../../shared/api/contract/history.ts';
import { routes } from '../../shared/api/contract/routes.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import type { ZodInstance } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { closedWith, whenClosed } from '../kit/closed-with.ts';
import type { InTurn } from './in-turn.ts';
import type { HistoryOrder, RequestStore, SearchPlace, StoredRequest, TextSearch } from './request-store.ts';
import type { Responder } from './responder.ts';

type Parts = {
  readonly requests: RequestStore;
  readonly responder: Responder;
  readonly budgets: Budgets;
};

/** A request for the history, and its reply. */
type HistoryRequest = {
  readonly query: HistoryQuery;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Part 4.3: the history, as a page or as everything. */
export function historyRoutes(
  app: ZodInstance,
  responder: Responder,
  requests: RequestStore,
  budgets: Budgets,
  inTurn: InTurn,
): void {
  const parts: Parts = { requests, responder, budgets };
  app.get(routes.getHistory.path, { schema: routes.getHistory.schema }, async (request, reply) => {
    const { query } = request;
    const read: HistoryRequest = { query, request, reply };
    try {
      return await inTurn('read', request, reply, () =>
        query.limit === undefined ? answerAll(read, parts) : answerPage(read, query.limit, parts),
      );
    } catch (error) {
      if (!reply.raw.destroyed) throw error;
      reply.hijack(); // the client has disconnected
    }
  });
}

async function answerPage({ query, request, reply }: HistoryRequest, limit: number, parts: Parts) {
  const { requests } = parts;
  const current = query.page ?? 1;
  const offset = Math.min((current - 1) * limit, Number.MAX_SAFE_INTEGER);
  const { search, ...selected } = selection(query, request, reply);
  const { count, chunks, ...place } =
    search === null
      ? await allOf(requests.page({ ...selected, offset, limit }), offset)
      : await searched(requests, { ...selected, search, limit }, query.cursor, offset);
  const frame = pageFrame(request, { current, limit, count, ...place });
  const ends = { before: '{"data":[', after: `],${JSON.stringify(frame).slice(1)}` };
  return answerWith(chunks, ends, request, reply, parts.responder);
}

/** A page of a text search, from a cursor on if there is one, else from the start: the offset is looked for, too. */
async function searched(
  requests: RequestStore,
  query: Omit<Parameters<RequestStore['textPage']>[0], 'from' | 'offset'>,
  cursor: string | undefined,
  offset: number,
) {
  const { from, passed: before } = cursor === undefined ? { from: null, passed: 0 } : cursorOf(cursor);
  const page = await requests.textPage({ ...query, from, offset: cursor === undefined ? offset : 0 });
  const passed = before + page.passed;
  const next = page.next && { at: page.next.searched.at, cursor: cursorText(page.next, passed) };
  return { ...page, passed, total: next === null ? passed : null, next, isByCursor: cursor !== undefined };
}

function answerAll({ query, request, reply }: HistoryRequest, { requests, responder, budgets }: Parts) {
  whenClosed(reply, budgets.readers.take((request.sender as Sender).account.id));
  const chunks = requests.all(selection(query, request, reply));
  return answerWith(chunks, { before: '[', after: ']' }, request, reply, responder);
}

/** Reads the first chunk before recording this request, so that the list does not contain it; the rest while sending. */
async function answerWith(
  entries: AsyncIterable<StoredRequest[]>,
  ends: { before: string; after: string },
  request: FastifyRequest,
  reply: FastifyReply,
  responder: Responder,
) {
  const chunks = entries[Symbol.asyncIterator]();
  const [first, second] = [await chunks.next(), await chunks.next()];
  const listed = first.done ? [] : first.value;
  const start = ends.before + listed.map(entryText).join(',');
  if (second.done) {
    const recorded = ends.before + listed.map(({ id }) => id).join(',') + ends.after;
    return responder.respond(request, reply, { status: 200, text: start + ends.after, recorded });
  }
  await responder.record(request, 200);
  async function* text() {
    yield `${start},${second.value.map(entryText).join(',')}`;
    for await (const chunk of { [Symbol.asyncIterator]: () => chunks })
      yield `,${chunk.map(entryText).join(',')}`;
    yield ends.after;
  }
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(Readable.from(text(), { objectMode: false, highWaterMark: 65_536 }));
}

function selection(
  { search, search_term, sort }: HistoryQuery,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const order: HistoryOrder = sort === '-created_at' ? 'newest' : 'oldest';
  const found: TextSearch | null =
    search !== undefined && search_term !== undefined ? { in: search, term: search_term } : null;
  const { account } = request.sender as Sender;
  return { account: account.id, search: found, order, signal: closedWith(reply) };
}

/** An entry as JSON text; the response is JSON already. */
function entryText(entry: StoredRequest): string {
  const { id, at, method, path, request, status, response, duration } = entry;
  const text = typeof request === 'string';
  const head = JSON.stringify({
    id,
    created_at: timestamp(at),
    method,
    path,
    request: text ? request : Buffer.from(request).toString('base64'),
    request_encoding: text ? 'utf-8' : 'base64',
    status,
    duration,
  });
  return `${head.slice(0, -1)},"response":${response}}`;
}

/** ISO 8601 in UTC with six decimals, as Laravel writes dates in JSON. */
function timestamp(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** What a page of everything says of its place. */
async function allOf(page: ReturnType<RequestStore['page']>, offset: number) {
  const { count, chunks, total } = await page;
  return { count, chunks, total, passed: offset + count, next: null, isByCursor: false };
}

/** `1763625600000-17-1763625500000-3-50`: searched, given (if there is one) and the entries so far. */
function cursorText({ searched, given }: SearchPlace, passed: number): string {
  return [searched.at, searched.id, ...(given ? [given.at, given.id] : []), passed].join('-');
}

function cursorOf(text: string): { from: SearchPlace; passed: number } {
  const numbers = text.split('-').map(Number);
  const passed = numbers.pop() ?? 0;
  const [at = 0, id = 0, givenAt, givenId = 0] = numbers;
  const given = givenAt === undefined ? null : { at: givenAt, id: givenId };
  return { from: { searched: { at, id }, given }, passed };
}

/** `links` and `meta`. Decision `history-pages`. */
function pageFrame(
  request: FastifyRequest,
  page: {
    readonly current: number;
    readonly limit: number;
    /** Entries on this page, and up to its end. */
    readonly count: number;
    readonly passed: number;
    readonly total: number | null;
    /** Where a text search goes on. */
    readonly next: { readonly at: number; readonly cursor: string } | null;
    readonly isByCursor: boolean;
  },
): Pick<HistoryPage, 'links' | 'meta'> {
  const { current, limit, count, passed, total, next, isByCursor } = page;
  const [route = '', ...rest] = request.url.split('?'); // a value may hold another question mark
  const path = `${request.protocol}://${request.host}${route}`;
  const pages = total === null ? null : isByCursor ? current : Math.max(1, Math.ceil(total / limit));
  const link = (page: number, cursor?: string) => {
    const query = new URLSearchParams(rest.join('?'));
    query.set('page', String(page));
    query.delete('cursor');
    if (cursor !== undefined) query.set('cursor', cursor);
    return `${path}?${query}`;
  };
  return {
    links: {
      first: link(1),
      last: pages === null || isByCursor ? null : link(pages),
      prev: current > 1 && !isByCursor ? link(Math.min(current - 1, pages ?? current)) : null,
      next: next
        ? link(current + 1, next.cursor)
        : pages !== null && current < pages
          ? link(current + 1)
          : null,
    },
    meta: {
      current_page: current,
      from: count > 0 ? passed - count + 1 : null,
      last_page: pages,
      path,
      per_page: limit,
      to: count > 0 ? passed : null,
      total,
      searched_to: next && timestamp(next.at),
    },
  };
}
