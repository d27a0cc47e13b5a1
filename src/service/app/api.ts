import swagger from '@fastify/swagger';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { decisions } from '../../shared/api/contract/decisions.ts';
import type { ErrorBody } from '../../shared/api/contract/errors.ts';
import { basePath } from '../../shared/api/contract/paths.ts';
import { methodsOf } from '../../shared/api/contract/routes.ts';
import { preciseMs } from '../../shared/process/clock.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { bridgeCallsRoute } from '../activity/bridge-calls.ts';
import { callRoutes } from '../activity/call-routes.ts';
import { eventStreamPath } from '../activity/event-description.ts';
import { heldCallsRoute } from '../activity/held-calls.ts';
import { historyRoutes } from '../history/history-routes.ts';
import { createInTurn } from '../history/in-turn.ts';
import { createResponder, type Responder, send } from '../history/responder.ts';
import { bridgeHealthRoute } from '../integrations/bridge-health.ts';
import { certificateRoute } from '../integrations/certificate.ts';
import { openApi } from '../kit/openapi.ts';
import { refusalOf } from '../kit/refusal.ts';
import { bearerToken } from '../kit/security-headers.ts';
import { bridgeCallBacksRoutes } from '../people/bridge-call-backs.ts';
import { priorityRoutes } from '../priority/priority-routes.ts';
import { isOwnerGone } from '../store/statements.ts';
import { takeJsonBodies } from './body.ts';
import type { ServiceContext } from './context.ts';

const json = (message: string) => JSON.stringify({ message } satisfies ErrorBody);

const tokenOf = ({ headers }: FastifyRequest) => bearerToken(headers.authorization) ?? '';

/** Part 5, decision `json-wanted`. The same response for every invalid token, and no entry in the history. */
function refuseUnauthenticated(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!/\bapplication\/(json\b|\*|[^\s,;]+\+json\b)/i.test(request.headers.accept ?? ''))
    return reply.redirect('/sign-in', 302);
  return send(reply.header('www-authenticate', 'Bearer'), 401, json('Unauthenticated.'));
}

/** Everything under /api/v1: authentication, errors and the history, around the three groups of routes. */
export function apiRoutes(context: ServiceContext) {
  const { directory, log } = context;
  const unauthenticated = {
    is: (request: FastifyRequest) => directory.authenticate(tokenOf(request)) === undefined,
    refuse: (request: FastifyRequest, reply: FastifyReply) => void refuseUnauthenticated(request, reply),
  };
  const responder = createResponder(context, unauthenticated);

  return async (app: FastifyInstance) => {
    takeJsonBodies(app);
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    app.addHook('onRequest', (request, reply, done) => {
      if (isAdmitted(request, reply, responder, context)) done();
    });
    app.setErrorHandler((error: FastifyError, request, reply) => {
      if (isOwnerGone(error)) return refuseUnauthenticated(request, reply);
      const { status, body } = refusalOf(error, request, log);
      return responder.respond(request, reply, { status, text: JSON.stringify(body) });
    });
    app.setNotFoundHandler((request, reply) => answerNoRoute(request, reply, responder));

    const typed = app.withTypeProvider<ZodTypeProvider>();
    const inTurn = createInTurn(context.turns, unauthenticated);
    bridgeHealthRoute(app, directory, inTurn);
    bridgeCallsRoute(app, context, inTurn);
    bridgeCallBacksRoutes(app, context, inTurn);
    heldCallsRoute(app, context, inTurn);
    certificateRoute(app, directory, inTurn);
    callRoutes(typed, responder);
    priorityRoutes(typed, responder, context);
    historyRoutes(typed, responder, context.store.requests, context.budgets, inTurn);
  };
}

/** Whether a request has a valid token, and its sender is within the limits; else it is answered. */
function isAdmitted(
  request: FastifyRequest,
  reply: FastifyReply,
  responder: Responder,
  context: ServiceContext,
): boolean {
  const { directory, clock } = context;
  request.receivedAt = clock();
  request.began = preciseMs();
  if (request.method === 'POST') request.body = {}; // the default without a body, so that each missing field is named
  const token = tokenOf(request);
  const sender = directory.authenticate(token, request.ip);
  if (sender === undefined) {
    directory.noteRefused(token, request.ip, request.receivedAt);
    refuseUnauthenticated(request, reply);
    return false;
  }
  request.sender = sender;
  return isWithinLimits(request, reply, sender, responder, context);
}

function isWithinLimits(
  request: FastifyRequest,
  reply: FastifyReply,
  { account, integration }: Sender,
  responder: Responder,
  { rateLimit, perMinute, meter }: ServiceContext,
): boolean {
  const limits = [
    ['account', account.id, account.requestsPerMinute],
    ['integration', integration.id, perMinute],
  ] as const;
  const ofBridge = request.url.startsWith(`${basePath}/bridge/`);
  for (const [client, id, most] of limits) {
    if (most === null) continue;
    const of = ofBridge ? (`${client} bridge` as const) : client;
    const { allowed, remaining, resetAt } = rateLimit.take(of, id, most, request.receivedAt);
    reply.header('x-ratelimit-limit', most).header('x-ratelimit-remaining', remaining);
    if (allowed) continue;
    const wait = Math.max(1, Math.ceil((resetAt - request.receivedAt) / 1000));
    reply.header('retry-after', wait).header('x-ratelimit-reset', Math.ceil(resetAt / 1000));
    meter.counts.limited += 1;
    const refusal = { status: 429, text: json('Too Many Attempts.') };
    // A flood must not become one of entries.
    if (rateLimit.take('entry', integration.id, 1, request.receivedAt).allowed)
      void responder.respond(request, reply, refusal);
    else send(reply, refusal.status, refusal.text);
    return false;
  }
  return true;
}

function answerNoRoute(request: FastifyRequest, reply: FastifyReply, responder: Responder) {
  const path = request.url.split('?')[0]?.slice(basePath.length).replace(/\/$/, '') ?? '';
  const methods = methodsOf(path);
  if (methods === undefined)
    return responder.respond(request, reply, { status: 404, text: json('There is nothing at this path.') });
  reply.header('allow', methods.join(', '));
  const message = `The ${request.method} method is not supported here. Supported: ${methods.join(', ')}.`;
  return responder.respond(request, reply, { status: 405, text: json(message) });
}

const intro = `Call events in, calls on the screens; a caller's priority by number; the history of what was sent.

Details that the specification leaves open are decided as follows.`;

function decisionsTable(): string {
  const rows = Object.entries(decisions).map(
    ([key, { part, decides, because }]) => `| ${key} | ${part} | ${decides} | ${because} |`,
  );
  return ['| decision | part | what | why |', '|---|---|---|---|', ...rows].join('\n');
}

/** Describes the routes registered after it in `GET /openapi.json`, generated from the contract. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true, // pages and administration are not part of the API
    ...openApi('Call Integration API', `${intro}\n\n${decisionsTable()}`, basePath, {
      paths: { '/events': eventStreamPath },
    }),
  });
  app.get('/openapi.json', () => app.swagger());
}
