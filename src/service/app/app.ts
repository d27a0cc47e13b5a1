import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import { fastifyCookie } from '@fastify/cookie';
import Fastify, { type FastifyError, type FastifyInstance, type RouteHandler } from 'fastify';
import { limits } from '../../shared/api/contract/decisions.ts';
import { queryFields } from '../../shared/api/contract/fields.ts';
import { basePath } from '../../shared/api/contract/paths.ts';
import { oncePerMinute } from '../../shared/log/log.ts';
import { eventRoutes } from '../activity/event-routes.ts';
import { apiLogStreamRoutes } from '../history/api-log-stream.ts';
import { isEncoded } from '../kit/encoded-body.ts';
import { isHead, wantsPage } from '../kit/page-request.ts';
import { Refusal, refusalOf } from '../kit/refusal.ts';
import { securityHeaders } from '../kit/security-headers.ts';
import { withoutNul } from '../kit/text.ts';
import { adminRoutes } from '../settings/admin-routes.ts';
import { cookieNames } from '../users/session-cookie.ts';
import { apiRoutes, describeApi } from './api.ts';
import { closeFailedHandshakes, closeStalled, limitArrival } from './arrival.ts';
import type { ServiceContext } from './context.ts';
import { dropForwardedPorts, keepFirstForwarded } from './forwarded.ts';
import { keepOrigin } from './keep-origin.ts';
import { sendErrorPage } from './page-answer.ts';
import { pageRoutes } from './pages.ts';
import { unreadableRequests } from './unreadable.ts';

const STALLED_MS = 120_000;

/** A megabyte in half a minute: slower than that is no browser and no bridge, but who holds connections open. */
const ARRIVAL_MS = 30_000;

export type AppOptions = {
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** `https://calls.example.com`, as people reach the service; absent: as each browser does. */
  readonly publicUrl?: string | undefined;
  /** Names under which browsers reach the service, besides those of `hostNames`. */
  readonly hosts: readonly string[];
  /** How long the head of a request may take to arrive, and each megabyte of its body, ms. */
  readonly requestTimeoutMs?: number;
  /** A client that has stopped sending or reading for this long is disconnected, ms: it takes memory. */
  readonly stalledMs?: number;
  /** The certificate and its key, PEM; absent: plain http. */
  readonly https?: { readonly cert: string; readonly key: string } | undefined;
};

/** The service as a Fastify application: does not listen, reads no environment. */
export async function buildApp(context: ServiceContext, options: AppOptions): Promise<FastifyInstance> {
  const app = createApp(context, options);
  keepOrigin(app);
  watchResponses(app, context);
  app.addHook('preClose', async () => context.screens.close());
  answerErrors(app, context);
  await describeApi(app);
  await app.register(apiRoutes(context), { prefix: basePath });
  app.get('/healthz', healthRoute(context));
  await app.register(adminRoutes(context), { prefix: '/admin' });
  await app.register(async (screens) => {
    await screens.register(fastifyCookie); // the API knows no cookies
    refuseUnknownHosts(screens, options.hosts, context);
    for (const routes of [eventRoutes, apiLogStreamRoutes, pageRoutes])
      await screens.register(routes(context));
  });
  return app;
}

/** With the limits on what arrives, and the headers of every response. */
function createApp(context: ServiceContext, options: AppOptions): FastifyInstance {
  const { requestTimeoutMs = ARRIVAL_MS, https } = options;
  const http = {
    headersTimeout: requestTimeoutMs,
    // How often Node checks for requests that take too long.
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
  };
  const app: FastifyInstance = Fastify({
    clientErrorHandler: unreadableRequests(context.log, context.clock, () => app),
    bodyLimit: limits.bodyBytes,
    genReqId: () => randomUUID(),
    exposeHeadRoutes: true,
    requestTimeout: 0, // see limitArrival
    connectionTimeout: options.stalledMs ?? STALLED_MS,
    http,
    // To its plugins and hooks, a server is one of Node's, with or without TLS.
    ...((https && { https: { ...http, ...https, handshakeTimeout: requestTimeoutMs } }) as object),
    keepAliveTimeout: 72_000,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    rewriteUrl: ({ url = '' }) => routable(url),
    routerOptions: {
      ignoreTrailingSlash: true,
      querystringParser: queryFields,
      maxParamLength: 16_384, // Node limits the whole head; names have their own limits
    },
  });
  limitArrival(app, requestTimeoutMs);
  closeStalled(app);
  if (https) closeFailedHandshakes(app);
  app.decorateRequest('receivedAt', 0);
  app.decorateRequest('began', 0);
  app.decorateRequest('sender', null);
  app.decorateRequest('payload', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    reply.header('x-request-id', request.id); // the log names it, too
    dropForwardedPorts(request.raw.headers);
    keepFirstForwarded(request.raw.headers);
    done();
  });
  return app;
}

