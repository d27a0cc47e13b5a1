import { type ApiAnswer, type ApiErrorKind, type ApiResult, apiErrorKinds } from '../api/result.ts';
import { parseJson } from '../process/parse-json.ts';
import { longestWaitMs } from './queue.ts';

/** What an attempt means for its event and for the queue. */
export type Classified = {
  readonly verdict: Verdict;
  /** One line for people; '' when delivered. */
  readonly reason: string;
  /** How long the receiver asked to wait, ms; never more than the longest wait. */
  readonly retryAfterMs?: number;
  /** True if there was no connection at all: no event can be the cause. */
  readonly noConnection?: boolean;
};

/**
 * - `delivered`: the API has confirmed receipt;
 * - `retry`: send this event again later;
 * - `hold`: the receiver wants fewer requests: send nothing until it may be asked again;
 * - `pause`: the cause is the token or address, not an event: send only probes until one succeeds;
 * - `reject`: the receiver rejects this event, and would do so again.
 */
export type Verdict = 'delivered' | 'retry' | 'hold' | 'pause' | 'reject';

/** The statuses that do not mean what their class means. */
const special: Readonly<Record<number, readonly [Verdict, string]>> = {
  400: ['reject', 'the API cannot read the event'],
  401: ['pause', 'the API does not accept the token'],
  402: ['pause', 'the account is not paid for'],
  403: ['pause', 'the token may not do this'],
  404: ['pause', 'nothing at this address; does API_BASE_URL end in /api/v1?'],
  405: ['pause', 'the address does not take call events; is API_BASE_URL right?'],
  407: ['pause', 'the proxy wants another name and password'],
  408: ['retry', 'the API gave up waiting for the request'],
  413: ['reject', 'the event is too large for the API'],
  415: ['reject', 'the API does not take JSON here'],
  421: ['pause', 'another host answers at this address'],
  422: ['reject', 'the API finds the event invalid'],
  423: ['retry', 'the API has the call locked'],
  425: ['retry', 'the API wants it later'],
  426: ['pause', 'the API wants another version of HTTP or TLS'],
  429: ['hold', 'the API wants fewer requests'],
  431: ['pause', 'the token is too long for the API'],
  451: ['pause', 'the API may not take events, for legal reasons'],
};

const noConnection: ReadonlySet<ApiErrorKind> = new Set([
  'refused',
  'unreachable',
  'dns',
  'timeout-connect',
  'tls',
  'proxy',
]);

/** Classifies the result of an attempt. `now` is Unix ms, for a Retry-After that is a date. */
export function classify(result: ApiResult, now: number): Classified {
  if (result.kind === 'failed') {
    const reason = `${apiErrorKinds[result.error]}${result.detail && ` (${result.detail})`}`;
    return { verdict: 'retry', reason, noConnection: noConnection.has(result.error) };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return classifySuccess(result);
  const [verdict, words] = special[status] ?? byClass(status);
  const where = result.location === undefined ? '' : ` to ${oneLine(result.location)}`;
  const waitMs =
    verdict === 'retry' || verdict === 'hold' ? parseRetryAfter(result.retryAfter, now) : undefined;
  return {
    verdict,
    reason: `${status}${where}: ${words}${explanation(result)}`,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

function byClass(status: number): readonly [Verdict, string] {
  if (status >= 500) return ['retry', 'the API has a fault'];
  if (status >= 400) return ['reject', 'the API refuses the event'];
  if (status >= 300) return ['pause', 'a redirect, as to a sign-in page; redirects are not followed'];
  return ['retry', 'an answer that no rule covers'];
}

/**
 * A 2xx counts only with the API's own body. The length of `result` is not checked: it identifies nothing, and an API
 * that changes it must not stop calls from being reported.
 */
function classifySuccess({ status, contentType, body, truncated }: ApiAnswer): Classified {
  if (truncated)
    return { verdict: 'retry', reason: `${status}, but the answer is too long for the API's own` };
  const value = parseJson(body) as { result?: unknown } | null | undefined;
  // Whatever the Content-Type says: only the API gives this.
  if (typeof value?.result === 'string') return { verdict: 'delivered', reason: '' };
  const isPage = /^text\/html\b/i.test(contentType) || /^\s*</.test(body);
  const what = isPage ? 'a page instead of JSON' : "not the API's own answer";
  return { verdict: 'retry', reason: `${status}, but ${what}` };
}

/** The API's own error text: `message` of its JSON, one line, cut. */
function explanation({ body }: ApiAnswer): string {
  const message = (parseJson(body) as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' && message !== '' ? ` ("${oneLine(message)}")` : '';
}

/** Makes a foreign text fit for a log line: short, without line breaks, control or invisible characters. */
function oneLine(text: string): string {
  return text.slice(0, 200).replace(/[\s\p{C}]+/gu, ' ');
}

/** Retry-After is seconds or an HTTP date (RFC 9110, 10.2.3); anything else is ignored. ms, capped. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^[A-Z][a-z]{2}/.test(text)
      ? Date.parse(text) - now
      : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}
