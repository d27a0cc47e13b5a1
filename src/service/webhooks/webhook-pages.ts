import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { goodUntil, isOldInForce, tokenReplaced } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { overlaps, rotation } from '../integrations/integration-pages.ts';
import { copyable, displayText } from '../kit/display-text.ts';
import {
  button,
  changeForm,
  choice,
  fold,
  hiddenFields,
  notice,
  onOff,
  readForm,
  refusedField,
} from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { listPage, type RowForm } from '../kit/list-page.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { table } from '../kit/table.ts';
import { missingText } from '../people/segment-uses.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { MOST_COUNTED } from './delivery-log-store.ts';
import { reachable } from './reachable.ts';
import { hostOf, newWebhook, type Webhook, webhookUrl } from './webhook.ts';
import {
  addWebhook,
  type ChangesWebhooks,
  changeWebhook,
  versionOf,
  webhookSummary,
} from './webhook-changes.ts';
import { callIn, deliveriesCard } from './webhook-deliveries.ts';
import { draftOf, optionErrors, readWebhook, settingsFields, webhookFields } from './webhook-form.ts';
import { openHeaders } from './webhook-headers.ts';
import { webhookSecret } from './webhook-message.ts';
import { checkedOptions, previewOf } from './webhook-options.ts';
import type { WebhookStore } from './webhook-store.ts';
import type { Webhooks } from './webhooks.ts';

const home = '/webhooks';
const perPage = 50;

/** The id of a delivery; null for anything else. */
const idIn = (text: string | null) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null);

type Parts = {
  readonly store: ChangesWebhooks & {
    readonly customers: { missingSegments(account: number, names: readonly string[]): Promise<string[]> };
  };
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  /** Where webhooks may be sent besides the Internet. */
  readonly webhookNetworks: readonly string[];
  readonly webhooks: Pick<Webhooks, 'poke'>;
};

const previewFields = webhookFields();

/** What adding and changing webhooks takes besides. */
type Editing = Parts & { readonly fields: ReturnType<typeof webhookFields> };

/** Webhooks: the account's own systems that get its calls. */
export function webhookPages(pages: Pages, parts: Parts): void {
  const editing: Editing = {
    ...parts,
    fields: webhookFields(webhookUrl(reachable(parts.webhookNetworks))),
  };
  pages.get(home, 'administrator', (request) => page(request, parts));
  pages.post(home, 'administrator', (request) =>
    save(request, editing, newWebhook(request.account.id, request.now)),
  );
  pages.get(`${home}/:uid`, 'administrator', async (request) =>
    page(request, parts, await chosen(request, parts)),
  );
  pages.post(`${home}/:uid`, 'administrator', async (request) => {
    const webhook = await chosen(request, parts);
    return save(request, editing, webhook, webhook);
  });
  for (const action of actions)
    pages.post(`${home}/:uid/${action.name}`, 'administrator', (request) => act(action, request, parts), {
      turn: 'long',
    });
}

async function chosen({ account, params }: UserRequest, { store }: Parts): Promise<Webhook> {
  const webhook = (await store.webhooks.list(account.id)).find(({ uid }) => uid === params.uid);
  if (webhook === undefined) throw new Refusal(404, (errors) => errors.notThere);
  return webhook;
}

/** What the form of a page shows beside what is stored. */
type Shown = Pick<Parameters<typeof settingsFields>[1], 'errors' | 'preview'>;

async function page(
  request: UserRequest,
  { store, keys }: Parts,
  webhook?: Webhook,
  { errors, preview }: Shown = {},
): Promise<Page> {
  const { query, account, now } = request;
  const before = idIn(query.get('older'));
  const failed = query.has('failed');
  const all = await store.webhooks.list(account.id);
  const chosen = new Set(all.flatMap(({ filter }) => filter.segments));
  const marks: Marks = {
    missing: await store.customers.missingSegments(account.id, [...chosen]),
    failed: await store.webhooks.failedCounts(account.id),
  };
  return listPage(request, {
    path: home,
    errors,
    isAdding: preview !== undefined,
    edited:
      webhook && webhookForm(request, webhook, keys, { errors, preview, missing: missingOf(webhook, marks) }),
    add: () =>
      settingsFields(request, {
        stored: draftOf(newWebhook(account.id, now), []),
        errors,
        preview,
        at: { form: `${home}?add`, preview: home },
      }),
    list: [
      webhookTable(request, all, marks),
      webhook &&
        deliveriesCard(
          request,
          webhook,
          failedText(request, webhook, marks),
          await store.webhooks.page({
            webhook: webhook.id,
            failed,
            before,
            limit: perPage,
            call: callIn(query),
          }),
        ),
    ],
  });
}

