import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import type { Integration } from '../accounts/account.ts';
import type { AdminAccess, AdminRequest, RequestByUid } from '../accounts/admin-access.ts';
import { newUid, type ServiceDirectory } from '../accounts/directory.ts';
import type { IntegrationChange } from '../accounts/integration-store.ts';
import type { Keys } from '../accounts/keys.ts';
import { byUid, given, moment, momentOf, name, operation, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { integrationChangeText, newToken, oldTokenDays } from './integration-change.ts';

const integrationChange = z.object({ name: name.optional(), enabled: z.boolean().optional() });
const integrationSchema = z
  .object({
    uid: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    created_at: moment,
    old_token_until: moment.nullable().describe('Until when the token before this one is accepted, too.'),
    old_token_uses: z.array(z.object({ address: z.string(), last_used_at: moment })),
  })
  .meta({ id: 'Integration' });
const withToken = integrationSchema
  .extend({ token: z.string().describe("For the phone system's bridge. Shown now only.") })
  .meta({ id: 'IntegrationWithToken' });

const operations = {
  list: operation('listIntegrations', 'List the integrations', {
    response: { 200: z.array(integrationSchema) },
  }),
  add: operation('addIntegration', 'Add an integration', {
    body: z.object({ name }),
    response: {
      201: withToken,
      409: errorSchema.describe(
        'There is an integration of that name: the request was sent before, or by others.',
      ),
    },
  }),
  get: operation('getIntegration', 'Read an integration', {
    by: byUid,
    response: { 200: integrationSchema },
  }),
  change: operation('changeIntegration', 'Rename an integration, or switch it on or off', {
    by: byUid,
    body: integrationChange,
    response: {
      200: integrationSchema,
      409: errorSchema.describe('Another integration has the name.'),
    },
  }),
  rotate: operation(
    'rotateToken',
    'Make a new token; the old one is accepted for as many days as asked for',
    {
      by: byUid,
      body: z.strictObject({ old_token_days: oldTokenDays.default(0) }).nullish(),
      response: {
        200: withToken,
        409: errorSchema.describe(
          'The token of before is still accepted: end it first, or ask for 0 days; or another request has just replaced the token.',
        ),
      },
    },
  ),
  endOldToken: operation('endOldToken', 'Accept the old token no longer', {
    by: byUid,
    response: { 200: integrationSchema },
  }),
};

type Parts = AdminAccess & {
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly clock: () => number;
};

/** An account's integrations: list, add, change, rotate the token. */
export function adminIntegrationRoutes(app: ZodInstance, parts: Parts): void {
  const { directory, clock, accountOf } = parts;
  app.get('/integrations', operations.list, (request) =>
    Promise.all(directory.integrations(accountOf(request).id).map((integration) => view(integration, parts))),
  );
  app.post('/integrations', operations.add, async (request, reply) =>
    reply.code(201).send(await add(request, parts)),
  );
  app.get('/integrations/:uid', operations.get, (request) => view(integrationOf(request, parts), parts));
  app.patch('/integrations/:uid', operations.change, async (request) =>
    view(await change(request, given(request.body), parts), parts),
  );
  /** The token that each request for a new one was to replace as it arrived. Its turn may come after that of another. */
  const meant = new WeakMap<object, number>();
  app.post(
    '/integrations/:uid/rotate',
    {
      ...operations.rotate,
      onRequest: async (request) => {
        meant.set(request.raw, integrationOf(request as RequestByUid, parts).tokenCounter);
      },
    },
    async (request) => {
      const days = request.body?.old_token_days ?? 0;
      const replacement = newToken(integrationOf(request, parts), days, clock(), meant.get(request.raw));
      return viewWithToken(await change(request, replacement, parts), parts);
    },
  );
  app.delete('/integrations/:uid/old-token', operations.endOldToken, async (request) =>
    view(await change(request, { oldTokenUntil: null }, parts), parts),
  );
}

function integrationOf(request: RequestByUid, { directory, accountOf }: Parts): Integration {
  const own = directory.integrations(accountOf(request).id);
  const integration = own.find(({ uid }) => uid === request.params.uid);
  if (integration === undefined) throw new Refusal(404, 'There is no such integration.');
  return integration;
}

async function view(integration: Integration, { directory }: Parts) {
  const { uid, name, enabled, createdAt, oldTokenUntil: until } = integration;
  const uses = until === null ? [] : await directory.oldTokenUses(integration);
  return {
    uid,
    name,
    enabled,
    created_at: momentOf(createdAt),
    old_token_until: until === null ? null : momentOf(until),
    old_token_uses: uses.map(({ address, lastAt }) => ({ address, last_used_at: momentOf(lastAt) })),
  };
}

const viewWithToken = async (integration: Integration, parts: Parts) => ({
  ...(await view(integration, parts)),
  token: parts.keys.integrationToken(integration),
});

async function add(request: AdminRequest & { body: { name: string } }, parts: Parts) {
  const { directory, accountOf, audit, clock } = parts;
  const integration = await directory.addIntegration({
    uid: newUid(),
    account: accountOf(request).id,
    name: request.body.name,
    createdAt: clock(),
  });
  await audit(request, 'token', `integration ${integration.name} added`);
  return viewWithToken(integration, parts);
}

async function change(request: RequestByUid, what: IntegrationChange, parts: Parts) {
  const { id, name: before } = integrationOf(request, parts);
  const after = await parts.directory.changeIntegration(id, what);
  if (after === undefined) throw new Refusal(404, 'There is no such integration.');
  const kind = what.oldTokenUntil !== undefined ? 'token' : 'settings';
  await parts.audit(request, kind, integrationChangeText(before, what));
  return after;
}
