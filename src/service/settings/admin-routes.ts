import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { queryEntries } from '../../shared/api/contract/fields.ts';
import type { Account } from '../accounts/account.ts';
import type { AdminAccess } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { adminCallRoutes } from '../activity/admin-calls.ts';
import { adminFleetRoute } from '../integrations/admin-fleet.ts';
import { adminIntegrationRoutes } from '../integrations/admin-integrations.ts';
import type { AccountTurns } from '../kit/account-turns.ts';
import type { ZodInstance } from '../kit/administration.ts';
import { refuseEncoded } from '../kit/encoded-body.ts';
import { openApi } from '../kit/openapi.ts';
import { isRead, wantsPage } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { basicPassword, bearerToken } from '../kit/security-headers.ts';
import { adminCallBackRoutes } from '../people/admin-call-backs.ts';
import { adminCustomerRoutes } from '../people/admin-customers.ts';
import { adminPeopleRoutes } from '../people/admin-people.ts';
import { adminFigureRoutes } from '../reports/admin-figures.ts';
import { plainText } from '../rules/plain-text.ts';
import { isOwnerGone } from '../store/statements.ts';
import { adminUserRoutes } from '../users/admin-users.ts';
import { adminEventRoutes } from '../webhooks/admin-events.ts';
import { adminWebhookRoutes } from '../webhooks/admin-webhooks.ts';
import { describedWebhooks } from '../webhooks/webhook-description.ts';
import { adminAccountRoutes } from './admin-accounts.ts';
import { adminOwnAccountRoutes } from './admin-own-account.ts';

/** What only tokens of who runs the service open: this one the fleet token, too, and /admin/accounts the operator's. */
const fleetPath = '/admin/fleet';

const documentPath = '/admin/openapi.json';

const intro = `Accounts, users, customers, segments, integrations and webhooks; calls and their events, people, notes, call backs and figures. Accounts are added, limited and removed, and the bridges of all
listed, with the operator's token (\`pbx-bridge service account operator-token\`). \`/admin/fleet\` also takes the fleet token
(\`pbx-bridge service account fleet-token\`), which reads nothing else. Everything else is of the account whose administration token is
sent (\`pbx-bridge service account admin-token\`). An answer of JSON to a GET has an \`etag\`: sent back as \`if-none-match\`, it gets a 304
as long as the answer is the same. Each answer has an \`x-request-id\`, which the service's log names.`;

type RoutesContext = Parameters<typeof adminOwnAccountRoutes>[1] &
  Parameters<typeof adminAccountRoutes>[1] &
  Parameters<typeof adminFleetRoute>[1] &
  Parameters<typeof adminUserRoutes>[1] &
  Parameters<typeof adminIntegrationRoutes>[1] &
  Parameters<typeof adminCustomerRoutes>[1] &
  Parameters<typeof adminWebhookRoutes>[1] &
  Parameters<typeof adminCallRoutes>[1] &
  Parameters<typeof adminEventRoutes>[1] &
  Parameters<typeof adminPeopleRoutes>[1] &
  Parameters<typeof adminCallBackRoutes>[1] &
  Parameters<typeof adminFigureRoutes>[1];
type Parts = Omit<RoutesContext, keyof AdminAccess> & { readonly turns: AccountTurns };

/** In the order of the document. */
const routes: readonly ((app: ZodInstance, context: RoutesContext) => void)[] = [
  adminOwnAccountRoutes,
  adminAccountRoutes,
  adminFleetRoute,
  adminUserRoutes,
  adminIntegrationRoutes,
  adminCustomerRoutes,
  adminWebhookRoutes,
  adminCallRoutes,
  adminEventRoutes,
  adminPeopleRoutes,
  adminCallBackRoutes,
  adminFigureRoutes,
];

/**
 * /admin: an account's settings, with its administration token, and the accounts, with the operator's. Integration tokens
 * are refused: a phone system does not need the customers.
 */
export function adminRoutes(parts: Parts) {
  /** The account of each request whose token was valid. */
  const accounts = new WeakMap<object, Account>();
  const access = createAdminAccess(accounts, parts);

  return async (instance: FastifyInstance) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    // Registered here so that the hook runs first: unauthenticated clients do not learn which paths exist.
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'There is nothing at this path.' }),
    );
    dropTypesOfNoBody(app);
    const isAdmitted = createAdmission(accounts, parts.directory);
    requireToken(app, isAdmitted);
    takeAccountTurns(app, accounts, isAdmitted, parts.turns);
    refuseRemovedAccounts(app, accounts, access, parts.directory);
    app.addHook('onRequest', async (request) => refuseEncoded(request));
    app.addHook('preValidation', async (request) => refuseBlankFilters(request));
    takeEmptyBodies(app);
    tagAnswers(app);
    await app.register(swagger, {
      decorator: 'document',
      ...openApi('Administration', intro, '/admin', { webhooks: describedWebhooks }),
    });
    app.get('/openapi.json', { schema: { hide: true } }, () => app.getDecorator<() => object>('document')());
    for (const register of routes) register(app, { ...parts, ...access });
  };
}