/** Stores a webhook as the form says, and answers with a redirect; or with the page, and the errors of the form or a preview. */
async function save(
  request: UserRequest,
  parts: Editing,
  before: Omit<Webhook, 'id'>,
  edited?: Webhook,
): Promise<Answer> {
  const { store, keys } = parts;
  const isPreview = request.form.has('preview');
  const { values, errors } = readWebhook(request, isPreview ? previewFields : parts.fields);
  if (errors) return page(request, parts, edited, { errors });
  const { url, events } = values;
  const given = { ...before, url, events };
  try {
    if (isPreview)
      return await page(request, parts, edited, {
        preview: await previewOf(parts, given, values.options.shape),
      });
    const options = await checkedOptions(parts, before, values);
    const change = { url, events, options };
    const stored = edited
      ? changeWebhook(store, edited, change, request.form.get('read') ?? versionOf(edited))
      : addWebhook(store, { ...given, options });
    const refused = await refusedField('url', request, stored);
    if (refused) return page(request, parts, edited, { errors: refused });
    const what = `webhook to ${hostOf(given)}${edited ? '' : ' added'}`;
    await request.audit('settings', `${what}: ${webhookSummary({ ...given, ...options }, keys)}`);
    return { redirect: `${home}/${before.uid}${edited ? '?done' : ''}` };
  } catch (error) {
    return page(request, parts, edited, { errors: optionErrors(error, request) });
  }
}

/** A form of a webhook's page: changes something, and shows the page again. */
type Action = {
  readonly name: string;
  readonly kind: 'settings' | 'token' | 'removal';
  /** Returns what has changed, for the audit log. */
  readonly change: (webhook: Webhook, store: WebhookStore, request: UserRequest) => Promise<string>;
};

const actions: readonly Action[] = [
  { name: 'test', kind: 'settings', change: sendTest },
  { name: 'again', kind: 'settings', change: sendAgain },
  { name: 'rotate', kind: 'token', change: rotate },
  {
    name: 'end-old',
    kind: 'token',
    change: ({ id }, store) => store.change(id, { oldSecretUntil: null }).then(() => 'old secret ended'),
  },
  {
    name: 'on',
    kind: 'settings',
    change: ({ id }, store, { now }) => store.switchOn(id, now).then(() => 'on'),
  },
  { name: 'off', kind: 'settings', change: ({ id }, store) => store.switchOff(id, null).then(() => 'off') },
  { name: 'remove', kind: 'removal', change: ({ id }, store) => store.remove(id).then(() => 'removed') },
];

async function act({ kind, change: carryOut }: Action, request: UserRequest, parts: Parts): Promise<Answer> {
  const webhook = await chosen(request, parts);
  const what = await carryOut(webhook, parts.store.webhooks, request);
  await request.audit(kind, `webhook to ${hostOf(webhook)}: ${what}`);
  parts.webhooks.poke(webhook.id);
  return { redirect: `${kind === 'removal' ? home : `${home}/${webhook.uid}`}?done` };
}

/** What would wait for ever. */
function refuseIfOff({ enabled }: Webhook): void {
  if (!enabled) throw new Refusal(422, (errors) => errors.webhookOff);
}

async function sendTest(webhook: Webhook, store: WebhookStore, { now }: UserRequest): Promise<string> {
  refuseIfOff(webhook);
  await store.addTest(webhook.id, now);
  return 'test event';
}

async function sendAgain(webhook: Webhook, store: WebhookStore, { form, now }: UserRequest): Promise<string> {
  refuseIfOff(webhook);
  const delivery = idIn(form.get('delivery'));
  if (delivery === null && form.has('delivery')) throw new Refusal(404, (errors) => errors.notThere);
  const count = await store.sendAgain(webhook.id, delivery, now);
  return `${count} events sent again`;
}

async function rotate(webhook: Webhook, store: WebhookStore, request: UserRequest): Promise<string> {
  const { values } = readForm(rotation, request);
  if (values === null) throw new Refusal(422, (errors) => errors.notPossible);
  const { days, replaces = webhook.secretCounter } = values;
  if (replaces !== webhook.secretCounter) throw tokenReplaced();
  const oldSecretUntil = goodUntil(webhook.oldSecretUntil, days, request.now);
  await store.change(webhook.id, { replaces, oldSecretUntil });
  return `new secret, the old one signs for ${days} more days`;
}

