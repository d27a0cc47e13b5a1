import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { newUid, type ServiceDirectory } from '../accounts/directory.ts';
import type { Integration, IntegrationChange } from '../accounts/directory-store.ts';
import type { Keys } from '../accounts/keys.ts';
import { type AccountOf, type AdminAudit, given, name, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { integrationChangeText, newToken, oldTokenDays } from './integration-change.ts';

const integrationChange = z.object({ name: name.optional(), enabled: z.boolean().optional() });

type OfIntegration = FastifyRequest<{ Params: { uid: string } }>;

/** An account's integrations: list, add, show with token, change, rotate the token. */
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
  const view = ({ uid, name, enabled, createdAt }: Integration) => ({
    uid,
    name,
    enabled,
    created_at: new Date(createdAt).toISOString(),
  });
  const viewWithToken = async (integration: Integration) => {
    const { oldTokenUntil: until } = integration;
    const uses = until === null ? [] : await directory.oldTokenUses(integration);
    return {
      ...view(integration),
      token: keys.integrationToken(integration),
      old_token_until: until === null ? null : new Date(until).toISOString(),
      old_token_uses: uses.map(({ address, lastAt }) => ({
        address,
        last_used_at: new Date(lastAt).toISOString(),
      })),
    };
  };

  async function changed(request: OfIntegration, change: IntegrationChange) {
    const { id, name: before } = integrationOf(request);
    await directory.changeIntegration(id, change);
    await audit(
      request,
      change.oldTokenUntil !== undefined ? 'token' : 'settings',
      integrationChangeText(before, change),
    );
    return viewWithToken(integrationOf(request));
  }

  app.get('/integrations', (request) => directory.integrations(accountOf(request).id).map(view));
  app.post('/integrations', { schema: { body: z.object({ name }) } }, async (request, reply) => {
    const integration = await directory.addIntegration({
      uid: newUid(),
      account: accountOf(request).id,
      name: request.body.name,
      createdAt: clock(),
    });
    await audit(request, 'token', `integration ${integration.name} added`);
    return reply.code(201).send(await viewWithToken(integration));
  });
  app.get<{ Params: { uid: string } }>('/integrations/:uid', (request) =>
    viewWithToken(integrationOf(request)),
  );
  app.patch(
    '/integrations/:uid',
    { schema: { params: z.object({ uid: z.string() }), body: integrationChange } },
    (request) => changed(request as never, given(request.body)),
  );
  app.post(
    '/integrations/:uid/rotate',
    {
      schema: {
        params: z.object({ uid: z.string() }),
        body: z.object({ old_token_days: oldTokenDays.default(0) }).nullish(),
      },
    },
    (request) => changed(request as never, newToken(request.body?.old_token_days ?? 0, clock())),
  );
  app.delete<{ Params: { uid: string } }>('/integrations/:uid/old-token', (request) =>
    changed(request, { oldTokenUntil: null }),
  );
}
