import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HistoryPage, HistoryQuery } from '../../api/contract/history.ts';
import { routes } from '../../api/contract/routes.ts';
import type { Caller } from '../accounts/directory.ts';
import type { ServiceContext } from '../http/context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HistoryOrder, HistorySearch, StoredRequest } from '../store/request-store.ts';
import type { ZodInstance } from './zod-instance.ts';

/** Part 4.3: the history, as a page or as everything. */
export function historyRoutes(app: ZodInstance, exchange: Exchange, { store }: ServiceContext): void {
  async function page(query: HistoryQuery, limit: number, request: FastifyRequest, reply: FastifyReply) {
    const current = query.page ?? 1;
    const { count, chunks, total } = await store.requests.page({
      ...selection(query, request, reply),
      offset: Math.min((current - 1) * limit, Number.MAX_SAFE_INTEGER),
      limit,
    });
    const frame = pageFrame(request, { current, limit, total, shown: count });
    const ends = { before: '{"data":[', after: `],${JSON.stringify(frame).slice(1)}` };
    return answerWith(chunks, ends, request, reply);
  }

  function everything(query: HistoryQuery, request: FastifyRequest, reply: FastifyReply) {
    const chunks = store.requests.all(selection(query, request, reply));
    return answerWith(chunks, { before: '[', after: ']' }, request, reply);
  }

  /** The first chunk is read before this request is recorded: a list does not hold itself. The rest is read as it is sent. */
  async function answerWith(
    entries: AsyncIterable<StoredRequest[]>,
    ends: { before: string; after: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const chunks = entries[Symbol.asyncIterator]();
    const [first, second] = [await chunks.next(), await chunks.next()];
    const start = ends.before + (first.done ? '' : first.value.map(entryText).join(','));
    if (second.done) {
      return exchange.answer(request, reply, { status: 200, text: start + ends.after, kept: false });
    }
    await exchange.record(request, 200);
    async function* text() {
      yield `${start},${second.value.map(entryText).join(',')}`;
      for await (const chunk of { [Symbol.asyncIterator]: () => chunks })
        yield `,${chunk.map(entryText).join(',')}`;
      yield ends.after;
    }
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(Readable.from(text(), { objectMode: false, highWaterMark: 65_536 }));
  }

  app.get(routes.getHistory.path, { schema: routes.getHistory.schema }, async (request, reply) => {
    const { query } = request;
    try {
      return await (query.limit === undefined
        ? everything(query, request, reply)
        : page(query, query.limit, request, reply));
    } catch (error) {
      if (!reply.raw.destroyed) throw error;
      reply.hijack(); // nobody is there to be answered
    }
  });
}

function selection(
  { search, search_term, sort }: HistoryQuery,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const order: HistoryOrder = sort === '-created_at' ? 'newest' : 'oldest';
  const found: HistorySearch | null =
    search !== undefined && search_term !== undefined ? { in: search, term: search_term } : null;
  const { account } = request.caller as Caller;
  return { account: account.id, search: found, order, signal: goneWith(reply) };
}

/** Aborts when the client goes away: nobody reads on for who is gone, and asks again. */
function goneWith({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => controller.abort());
  return controller.signal;
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

/** `links` and `meta`. Decision `history-pages`. */
function pageFrame(
  request: FastifyRequest,
  { current, limit, total, shown }: { current: number; limit: number; total: number | null; shown: number },
): Pick<HistoryPage, 'links' | 'meta'> {
  const [route = '', ...rest] = request.url.split('?'); // a value may hold another question mark
  const path = `${request.protocol}://${request.host}${route}`;
  const last = total === null ? null : Math.max(1, Math.ceil(total / limit));
  const link = (page: number) => {
    const query = new URLSearchParams(rest.join('?'));
    query.set('page', String(page));
    return `${path}?${query}`;
  };
  const before = (current - 1) * limit;
  return {
    links: {
      first: link(1),
      last: last === null ? null : link(last),
      prev: current > 1 ? link(Math.min(current - 1, last ?? current)) : null,
      next: last === null || current < last ? link(current + 1) : null,
    },
    meta: {
      current_page: current,
      from: shown > 0 ? before + 1 : null,
      last_page: last,
      path,
      per_page: limit,
      to: shown > 0 ? before + shown : null,
      total,
    },
  };
}
