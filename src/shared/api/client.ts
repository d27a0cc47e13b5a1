import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { trustSystemAuthorities } from '../process/authorities.ts';
import { bridgeCallBacksPath } from './contract/bridge-call-backs.ts';
import { bridgeCallsPath } from './contract/bridge-calls.ts';
import { bridgeCertificatePath } from './contract/bridge-certificate.ts';
import { bridgeHealthPath } from './contract/bridge-health.ts';
import { type ApiResult, type Proxies, proxyFor } from './result.ts';
import { sendRequest } from './send-request.ts';

export type ApiClientOptions = {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Whether the API takes `extras`, which its document does not have, as our own service does. */
  readonly extras?: boolean;
  /** Absent: the API is reached directly. */
  readonly proxies?: Proxies | undefined;
  /** What this client proves who it is with, where the API asks for it: PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  /** How long to wait for a connection, ms. */
  readonly connectTimeoutMs?: number;
  /** How long a request may take from its first byte to the end of the answer, ms. */
  readonly answerTimeoutMs?: number;
  /** Most connections at the same time; requests beyond them wait. */
  readonly connections?: number;
  /** Longest body of an answer to a call event or a lookup, bytes; a longer one is cut. */
  readonly answerBytes?: number;
};

export type HistoryQuery = {
  /** What to find in the recorded requests: a call id. */
  readonly searchTerm: string;
  /** Page size; always given, because without it the API sends the whole history. */
  readonly limit: number;
  /** The query of a page's link to the next one. */
  readonly next?: string;
};

type PriorityQuery = { readonly parameter: string; readonly number: string };

const defaults = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 10_000,
  connections: 2_048,
  answerBytes: 64 * 1024,
};

const historyBytes = 16 * 1024 * 1024;

export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * Talks HTTP to the API over kept-alive connections. Redirects are never followed (the sign-in page would answer
 * 200, and the token would go along), `Accept: application/json` is always sent (part 5), and no error text ever
 * has the token in it.
 */
export function createApiClient(options: ApiClientOptions) {
  const settings = { ...defaults, ...options };
  const { answerBytes } = settings;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const pool = createPool(base, settings);
  let headers = headersWith(options.token);
  /** What no text may quote: the token, and those that it followed. */
  const tokens = [options.token];
  let closed: Promise<void> | undefined;

  function redact(text: string): string {
    return tokens.reduce((safe, token) => safe.replaceAll(token, '[token]'), text);
  }

  function get(path: string, query: URLSearchParams, maxBytes: number): Promise<ApiResult> {
    const request = { method: 'GET', path: `${prefix}${path}?${query}`, headers } as const;
    return sendRequest(pool, { origin: base.origin, ...request }, { ...settings, maxBytes, redact });
  }

  function post(path: string, body: string): Promise<ApiResult> {
    const postHeaders = [...headers, 'content-type', 'application/json'];
    const request = { method: 'POST', path: `${prefix}${path}`, headers: postHeaders, body } as const;
    const rules = { ...settings, maxBytes: answerBytes, redact };
    return sendRequest(pool, { origin: base.origin, ...request }, rules);
  }

  return {
    /** `body` is the JSON text of a call event (part 4.1). */
    postCallEvent: (body: string): Promise<ApiResult> =>
      post('/voice/call', options.extras ? body : withoutExtras(body)),
    /** Reports the problems of this bridge, as JSON (API_EXTRAS). */
    reportHealth: (body: string): Promise<ApiResult> => post(bridgeHealthPath, body),
    /** Reports who rings and talks now, as JSON (API_EXTRAS). */
    reportCalls: (body: string): Promise<ApiResult> => post(bridgeCallsPath, body),
    /** The numbers that wait for a call back (CALL_BACKS); none if they are still those of the version `known`. */
    waitingNumbers: (known: string | undefined): Promise<ApiResult> =>
      get(bridgeCallBacksPath, new URLSearchParams(known === undefined ? {} : { known }), answerBytes),
    /** Reports what became of a call to one of them, as JSON (CALL_BACKS). */
    reportCallBack: (body: string): Promise<ApiResult> => post(bridgeCallBacksPath, body),
    /** Which calls of this integration the API has (API_EXTRAS). */
    heldCalls: (query: Readonly<Record<string, string>>): Promise<ApiResult> =>
      get(bridgeCallsPath, new URLSearchParams(query), historyBytes),
    /** Sends the summary of a certificate, as JSON (API_EXTRAS). */
    reportCertificate: (body: string): Promise<ApiResult> => post(bridgeCertificatePath, body),
    /** The priority of a caller's number (part 4.2). `parameter` is the number's name in the query. */
    priority: ({ parameter, number }: PriorityQuery): Promise<ApiResult> =>
      get('/voice/priority', new URLSearchParams({ [parameter]: number }), answerBytes),
    /** Recorded requests, newest first (part 4.3). */
    history({ searchTerm, limit, next = '' }: HistoryQuery): Promise<ApiResult> {
      const query = new URLSearchParams({ search: 'request', search_term: searchTerm, sort: '-created_at' });
      query.set('limit', String(limit));
      for (const [name, value] of new URLSearchParams(next)) query.set(name, value);
      return get('/voice', query, historyBytes);
    },
    /** Sends this token from now on; requests that are running keep theirs. Throws if a header cannot carry it. */
    changeToken(token: string) {
      headers = headersWith(token);
      if (!tokens.includes(token)) tokens.push(token);
    },
    /** Ends every request still running with `closed` and gives the connections back. A second call is harmless. */
    close() {
      closed ??= pool.destroy();
      return closed;
    },
  };
}

function createPool(base: URL, settings: ApiClientOptions & typeof defaults): Dispatcher {
  const { baseUrl, connections, connectTimeoutMs, clientCertificate, proxies = {} } = settings;
  const proxy = proxyFor(baseUrl, proxies);
  if ([baseUrl, proxy].some((url) => url?.startsWith('https:'))) trustSystemAuthorities();
  const connect = { timeout: connectTimeoutMs, ...clientCertificate };
  const poolOptions = {
    connections,
    // The deadline for the whole answer (send-request.ts) also covers an answer that comes byte by byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Common servers and load balancers close idle connections after 60 s or more; those that do so earlier announce
    // it.
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 60_000,
    // A busy connection is renewed now and then, so that a changed DNS record is noticed.
    maxRequestsPerClient: 1_000,
  };
  if (proxy === undefined) return new Pool(base.origin, { ...poolOptions, connect });
  return new ProxyAgent({
    ...poolOptions,
    uri: proxy,
    requestTls: connect,
    proxyTls: { timeout: connectTimeoutMs },
    // Plain http goes through as a request: most proxies let only https through as a tunnel.
    proxyTunnel: base.protocol === 'https:',
  });
}

/** An event may have been stored when API_EXTRAS was set. */
function withoutExtras(body: string): string {
  if (!body.includes('"extras"')) return body;
  const { extras: _, ...event } = JSON.parse(body);
  return JSON.stringify(event);
}

function headersWith(token: string): string[] {
  // A line break in a header would be refused later, by an error that quotes the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Error('the API token has characters that a header cannot carry');
  return ['authorization', `Bearer ${token}`, 'accept', 'application/json', 'user-agent', 'pbx-bridge'];
}
