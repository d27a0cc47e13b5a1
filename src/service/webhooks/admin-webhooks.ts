import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import type { AdminAccess, AdminRequest, RequestByUid } from '../accounts/admin-access.ts';
import { newUid } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { byUid, given, nothing, operation, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { reachable } from './reachable.ts';
import { hostOf, type Webhook, webhookEvents, webhookUrl } from './webhook.ts';
import { addWebhook, type ChangesWebhooks, changeWebhook } from './webhook-changes.ts';
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

/** `url`: an address that webhooks of this service may have. */
const operationsFor = (url: ReturnType<typeof webhookUrl>) => ({
  list: operation('listWebhooks', 'List the webhooks', { response: { 200: z.array(webhookSchema) } }),
  add: operation('addWebhook', 'Add a webhook', {
    body: z.object({ url, events: events.default([...webhookEvents]) }),
    response: { 201: withSecret, 409: errorSchema.describe(taken) },
  }),
  get: operation('getWebhook', 'Read a webhook', { by: byUid, response: { 200: webhookSchema } }),
  change: operation(
    'changeWebhook',
    'Change the address or the events of a webhook, or switch it on or off',
    {
      turn: 'long',
      by: byUid,
      body: z.object({ url: url.optional(), events: events.optional(), enabled: z.boolean().optional() }),
      response: { 200: webhookSchema, 409: errorSchema.describe(taken) },
    },
  ),
  remove: operation('removeWebhook', 'Remove a webhook', { turn: 'long', by: byUid, response: nothing }),
});

type Parts = AdminAccess & {
  readonly store: ChangesWebhooks;
  readonly keys: Keys;
  readonly clock: () => number;
  readonly webhookNetworks: readonly string[];
  readonly webhooks: Pick<Webhooks, 'poke'>;
};

/** An account's webhooks: list, add, change, remove. */
export function adminWebhookRoutes(app: ZodInstance, parts: Parts): void {
  const { store, accountOf } = parts;
  const operations = operationsFor(webhookUrl(reachable(parts.webhookNetworks)));
  app.get('/webhooks', operations.list, async (request) =>
    (await store.webhooks.list(accountOf(request).id)).map(view),
  );
  app.post('/webhooks', operations.add, async (request, reply) =>
    reply.code(201).send(await add(request, parts)),
  );
  app.get('/webhooks/:uid', operations.get, async (request) => view(await chosen(request, parts)));
  app.patch('/webhooks/:uid', operations.change, (request) => change(request, parts));
  app.delete('/webhooks/:uid', operations.remove, async (request, reply) => {
    await remove(request, parts);
    return reply.code(204).send(null);
  });
}

const view = ({ uid, url, events, enabled, failure }: Webhook) => ({
  uid,
  url,
  enabled,
  failure,
  events: [...events],
});

async function webhookOf(request: AdminRequest, uid: string, { store, accountOf }: Parts): Promise<Webhook> {
  const own = await store.webhooks.list(accountOf(request).id);
  const webhook = own.find((one) => one.uid === uid);
  if (webhook === undefined) throw new Refusal(404, 'There is no such webhook.');
  return webhook;
}

const chosen = (request: RequestByUid, parts: Parts) => webhookOf(request, request.params.uid, parts);

type Settings = Pick<Webhook, 'url' | 'events'>;

async function add(request: AdminRequest & { body: Settings }, parts: Parts) {
  const { store, accountOf, audit, keys, clock } = parts;
  const added = { uid: newUid(), account: accountOf(request).id, ...request.body, since: clock() };
  await addWebhook(store, added);
  await audit(request, 'settings', `webhook to ${hostOf(added)} added: ${added.events.join(', ')}`);
  const webhook = await webhookOf(request, added.uid, parts);
  return { ...view(webhook), secret: webhookSecret(keys, webhook) };
}

type Change = { [Field in keyof Settings]?: Settings[Field] | undefined } & { enabled?: boolean | undefined };

async function change(request: RequestByUid & { body: Change }, parts: Parts) {
  const { store, audit, webhooks, clock } = parts;
  const before = await chosen(request, parts);
  const { enabled, ...settings } = given(request.body);
  await changeWebhook(store, before, settings);
  if (enabled === true) await store.webhooks.switchOn(before.id, clock());
  if (enabled === false) await store.webhooks.switchOff(before.id, null);
  const after = await chosen(request, parts);
  const state = enabled === undefined ? '' : enabled ? ', on' : ', off';
  await audit(request, 'settings', `webhook to ${hostOf(after)}: ${after.events.join(', ')}${state}`);
  webhooks.poke(after.id);
  return view(after);
}

async function remove(request: RequestByUid, parts: Parts): Promise<void> {
  const webhook = await chosen(request, parts);
  await parts.store.webhooks.remove(webhook.id);
  await parts.audit(request, 'removal', `webhook to ${hostOf(webhook)}: removed`);
  parts.webhooks.poke(webhook.id);
}
