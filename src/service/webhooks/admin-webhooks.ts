import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import { oneOf, tooLong } from '../../shared/api/contract/text.ts';
import type { AdminAccess, AdminRequest, RequestByUid } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { byUid, given, nothing, operation, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';
import { en } from '../words/en.ts';
import { languages } from '../words/words.ts';
import { reachable } from './reachable.ts';
import {
  callEvents,
  formats,
  hostOf,
  newWebhook,
  type Webhook,
  type WebhookOptions,
  webhookEvents,
  webhookUrl,
} from './webhook.ts';
import {
  addWebhook,
  type ChangesWebhooks,
  changeWebhook,
  versionOf,
  WebhookChanged,
  webhookSummary,
} from './webhook-changes.ts';
import { maxHeaders, openHeaders } from './webhook-headers.ts';
import { webhookSecret } from './webhook-message.ts';
import { checkedOptions, filterSchema, OptionRefused } from './webhook-options.ts';
import { maxTemplate } from './webhook-template.ts';
import type { Webhooks } from './webhooks.ts';

const events = z.array(z.enum(webhookEvents)).min(1).describe('Which events are sent.');
const format = oneOf('format', ['standard', ...formats]).describe(
  '`standard`: the JSON of the event, as `webhooks` of this document has it. Else the template makes the body.',
);
const template = z
  .string()
  .max(maxTemplate, tooLong('template', maxTemplate))
  .describe(
    'Mustache. It has the fields of the event, and `title` (its name), `caller`, `is` (the words of its name, to ask for), `digits.from`, `digits.to` (numbers without a plus) and `users` (who answered, or whose phones rang). Values are written as their place wants: in JSON strings, in forms, in text. In JSON, `{{{three}}}` braces write a whole value.',
  );
const language = oneOf('language', [...languages.keys()] as [string]).describe('Of `title`.');
const filterOf = (list: z.ZodType<string[]>) =>
  z
    .object({
      numbers_called: list.describe('`*` stands for any digits. Only calls have a number called.'),
      segments: list.describe('By name. Nothing matches one that does not exist, or no longer.'),
      customers: list.describe('By reference.'),
    })
    .describe('Only events that match one entry of each list that has any.');
const options = { format, template, language, filter: filterOf(z.array(z.string())) };
const headerName = z.string().max(200, tooLong('headers', 200));
const headersSchema = z
  .array(z.object({ name: headerName, value: z.string().max(8_000, tooLong('headers', 8_000)).optional() }))
  .max(maxHeaders, en.formErrors.headersTooLong(maxHeaders))
  .describe(
    'Headers of its own, in place of those before. One without a value keeps the stored one, but not with a `url` on another server (scheme, host or port): give the values again, or an empty list.',
  );
const webhookSchema = z
  .object({
    uid: z.string(),
    url: z.string(),
    events,
    ...options,
    headers: z.array(z.object({ name: headerName })).describe('Their values are not shown.'),
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

const asGiven = {
  format: format.optional(),
  template: template.optional(),
  language: language.optional(),
  filter: filterOf(filterSchema.shape.called).optional(),
  headers: headersSchema.optional(),
};

/** `url`: an address that webhooks of this service may have. */
const operationsFor = (url: ReturnType<typeof webhookUrl>) => ({
  list: operation('listWebhooks', 'List the webhooks', { response: { 200: z.array(webhookSchema) } }),
  add: operation('addWebhook', 'Add a webhook', {
    body: z.object({ url, events: events.default([...callEvents]), ...asGiven }),
    response: { 201: withSecret, 409: errorSchema.describe(taken) },
  }),
  get: operation('getWebhook', 'Read a webhook', { by: byUid, response: { 200: webhookSchema } }),
  change: operation(
    'changeWebhook',
    'Change a webhook, or switch it on or off; what is not given stays as it is',
    {
      turn: 'long',
      by: byUid,
      body: z.object({
        url: url.optional(),
        events: events.optional(),
        ...asGiven,
        enabled: z.boolean().optional(),
      }),
      response: { 200: webhookSchema, 409: errorSchema.describe(taken) },
    },
  ),
  remove: operation('removeWebhook', 'Remove a webhook', { turn: 'long', by: byUid, response: nothing }),
});

type Parts = AdminAccess & {
  readonly store: ChangesWebhooks;
  readonly directory: ServiceDirectory;
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
    (await store.webhooks.list(accountOf(request).id)).map((one) => view(one, parts.keys)),
  );
  app.post('/webhooks', operations.add, async (request, reply) =>
    reply.code(201).send(await add(request, parts)),
  );
  app.get('/webhooks/:uid', operations.get, async (request) =>
    view(await chosen(request, parts), parts.keys),
  );
  app.patch('/webhooks/:uid', operations.change, (request) => change(request, parts));
  app.delete('/webhooks/:uid', operations.remove, async (request, reply) => {
    await remove(request, parts);
    return reply.code(204).send(null);
  });
}

const view = (webhook: Webhook, keys: Keys) => {
  const { uid, url, events, enabled, failure, shape, headers, filter } = webhook;
  return {
    uid,
    url,
    enabled,
    failure,
    events: [...events],
    format: shape?.format ?? ('standard' as const),
    template: shape?.template ?? '',
    language: shape?.language ?? en.language,
    headers: openHeaders(keys, webhook, headers).map(([name]) => ({ name })),
    filter: {
      numbers_called: [...filter.called],
      segments: [...filter.segments],
      customers: [...filter.customers],
    },
  };
};

async function webhookOf(request: AdminRequest, uid: string, { store, accountOf }: Parts): Promise<Webhook> {
  const own = await store.webhooks.list(accountOf(request).id);
  const webhook = own.find((one) => one.uid === uid);
  if (webhook === undefined) throw new Refusal(404, 'There is no such webhook.');
  return webhook;
}

const chosen = (request: RequestByUid, parts: Parts) => webhookOf(request, request.params.uid, parts);

type Options = { readonly [Name in keyof typeof asGiven]?: z.output<(typeof asGiven)[Name]> };
type Settings = Pick<Webhook, 'url' | 'events'> & Options;
type GivenSettings = { [Field in keyof Settings]?: Settings[Field] | undefined };

/** @throws Refusal 422 */
async function optionsOf(
  webhook: Omit<Webhook, 'id'>,
  { url = webhook.url, events = webhook.events, ...given }: GivenSettings,
  parts: Parts,
): Promise<WebhookOptions> {
  const { shape } = webhook;
  const {
    format = shape?.format ?? 'standard',
    template = shape?.template ?? '',
    language = shape?.language ?? en.language,
  } = given;
  const stays = openHeaders(parts.keys, webhook, webhook.headers).map(([name]) => ({
    name,
    value: undefined,
  }));
  const { filter } = given;
  try {
    const options = {
      shape: format === 'standard' ? null : { format, template, language },
      headers: given.headers?.map(({ name, value }) => ({ name, value })) ?? stays,
      filter: filter
        ? { called: filter.numbers_called, segments: filter.segments, customers: filter.customers }
        : webhook.filter,
    };
    return await checkedOptions(parts, webhook, { url, events, options });
  } catch (error) {
    if (error instanceof OptionRefused) throw new Refusal(422, error.text(en));
    throw error;
  }
}

async function add(request: AdminRequest & { body: Settings }, parts: Parts) {
  const { store, accountOf, audit, keys, clock } = parts;
  const { url, events } = request.body;
  const added = { ...newWebhook(accountOf(request).id, clock()), url, events };
  await addWebhook(store, { ...added, options: await optionsOf(added, request.body, parts) });
  const webhook = await webhookOf(request, added.uid, parts);
  await audit(request, 'settings', `webhook to ${hostOf(added)} added: ${webhookSummary(webhook, keys)}`);
  return { ...view(webhook, keys), secret: webhookSecret(keys, webhook) };
}

type Change = GivenSettings & { enabled?: boolean | undefined };

/** How often a change is made again of what somebody else has changed at the same time. */
const ATTEMPTS = 10;

async function change(request: RequestByUid & { body: Change }, parts: Parts) {
  const { store, audit, webhooks, clock, keys } = parts;
  const { enabled, ...settings } = given(request.body);
  const { id } = await chosen(request, parts);
  if (Object.keys(settings).length > 0) await changeSettings(request, settings, parts);
  if (enabled === true) await store.webhooks.switchOn(id, clock());
  if (enabled === false) await store.webhooks.switchOff(id, null);
  const after = await chosen(request, parts);
  const state = enabled === undefined ? '' : enabled ? ', on' : ', off';
  await audit(request, 'settings', `webhook to ${hostOf(after)}: ${webhookSummary(after, keys)}${state}`);
  webhooks.poke(after.id);
  return view(after, keys);
}

/** What is not given stays, also what another request is changing: the options are checked outside of the lock, and stored as one. */
async function changeSettings(request: RequestByUid, settings: GivenSettings, parts: Parts): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await chosen(request, parts);
    const { url = before.url, events = before.events } = settings;
    const options = await optionsOf(before, settings, parts);
    try {
      return await changeWebhook(parts.store, before, { url, events, options }, versionOf(before));
    } catch (error) {
      if (!(error instanceof WebhookChanged) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function remove(request: RequestByUid, parts: Parts): Promise<void> {
  const webhook = await chosen(request, parts);
  await parts.store.webhooks.remove(webhook.id);
  await parts.audit(request, 'removal', `webhook to ${hostOf(webhook)}: removed`);
  parts.webhooks.poke(webhook.id);
}
