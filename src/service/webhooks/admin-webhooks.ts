import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { newUid } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import {
  type AccountOf,
  type AdminAudit,
  byUid,
  given,
  nothing,
  operation,
  type ZodInstance,
} from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { reachable } from './reachable.ts';
import { hostOf, type Webhook, webhookEvents, webhookUrl } from './webhook.ts';
import { makeWebhookChanges } from './webhook-changes.ts';
import { webhookSecret } from './webhook-message.ts';
import type { Webhooks } from './webhooks.ts';

const events = z.array(z.enum(webhookEvents)).min(1).describe('Which events are sent.');
const webhookSchema = z
  .object({
    uid: z.string(),
    url: z.string(),
    events,
    enabled: z.boolean(),
    failure: z
      .enum(['gone', 'failing'])
      .nullable()
      .describe('Why the service switched it off: the receiver answered 410, or nothing arrived for days.'),
  })
  .meta({ id: 'Webhook' });
const withSecret = webhookSchema
  .extend({ secret: z.string().describe('Signs the events, by Standard Webhooks. Shown now only.') })
  .meta({ id: 'WebhookWithSecret' });

const taken = 'The account has a webhook to this address: the same scheme, host, port, path and query.';

/** An account's webhooks: list, add, change, remove. */
export function adminWebhookRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  {
    store,
    keys,
    clock,
    webhookNetworks,
    webhooks: { poke },
  }: {
    store: Parameters<typeof makeWebhookChanges>[0];
    keys: Keys;
    clock: () => number;
    webhookNetworks: readonly string[];
    webhooks: Pick<Webhooks, 'poke'>;
  },
): void {
  const { webhooks } = store;
  const changes = makeWebhookChanges(store);
  const url = webhookUrl(reachable(webhookNetworks));
  const view = ({ uid, url, events, enabled, failure }: Webhook) => ({
    ...{ uid, url, enabled, failure },
    events: [...events],
  });
  type Asked = Parameters<AdminAudit>[0] & { params: { uid: string } };
  async function chosen(request: Asked, uid = request.params.uid): Promise<Webhook> {
    const own = await webhooks.list(accountOf(request).id);
    const found = own.find((one) => one.uid === uid);
    if (found === undefined) throw new Refusal(404, 'There is no such webhook.');
    return found;
  }

  app.get(
    '/webhooks',
    operation('listWebhooks', 'List the webhooks', { response: { 200: z.array(webhookSchema) } }),
    async (request) => (await webhooks.list(accountOf(request).id)).map(view),
  );
  app.post(
    '/webhooks',
    operation('addWebhook', 'Add a webhook', {
      body: z.object({ url, events: events.default([...webhookEvents]) }),
      response: { 201: withSecret, 409: errorSchema.describe(taken) },
    }),
    async (request, reply) => {
      const account = accountOf(request).id;
      const added = { uid: newUid(), account, ...request.body, since: clock() };
      await changes.add(added);
      await audit(request, 'settings', `webhook to ${hostOf(added)} added: ${added.events.join(', ')}`);
      const webhook = await chosen(request as never, added.uid);
      return reply.code(201).send({ ...view(webhook), secret: webhookSecret(keys, webhook) });
    },
  );
  app.get(
    '/webhooks/:uid',
    operation('getWebhook', 'Read a webhook', { by: byUid, response: { 200: webhookSchema } }),
    async (request) => view(await chosen(request)),
  );
  app.patch(
    '/webhooks/:uid',
    operation('changeWebhook', 'Change the address or the events of a webhook, or switch it on or off', {
      turn: 'long',
      by: byUid,
      body: z.object({ url: url.optional(), events: events.optional(), enabled: z.boolean().optional() }),
      response: { 200: webhookSchema, 409: errorSchema.describe(taken) },
    }),
    async (request) => {
      const before = await chosen(request);
      const { enabled, ...change } = given(request.body);
      await changes.change(before, change);
      if (enabled === true) await webhooks.switchOn(before.id, clock());
      if (enabled === false) await webhooks.switchOff(before.id, null);
      const after = await chosen(request);
      const state = enabled === undefined ? '' : enabled ? ', on' : ', off';
      await audit(request, 'settings', `webhook to ${hostOf(after)}: ${after.events.join(', ')}${state}`);
      poke(after.id);
      return view(after);
    },
  );
  app.delete(
    '/webhooks/:uid',
    operation('removeWebhook', 'Remove a webhook', { turn: 'long', by: byUid, response: nothing }),
    async (request, reply) => {
      const webhook = await chosen(request);
      await webhooks.remove(webhook.id);
      await audit(request, 'removal', `webhook to ${hostOf(webhook)}: removed`);
      poke(webhook.id);
      return reply.code(204).send(null);
    },
  );
}