/** A program has no number of a caller who withholds it: without a filter, it would get everybody. @throws Refusal 422 */
function refuseBlankFilters({ url }: FastifyRequest): void {
  const [, query = ''] = /\?(.*)/.exec(url) ?? [];
  for (const [name, value] of queryEntries(query))
    if (value.trim() === '' && !/^(cursor|after|limit)$/.test(name))
      throw new Refusal(422, `The ${plainText(name, 40)} field must have a value, or be left out.`);
}

type Accounts = WeakMap<object, Account>;

function createAdminAccess(accounts: Accounts, { store, directory, clock }: Parts): AdminAccess {
  const accountOf: AdminAccess['accountOf'] = ({ raw }) => accounts.get(raw) as Account;
  return {
    accountOf,
    isAuthentic: ({ headers }) =>
      directory.administrator(bearerToken(headers.authorization) ?? '') !== undefined,
    audit: (request, what, target) =>
      store.audit.write({
        account: accountOf(request).id,
        at: clock(),
        what,
        who: 'administration token',
        from: `${request.ip} (/admin)`,
        target,
      }),
  };
}

/** Many libraries name the content type of a body that they do not send, as with DELETE. */
function dropTypesOfNoBody(app: ZodInstance): void {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined)
      delete headers['content-type'];
  });
}

/** Whether a request has the token that its path asks for; remembers the account of that. */
const createAdmission =
  (accounts: Accounts, directory: ServiceDirectory) =>
  (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (request.routeOptions.url === documentPath) return true;
    const path = request.routeOptions.url ?? '';
    const { authorization } = request.headers;
    // The browser's own dialog: no page, session or cookie for one reader. It keeps the token for addresses below /admin/.
    const isPage = path === fleetPath && wantsPage(request);
    const token = (isPage && basicPassword(authorization)) || (bearerToken(authorization) ?? '');
    const ofOperator = path === fleetPath || path.startsWith('/admin/accounts');
    if (ofOperator && directory.isSiteToken('operator', token)) return true;
    if (path === fleetPath && directory.isSiteToken('fleet', token)) return true;
    if (isPage) reply.header('www-authenticate', 'Basic realm="any name, the fleet token as password"');
    const account = directory.administrator(token);
    if (account === undefined || ofOperator) return false;
    accounts.set(request.raw, account);
    return true;
  };

const refuse = (reply: FastifyReply): FastifyReply => reply.code(401).send({ message: 'Unauthenticated.' });

/** Refuses requests without their token. */
function requireToken(app: ZodInstance, isAdmitted: ReturnType<typeof createAdmission>): void {
  const authenticate = async (request: FastifyRequest, reply: FastifyReply) =>
    isAdmitted(request, reply) ? undefined : refuse(reply);
  app.addHook('onRequest', authenticate);
  // Once more when the body is there: the account may have been removed, or the token replaced, while it arrived.
  app.addHook('preValidation', authenticate);
}

/** Requests of an account take turns with its others; those of the operator do not. */
function takeAccountTurns(
  app: ZodInstance,
  accounts: Accounts,
  isAdmitted: ReturnType<typeof createAdmission>,
  turns: AccountTurns,
): void {
  app.addHook('onRoute', (route) => {
    const { handler, config } = route;
    route.handler = async function inTurn(request, reply) {
      const account = accounts.get(request.raw);
      const work = async (): Promise<unknown> => handler.call(this, request, reply);
      if (account === undefined) return work();
      const turn = config?.turn ?? (isRead(request) ? 'read' : 'change');
      return turns.run({ turn, account: account.id, client: 'administration token' }, reply, {
        who: true,
        admit: () => isAdmitted(request, reply) || undefined,
        refuse: () => refuse(reply),
        work,
      });
    };
  });
}

/** An account that is removed while its request is worked on is unknown, like its token. */
function refuseRemovedAccounts(
  app: ZodInstance,
  accounts: Accounts,
  { isAuthentic }: AdminAccess,
  directory: ServiceDirectory,
): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (!isOwnerGone(error) || !accounts.has(request.raw)) throw error;
    await directory.refresh();
    if (isAuthentic(request)) throw error;
    return refuse(reply);
  });
}

/** Programs that ask again and again need not get the same again. */
function tagAnswers(app: ZodInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isRead(request) || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    const tag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`;
    reply.header('etag', tag);
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
    if (!known?.includes(tag) && !known?.includes('*')) return payload;
    reply.code(304).removeHeader('content-type');
    return '';
  });
}

/** Sent in chunks, a body can turn out to be empty. */
function takeEmptyBodies(app: ZodInstance): void {
  const json = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : json(request, `${body}`, done),
  );
}
