import { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import type { Log } from '../../shared/log/log.ts';
import { exportLines } from '../accounts/account-data.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Account } from '../accounts/directory-store.ts';
import type { Keys } from '../accounts/keys.ts';
import { adminFleetRoute } from '../integrations/admin-fleet.ts';
import { adminIntegrationRoutes } from '../integrations/admin-integrations.ts';
import { type AccountOf, type AdminAudit, given, name, operation } from '../kit/administration.ts';
import type { Budgets, RateLimit } from '../kit/budget.ts';
import { whenClosed } from '../kit/closed-with.ts';
import { refuseEncoded } from '../kit/encoded-body.ts';
import { openApi } from '../kit/openapi.ts';
import { isHead, isRead, wantsPage } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { basicPassword, bearerToken } from '../kit/security-headers.ts';
import type { Turns } from '../kit/turns.ts';
import { adminCustomerRoutes } from '../people/admin-customers.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { isOwnerGone } from '../store/statements.ts';
import { adminUserRoutes } from '../users/admin-users.ts';
import { adminWebhookRoutes } from '../webhooks/admin-webhooks.ts';
import {
  type AccountsStore,
  accountSchema,
  accountView,
  adminAccountRoutes,
  country,
} from './admin-accounts.ts';
import { changeAccount } from './change-account.ts';

const accountChange = z.object({
  name: name.optional().describe('As it is: only the operator can change it.'),
  country: country.optional(),
});

/** What only tokens of who runs the service open: this one the fleet token, too, and /admin/accounts the operator's. */
const fleetPath = '/admin/fleet';

const documentPath = '/admin/openapi.json';

const intro = `Accounts, users, customers, segments, integrations and webhooks. Accounts are added, limited and removed, and the bridges of all
listed, with the operator's token (\`pbx-bridge service account operator-token\`). \`/admin/fleet\` also takes the fleet token
(\`pbx-bridge service account fleet-token\`), which reads nothing else. Everything else is of the account whose administration token is
sent (\`pbx-bridge service account admin-token\`). Each answer has an \`x-request-id\`, which the service's log names.`;

type Parts = {
  store: AccountsStore & { customers: CustomerStore };
  directory: ServiceDirectory;
  keys: Keys;
  budgets: Budgets;
  turns: Turns;
  rateLimit: RateLimit;
  clock: () => number;
  log: Log;
} & Parameters<typeof adminUserRoutes>[3] &
  Parameters<typeof adminWebhookRoutes>[3];

/**
 * /admin: an account's settings, with its administration token, and the accounts, with the operator's. Integration tokens
 * are refused: a phone system does not need the customers.
 */
export function adminRoutes(parts: Parts) {
  const { store, directory, keys, budgets, turns, clock, log } = parts;
  const accounts = new WeakMap<object, Account>();
  const accountOf: AccountOf = ({ raw }) => accounts.get(raw) as Account;

  return async (instance: FastifyInstance) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    // Registered here so that the hook runs first: unauthenticated clients do not learn which paths exist.
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'There is nothing at this path.' }),
    );
    app.addHook('onRequest', async ({ raw }) => {
      // Many libraries name the content type of a body that they do not send, as with DELETE.
      const { headers } = raw;
      if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined)
        delete headers['content-type'];
    });
    const authenticate = async (request: FastifyRequest, reply: FastifyReply) => {
      if (request.routeOptions.url === documentPath) return;
      const path = request.routeOptions.url ?? '';
      const { authorization } = request.headers;
      // The browser's own dialog: no page, session or cookie for one reader. It keeps the token for addresses below /admin/.
      const isPage = path === fleetPath && wantsPage(request);
      const token = (isPage && basicPassword(authorization)) || (bearerToken(authorization) ?? '');
      const ofOperator = path === fleetPath || path.startsWith('/admin/accounts');
      if (ofOperator && directory.isSiteToken('operator', token)) return;
      if (path === fleetPath && directory.isSiteToken('fleet', token)) return;
      if (isPage) reply.header('www-authenticate', 'Basic realm="any name, the fleet token as password"');
      const account = directory.administrator(token);
      if (account === undefined || ofOperator) return reply.code(401).send({ message: 'Unauthenticated.' });
      accounts.set(request.raw, account);
    };
    const isAuthentic = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
      directory.administrator(bearerToken(headers.authorization) ?? '') !== undefined;
    app.addHook('onRequest', authenticate);
    // Once more when the body is there: the account may have been removed, or the token replaced, while it arrived.
    app.addHook('preValidation', authenticate);
    app.addHook('onRoute', (route) => {
      const { handler, config } = route;
      route.handler = async function inTurn(request, reply) {
        const account = accounts.get(request.raw);
        const work = async () => handler.call(this, request, reply);
        // What only the operator asks for.
        if (account === undefined) return work();
        const turn = config?.turn ?? (isRead(request) ? 'read' : 'change');
        return turns.run({ turn, account: account.id, client: 'administration token' }, reply, work);
      };
    });
    app.setErrorHandler(async (error: FastifyError, request, reply) => {
      if (!isOwnerGone(error) || !accounts.has(request.raw)) throw error;
      await directory.refresh();
      if (isAuthentic(request)) throw error;
      return reply.code(401).send({ message: 'Unauthenticated.' });
    });
    app.addHook('onRequest', async (request) => refuseEncoded(request));
    const json = app.getDefaultJsonParser('error', 'error');
    // Sent in chunks, a body can turn out to be empty.
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
      body === '' ? done(null, undefined) : json(request, `${body}`, done),
    );
    await app.register(swagger, { decorator: 'document', ...openApi('Administration', intro, '/admin') });
    app.get('/openapi.json', { schema: { hide: true } }, () => app.getDecorator<() => object>('document')());

    const audit: AdminAudit = (request, what, target) =>
      store.audit.write({
        account: accountOf(request).id,
        at: clock(),
        what,
        who: 'administration token',
        from: `${request.ip} (/admin)`,
        target,
      });
    app.get(
      '/account',
      operation('getAccount', 'Read the account', { response: { 200: accountSchema } }),
      (request) => accountView(accountOf(request)),
    );
    app.patch(
      '/account',
      operation('changeAccount', 'Change the account', {
        turn: 'long',
        body: accountChange,
        response: {
          200: accountSchema,
          403: errorSchema.describe('Only the operator can rename an account.'),
          429: errorSchema.describe('The country is being changed: all customers are read again.'),
        },
      }),
      async (request) => {
        const { id, name: own } = accountOf(request);
        const { name = own, ...rest } = request.body;
        // The operator's commands choose accounts by their names.
        if (name !== own)
          throw new Refusal(
            403,
            "Only the operator of the service can rename an account: PATCH /admin/accounts/UID with the operator's token, or pbx-bridge service account set --name.",
          );
        const into = { directory, customers: store.customers, budgets };
        const changed = await changeAccount(into, accountOf(request), given(rest));
        await audit(request, 'settings', changed);
        return accountView(directory.accounts().find((candidate) => candidate.id === id) as Account);
      },
    );

    app.get(
      '/export',
      operation(
        'exportAccount',
        'Read everything that is stored of the account, without secrets: a line of JSON a row',
        {
          response: { 200: z.string().describe('application/x-ndjson: {"table": ..., "row": {...}}') },
        },
      ),
      async (request, reply) => {
        whenClosed(reply, budgets.readers.take(accountOf(request).id));
        if (!isHead(request)) await audit(request, 'export', 'everything');
        return reply
          .type('application/x-ndjson')
          .send(Readable.from(exportLines(store, accountOf(request).id)) as never);
      },
    );
    adminAccountRoutes(app, parts);
    adminFleetRoute(app, parts);
    adminUserRoutes(app, accountOf, audit, parts);
    adminIntegrationRoutes(app, accountOf, audit, directory, keys, clock);
    adminCustomerRoutes(app, accountOf, audit, { store, budgets, isAuthentic, log });
    adminWebhookRoutes(app, accountOf, audit, parts);
  };
}
