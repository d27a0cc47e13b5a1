import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { newUid, type ServiceDirectory } from '../accounts/directory.ts';
import type { Integration } from '../accounts/directory-store.ts';
import type { IntegrationChange } from '../accounts/integration-store.ts';
import type { Keys } from '../accounts/keys.ts';
import {
  type AccountOf,
  type AdminAudit,
  byUid,
  given,
  moment,
  momentOf,
  name,
  operation,
  type ZodInstance,
} from '../kit/administration.ts';
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

type OfIntegration = Parameters<AdminAudit>[0] & { readonly params: { readonly uid: string } };

/** An account's integrations: list, add, change, rotate the token. */
export function adminIntegrationRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  directory: ServiceDirectory,
  keys: Keys,
  clock: () => number,
): void {
  function integrationOf(request: OfIntegration): Integration {
    const own = directory.integrations(accountOf(request).id);
    const found = own.find(({ uid }) => uid === request.params.uid);
    if (found === undefined) throw new Refusal(404, 'There is no such integration.');
    return found;
  }
  async function view(integration: Integration) {
    const { uid, name, enabled, createdAt, oldTokenUntil: until } = integration;
    const uses = until === null ? [] : await directory.oldTokenUses(integration);
    return {
      ...{ uid, name, enabled, created_at: momentOf(createdAt) },
      old_token_until: until === null ? null : momentOf(until),
      old_token_uses: uses.map(({ address, lastAt }) => ({ address, last_used_at: momentOf(lastAt) })),
    };
  }
  const viewWithToken = async (integration: Integration) => ({
    ...(await view(integration)),
    token: keys.integrationToken(integration),
  });

  async function changed(request: OfIntegration, change: IntegrationChange) {
    const { id, name: before } = integrationOf(request);
    const after = await directory.changeIntegration(id, change);
    if (after === undefined) throw new Refusal(404, 'There is no such integration.');
    await audit(
      request,
      change.oldTokenUntil !== undefined ? 'token' : 'settings',
      integrationChangeText(before, change),
    );
    return after;
  }

  app.get(
    '/integrations',
    operation('listIntegrations', 'List the integrations', { response: { 200: z.array(integrationSchema) } }),
    (request) => Promise.all(directory.integrations(accountOf(request).id).map(view)),
  );
  app.post(
    '/integrations',
    operation('addIntegration', 'Add an integration', {
      body: z.object({ name }),
      response: {
        201: withToken,
        409: errorSchema.describe(
          'There is an integration of that name: the request was sent before, or by others.',
        ),
      },
    }),
    async (request, reply) => {
      const { name } = request.body;
      const integration = await directory.addIntegration({
        uid: newUid(),
        account: accountOf(request).id,
        name,
        createdAt: clock(),
      });
      await audit(request, 'token', `integration ${integration.name} added`);
      return reply.code(201).send(await viewWithToken(integration));
    },
  );
  app.get(
    '/integrations/:uid',
    operation('getIntegration', 'Read an integration', { by: byUid, response: { 200: integrationSchema } }),
    (request) => view(integrationOf(request)),
  );
  app.patch(
    '/integrations/:uid',
    operation('changeIntegration', 'Rename an integration, or switch it on or off', {
      by: byUid,
      body: integrationChange,
      response: {
        200: integrationSchema,
        409: errorSchema.describe('Another integration has the name.'),
      },
    }),
    async (request) => view(await changed(request, given(request.body))),
  );
  /** Of each request for a new token: which one it was to replace as it arrived. Its turn may come after that of another. */
  const meant = new WeakMap<object, number>();
  app.post(
    '/integrations/:uid/rotate',
    {
      ...operation('rotateToken', 'Make a new token; the old one is accepted for as many days as asked for', {
        by: byUid,
        body: z.strictObject({ old_token_days: oldTokenDays.default(0) }).nullish(),
        response: {
          200: withToken,
          409: errorSchema.describe(
            'The token of before is still accepted: end it first, or ask for 0 days; or another request has just replaced the token.',
          ),
        },
      }),
      onRequest: async (request) => {
        meant.set(request.raw, integrationOf(request as OfIntegration).tokenCounter);
      },
    },
    async (request) => {
      const days = request.body?.old_token_days ?? 0;
      const change = newToken(integrationOf(request), days, clock(), meant.get(request.raw));
      return viewWithToken(await changed(request, change));
    },
  );
  app.delete(
    '/integrations/:uid/old-token',
    operation('endOldToken', 'Accept the old token no longer', {
      by: byUid,
      response: { 200: integrationSchema },
    }),
    async (request) => view(await changed(request, { oldTokenUntil: null })),
  );
}
