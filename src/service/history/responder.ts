import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../shared/api/contract/decisions.ts';
import type { Log } from '../../shared/log/log.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import type { Screens } from '../calls/screens.ts';
import { isOwnerGone } from '../store/statements.ts';
import type { AcceptedEvent, RecordedRequest, RequestStore } from './request-store.ts';

const notStored = JSON.stringify({ message: 'The event could not be stored. Send it again.' });

/**
 * Most history entries of an account's reads and refused requests that are not stored yet. With more, its requests wait:
 * a slow disk must not fill the memory.
 */
const MAX_UNSTORED = 1_000;
/** Characters kept of a refused request's address: longer ones cannot be a mistake in a template. */
const REFUSED_ADDRESS = 2_048;

const MAX_NAMED = Math.max(limits.referenceLength, limits.numberLength);

export type Responder = ReturnType<typeof createResponder>;

type Parts = {
  store: { requests: RequestStore };
  screens: Screens;
  /** For alerts. */
  observed: { stored(error?: unknown): void };
  /** For metrics. */
  meter: { storing: number; counts: { events: Record<'accepted' | 'discarded' | 'not_stored', number> } };
  log: Log;
};

/** What is done with requests whose token is not valid. */
export type Unauthenticated = {
  /** Whether it is not (any more): the account can be removed, or the token replaced, while a request arrives. */
  is(request: FastifyRequest): boolean;
  refuse(request: FastifyRequest, reply: FastifyReply): void;
};

/** Stores entries of the history and counts them, and says when that begins to fail and when it works again. */
function createEntryWriter({ store, screens, observed, meter, log }: Parts) {
  let failing = false;
  /** `gone`: its account has been removed, and nothing is stored. */
  return async (entry: RecordedRequest): Promise<'stored' | 'failed' | 'gone'> => {
    const { events } = meter.counts;
    const isEvent = entry.event !== null;
    meter.storing += 1;
    try {
      const { moved, call } = await store.requests.record(entry, screens.watched(entry.account));
      if (failing) log.say('service.storing-again');
      failing = false;
      observed.stored();
      if (isEvent) events[moved ? 'accepted' : 'discarded'] += 1;
      if (call) screens.publish(entry.account, call);
      return 'stored';
    } catch (error) {
      if (isOwnerGone(error)) return 'gone';
      if (!failing) log.say('service.not-stored', { error });
      failing = true;
      observed.stored(error);
      if (isEvent) events.not_stored += 1;
      return 'failed';
    } finally {
      meter.storing -= 1;
    }
  };
}

/**
 * Answers API requests and records them in the history, with the effects of their events. The answer to an event confirms it,
 * so it waits for the disk. Other answers do not wait: a lookup delays a telephone call.
 */
export function createResponder(parts: Parts, unauthenticated: Unauthenticated) {
  const store = createEntryWriter(parts);
  /** Entries that are being stored, whose requests are answered already, by account. */
  const unstored = new Map<number, number>();

  async function storeLater(entry: RecordedRequest): Promise<void> {
    const { account } = entry;
    unstored.set(account, (unstored.get(account) ?? 0) + 1);
    await store(entry);
    const left = (unstored.get(account) ?? 1) - 1;
    if (left === 0) unstored.delete(account);
    else unstored.set(account, left);
  }

  return {
    /**
     * Records the request and sends `text` (JSON). An event that cannot be stored gets a 503. If the sender is no longer one,
     * that is the answer, and nothing is stored.
     */
    async respond(
      request: FastifyRequest,
      reply: FastifyReply,
      response: {
        status: number;
        text: string;
        event?: AcceptedEvent;
        /** What the history records in place of `text`. */
        recorded?: string;
      },
    ): Promise<void> {
      const { status, text, event, recorded } = response;
      if (unauthenticated.is(request)) return unauthenticated.refuse(request, reply);
      const entry = entryOf(request, status, recorded ?? text, event ?? null);
      if (event === undefined && (unstored.get(entry.account) ?? 0) < MAX_UNSTORED) {
        void storeLater(entry);
        send(reply, status, text);
        return;
      }
      const outcome = await store(entry);
      if (outcome === 'gone') unauthenticated.refuse(request, reply);
      else if (outcome === 'failed' && event !== undefined)
        send(reply.header('retry-after', '5'), 503, notStored);
      else send(reply, status, text);
    },
    /** Records the request only, for responses that are streamed. */
    async record(request: FastifyRequest, status: number): Promise<void> {
      await store(entryOf(request, status, null, null));
    },
  };
}

export function send(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(text);
}

/** The history entry of an authenticated request; others are not recorded (API part 5, rule 4). */
function entryOf(
  request: FastifyRequest,
  status: number,
  response: string | null,
  event: AcceptedEvent | null,
): RecordedRequest {
  const { receivedAt, began, method } = request;
  const { account, integration } = request.sender as Sender;
  return {
    account: account.id,
    integration: integration.id,
    at: receivedAt,
    began,
    method,
    ...(status < 400 ? sentBy(request) : beginningOf(sentBy(request), request)),
    status,
    response,
    ...(event ? { callId: event.id, fromNumber: event.from } : namedIn(request)),
    event,
  };
}

/** The payload is the body, or for requests without one the query string as sent. */
function sentBy({ payload, originalUrl: url }: FastifyRequest): Pick<RecordedRequest, 'path' | 'request'> {
  const question = url.indexOf('?');
  if (payload !== null && payload.length > 0)
    return { path: url, request: isUtf8(payload) ? payload.toString() : new Uint8Array(payload) };
  if (question < 0) return { path: url, request: '' };
  return { path: url.slice(0, question), request: url.slice(question + 1) };
}

/** A refused request, without the end of a very long address; the body is limited when it comes. */
function beginningOf(
  { path, request }: ReturnType<typeof sentBy>,
  { payload }: FastifyRequest,
): ReturnType<typeof sentBy> {
  const cut = (text: string) =>
    text.length > REFUSED_ADDRESS ? `${text.slice(0, REFUSED_ADDRESS - 1)}…` : text;
  const isQuery = typeof request === 'string' && !payload?.length;
  return { path: cut(path), request: isQuery ? cut(request) : request };
}

/** The call and the caller's number that a refused event or a lookup names. */
function namedIn(request: FastifyRequest): Pick<RecordedRequest, 'callId' | 'fromNumber'> {
  const fields = ((request.payload === null ? request.query : request.body) ?? {}) as Record<string, unknown>;
  // Longer ones are refused, and cannot be searched for. PostgreSQL indexes no text of many kB.
  const textOf = (value: unknown) =>
    typeof value === 'string' && value.length <= MAX_NAMED && value.isWellFormed() && !value.includes('\0')
      ? value
      : null;
  return { callId: textOf(fields.id), fromNumber: textOf(fields.from ?? fields.number) };
}
