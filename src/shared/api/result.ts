import { BlockList, isIP } from 'node:net';

/** Why there was no answer to a request. */
export const apiErrorKinds = {
  refused: 'connection refused',
  unreachable: 'no way to the host',
  dns: 'the host name does not resolve',
  'timeout-connect': 'no connection in time',
  tls: 'TLS failed',
  proxy: 'the proxy refuses the connection',
  'timeout-headers': 'no answer in time',
  'timeout-body': 'the answer did not end in time',
  reset: 'connection lost before the answer was complete',
  protocol: 'the answer is not HTTP',
  closed: 'the client was closed',
  unknown: 'the request failed',
} as const;

export type ApiErrorKind = keyof typeof apiErrorKinds;

/** An answer, whatever its status. */
export type ApiAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  /** Content-Type as received; '' if there was none. */
  readonly contentType: string;
  /** Retry-After as received. */
  readonly retryAfter?: string;
  /** Date as received: the API's clock. */
  readonly date?: string;
  /** Location as received: where a redirect, which is never followed, points to. */
  readonly location?: string;
  readonly body: string;
  /** True if the body was longer than allowed and was cut. */
  readonly truncated: boolean;
  /** From the first byte sent to the end of the answer, ms. */
  readonly durationMs: number;
};

/** No answer: it is not known whether the API has taken the request. */
export type ApiFailure = {
  readonly kind: 'failed';
  readonly error: ApiErrorKind;
  /** The error of the operating system, one line, without the token. */
  readonly detail: string;
  readonly durationMs: number;
};

export type ApiResult = ApiAnswer | ApiFailure;

const kindsByCode: Readonly<Record<string, ApiErrorKind>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  ENETDOWN: 'unreachable',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  UND_ERR_CONNECT_TIMEOUT: 'timeout-connect',
  ETIMEDOUT: 'timeout-connect',
  UND_ERR_HEADERS_TIMEOUT: 'timeout-headers',
  UND_ERR_BODY_TIMEOUT: 'timeout-body',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
  EPROTO: 'tls',
};

/** Codes of Node's TLS, OpenSSL's certificate checks and its protocol errors. */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/;

/** The kind of an error that undici, the socket or the resolver gave. */
export function errorKind(error: unknown): ApiErrorKind {
  const { code, name, message } = (error ?? {}) as Record<'code' | 'name' | 'message', unknown>;
  // undici's HTTPParserError does not always have its code.
  if (name === 'HTTPParserError') return 'protocol';
  if (/^Proxy response /.test(String(message))) return 'proxy';
  if (typeof code !== 'string') return 'unknown';
  return kindsByCode[code] ?? (tlsCode.test(code) ? 'tls' : 'unknown');
}

/** The proxies of this machine, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY name them. */
export type Proxies = {
  /** For https addresses. */
  readonly https?: string | undefined;
  /** For http addresses. */
  readonly http?: string | undefined;
  /** Hosts that are reached without: names with all below them, `HOST:PORT`, addresses, networks such as 10.0.0.0/8, `*`. */
  readonly except?: readonly string[] | undefined;
};

/** The proxy to this address, undefined if it is reached directly; this machine always is. */
export function proxyFor(address: string, { https, http, except = [] }: Proxies): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const portOrDefault = port || (protocol === 'https:' ? '443' : '80');
  const isExcepted = ['localhost', '127.0.0.0/8', '::1', ...except].some((entry) => {
    const [, pattern = entry, only] = /^(.+):(\d+)$/.exec(isIP(entry) ? '' : entry) ?? [];
    return (only ?? portOrDefault) === portOrDefault && isIn(host, pattern.toLowerCase());
  });
  return isExcepted ? undefined : protocol === 'https:' ? https : http;
}

function isIn(host: string, pattern: string): boolean {
  const [, network, bits] = /^([\da-f.:]+)\/(\d+)$/.exec(pattern) ?? [];
  if (network !== undefined && isIP(network) > 0) {
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    const list = new BlockList();
    list.addSubnet(network, Math.min(Number(bits), family === 'ipv4' ? 32 : 128), family);
    return isIP(host) === isIP(network) && list.check(host, family);
  }
  const name = pattern.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return pattern === '*' || host === name || host.endsWith(`.${name}`);
}