/** Counts responses, logs what was refused, and ends the turn of a response that is sent. */
function watchResponses(app: FastifyInstance, { meter, turns, clock, log }: ServiceContext): void {
  const exceeded = oncePerMinute(clock);
  const busy = oncePerMinute(clock);
  app.addHook('onResponse', ({ id: request, routeOptions: { url = '', config } }, reply, done) => {
    const { statusCode: status } = reply;
    const isStream = String(reply.raw.getHeader('content-type')).startsWith('text/event-stream');
    if (!isStream && !config.waits) meter.responded(url, status, reply.elapsedTime);
    if (status === 429)
      exceeded((suppressed) => log.say('service.limit-reached', { path: url, request, suppressed }));
    if (status === 503)
      busy((suppressed) => log.say('service.unavailable', { path: url, request, suppressed }));
    done();
  });
  app.addHook('onSend', async (request, reply, payload) => {
    turns.end(reply);
    if (reply.statusCode === 415 && isEncoded(request)) reply.header('accept-encoding', 'identity');
    if (!(payload instanceof Readable)) return payload;
    if (!isHead(request)) return whileAdmitted(payload, () => turns.checkAdmitted(reply));
    payload.destroy(); // else Fastify reads it to its end
    return Readable.from([]);
  });
}

/** What is sent in pieces, as long as who asked for it may: then it breaks off, so that nobody takes it for all. */
function whileAdmitted(payload: Readable, checkAdmitted: () => Promise<void>): Readable {
  async function* pieces() {
    for await (const piece of payload) {
      await checkAdmitted();
      yield piece;
    }
  }
  const sent = Readable.from(pieces(), {
    objectMode: payload.readableObjectMode,
    highWaterMark: payload.readableHighWaterMark,
  });
  return sent.once('close', () => payload.destroy());
}

/** Browsers get a page, programs JSON. */
function answerErrors(app: FastifyInstance, { sessions, log }: ServiceContext): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body } = refusalOf(error, request, log);
    return wantsPage(request) ? sendErrorPage(request, reply, status, error) : reply.code(status).send(body);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const error = new Refusal(404, ({ notThere }) => notThere, 'There is nothing at this path.');
    if (!wantsPage(request)) return reply.code(404).send({ message: error.message });
    const cookies = fastifyCookie.parse(request.headers.cookie ?? '');
    const session = await sessions.find(cookies[cookieNames(request.protocol).session]);
    return sendErrorPage(request, reply, 404, error, session?.user.language);
  });
}

function refuseUnknownHosts(
  screens: FastifyInstance,
  hosts: readonly string[],
  { clock, log }: ServiceContext,
): void {
  const isOurs = hostNames(hosts);
  const limited = oncePerMinute(clock);
  screens.addHook('onRequest', async ({ hostname, id: request }) => {
    if (isOurs(hostname)) return;
    limited((suppressed) =>
      log.say('service.unknown-host', { host: hostname.slice(0, 255), request, suppressed }),
    );
    throw new Refusal(421, ({ unknownHost }) => unknownHost(hostname));
  });
}

/**
 * After an event that could not be stored the storage counts as taking nothing for this time, ms, unless one is stored: then
 * a balancer sends the next here again, which shows whether it does.
 */
const TAKES_NOTHING_MS = 30_000;

/** For load balancers: whether this process reaches its storage, and the storage takes what it is given. */
function healthRoute({ store, observed, clock }: ServiceContext): RouteHandler {
  return async (_request, reply) => {
    const reached = await store.about().then(
      () => true,
      () => false,
    );
    const failedAt = observed.failedAt() ?? Number.NEGATIVE_INFINITY;
    const takes = clock() - failedAt > TAKES_NOTHING_MS;
    const storage = !reached ? 'out of reach' : takes ? 'reached' : 'takes nothing';
    return reply.code(storage === 'reached' ? 200 : 503).send({ storage });
  };
}

/**
 * Escapes the percent signs of a path with invalid encoding. So it is handled as an unknown path, with authentication
 * and history, and not refused by the router. No name in a path holds NUL.
 */
function routable(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return withoutNul(path) + url.slice(path.length);
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/**
 * Whether a request was sent to a name of this service: an IP address, `localhost`, the machine's own name, or one of
 * `hosts`. Another name may belong to an attacker who lets it point here, so that pages of that name can read ours (DNS
 * rebinding). `name`: as Fastify gives it, without a port.
 */
export function hostNames(hosts: readonly string[]): (name: string | undefined) => boolean {
  const known = new Set(['', 'localhost', hostname(), ...hosts].map((name) => name.toLowerCase()));
  return (name = '') =>
    known.has(name.toLowerCase().replace(/\.$/, '')) || isIP(name.replace(/^\[|\]$/g, '')) > 0;
}