/** What is wrong with webhooks besides their state: segments that they have chosen and that do not exist, and how many events were given up. */
type Marks = {
  readonly missing: readonly string[];
  readonly failed: ReadonlyMap<number, number>;
};

const missingOf = ({ filter }: Webhook, { missing }: Pick<Marks, 'missing'>): readonly string[] =>
  filter.segments.filter((name) => missing.includes(name));

/** How many events were given up; undefined if none were. */
function failedText({ formats }: UserRequest, { id }: Webhook, { failed }: Marks): string | undefined {
  const count = failed.get(id) ?? 0;
  return count === 0 ? undefined : `${formats.number(count)}${count === MOST_COUNTED ? '+' : ''}`;
}

function stateOf({ words, formats, now }: UserRequest, { enabled, failingSince }: Webhook) {
  if (!enabled) return html`<span class="state missed">${words.common.off}</span>`;
  if (failingSince === null) return html`<span class="state answered">${words.common.on}</span>`;
  return html`<span class="state missed">${words.webhooks.failing}</span> ${formats.moment(failingSince, now)}`;
}

function webhookTable(request: UserRequest, webhooks: readonly Webhook[], marks: Marks): Html {
  const { words } = request;
  const { common, webhooks: text } = words;
  return table({
    kind: 'hooks',
    caption: text.url,
    rows: webhooks,
    empty: html`${icon('webhook')}${text.none}`,
    columns: [
      {
        head: text.url,
        name: true,
        cell: (webhook) => html`<a href=${`${home}/${webhook.uid}`}>${displayText(hostOf(webhook), 60)}</a>`,
      },
      {
        head: text.events,
        is: 'by quiet',
        cell: (webhook) => {
          const missing = missingText(missingOf(webhook, marks), words);
          return html`${webhook.events.map((event) => text.names[event]).join(', ')}${missing && html`<br /><span class="is-missed">${missing}</span>`}`;
        },
      },
      {
        head: common.state,
        end: true,
        cell: (webhook) => {
          const failed = failedText(request, webhook, marks);
          return html`${stateOf(request, webhook)}${failed && html`<br /><span class="is-missed">${text.states.failed}: ${failed}</span>`}`;
        },
      },
    ],
  });
}

function webhookForm(
  request: UserRequest,
  webhook: Webhook,
  keys: Keys,
  { missing, ...shown }: Shown & Pick<Marks, 'missing'>,
): RowForm {
  const { token, words, formats, now } = request;
  const { integrations, webhooks: text } = words;
  const { enabled, failure, oldSecretUntil: until, uid } = webhook;
  const at = (what: string) => `${home}/${uid}/${what}`;
  return {
    name: displayText(hostOf(webhook), 60),
    label: plainText(hostOf(webhook), 60),
    action: `${home}/${uid}`,
    fields: [
      !enabled && notice(failure === null ? text.isOff : text.failures[failure], 'bad'),
      missing.length > 0 && notice(missingText(missing, words) ?? '', 'bad'),
      hiddenFields({ read: request.form.get('read') ?? versionOf(webhook) }),
      settingsFields(request, {
        ...shown,
        stored: draftOf(
          webhook,
          openHeaders(keys, webhook, webhook.headers).map(([name]) => name),
        ),
        at: { form: `${home}/${uid}`, preview: `${home}/${uid}` },
      }),
    ],
    also: html`
      ${copyable(words, 'secret', text.secret, webhookSecret(keys, webhook))}
      <p><a href="https://www.standardwebhooks.com/">Standard Webhooks</a></p>
      ${
        isOldInForce(until, now) &&
        html`<p>${text.oldSecret(formats.dateTime(until))}</p>
          <p>${button({ action: at('end-old'), token, danger: true }, text.endOldSecret)}</p>`
      }
      ${fold(
        text.rotate,
        changeForm(
          { action: at('rotate'), token, is: 'form', label: text.rotate },
          html`${hiddenFields({ replaces: String(webhook.secretCounter) })}${choice({ label: text.oldSecretLabel, name: 'days', value: '1', options: overlaps.map((days) => [String(days), integrations.overlap(days)]), hint: text.rotateHint })}
            <div><button type="submit" class="danger">${text.rotate}</button></div>`,
        ),
      )}
      ${onOff({ enabled, at, token }, text.offHint, words)}`,
    remove: { action: at('remove'), what: plainText(hostOf(webhook), 40), hint: text.removeHint },
  };
}
