import { isIP } from 'node:net';
import { z } from 'zod';
import { newUid } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { overlaps, rotation } from '../integrations/integration-pages.ts';
import { copyable, displayText, plainText } from '../kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, onOff, readForm } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { table } from '../kit/table.ts';
import { html } from '../words/html.ts';
import { formError } from '../words/words.ts';
import { reachable } from './reachable.ts';
import { deliveriesCard } from './webhook-deliveries.ts';
import { webhookSecret } from './webhook-message.ts';
import type { WebhookStore } from './webhook-rows.ts';
import { type Webhook, type WebhookChange, webhookEvents } from './webhook-store.ts';
import type { Webhooks } from './webhooks.ts';

const home = '/integrations/webhooks';
const maxWebhooks = 20;
const perPage = 50;

/** The id of a delivery; null for anything else. */
const idIn = (text: string | null) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null);
const hostOf = (webhook: Pick<Webhook, 'url'>) => new URL(webhook.url).host;

/** Webhooks: the account's own systems that get its calls. `networks`: where they may be sent besides the Internet. */
export function webhookPages(
  pages: Pages,
  store: WebhookStore,
  keys: Keys,
  networks: readonly string[],
  poke: Webhooks['poke'],
): void {
  const mayReach = reachable(networks);
  const settings = z.object({ url: urlField(mayReach) });
  const list = (request: PageRequest) => store.list(request.account.id);
  const listPageOf = async (request: PageRequest, errors?: FieldErrors) =>
    listPage(request, await list(request), errors);

  async function chosen(request: PageRequest): Promise<Webhook> {
    const found = (await list(request)).find(({ uid }) => uid === request.params.uid);
    if (found === undefined) throw new Refusal(404, (errors) => errors.noWebhook);
    return found;
  }
  function read(request: PageRequest) {
    const { form, words } = request;
    const { values, errors } = readForm(settings, request);
    const events = webhookEvents.filter((event) => form.has(event));
    if (events.length === 0) return { values: null, errors: { ...errors, events: words.formErrors.choose } };
    return errors ? { values: null, errors } : { values: { url: values.url, events }, errors: null };
  }
  async function onePage(request: PageRequest, errors?: FieldErrors): Promise<Page> {
    const webhook = await chosen(request);
    const failed = request.query.has('failed');
    const before = idIn(request.query.get('older'));
    const page = await store.page({ webhook: webhook.id, failed, before, limit: perPage });
    return webhookPage(
      request,
      webhook,
      webhookSecret(keys, webhook),
      errors,
      deliveriesCard(request, webhook, page),
    );
  }
  /** A form of a webhook's page: changes something, and shows the page again. */
  function action(
    name: string,
    change: (webhook: Webhook, request: PageRequest) => Promise<string>,
    kind: 'settings' | 'token' | 'removal' = 'settings',
  ): void {
    pages.post(`${home}/:uid/${name}`, 'administrator', async (request) => {
      const webhook = await chosen(request);
      const what = await change(webhook, request);
      await request.audit(kind, `webhook to ${hostOf(webhook)}: ${what}`);
      poke(webhook.id);
      return { redirect: kind === 'removal' ? home : `${home}/${webhook.uid}?done=${name}` };
    });
  }

  pages.get(home, 'administrator', (request) => listPageOf(request));
  pages.post(home, 'administrator', async (request) => {
    const { values, errors } = read(request);
    if (errors) return listPageOf(request, errors);
    const { account, now, words } = request;
    if ((await list(request)).length >= maxWebhooks)
      return listPageOf(request, { url: words.webhooks.most(maxWebhooks) });
    const uid = newUid();
    await store.add({ uid, account: account.id, ...values, since: now });
    await request.audit('settings', `webhook to ${hostOf(values)} added: ${values.events.join(', ')}`);
    return { redirect: `${home}/${uid}` };
  });
  pages.get(`${home}/:uid`, 'administrator', (request) => onePage(request));
  pages.post(`${home}/:uid`, 'administrator', async (request) => {
    const { values, errors } = read(request);
    if (errors) return onePage(request, errors);
    const { id, uid } = await chosen(request);
    await store.change(id, values);
    await request.audit('settings', `webhook to ${hostOf(values)}: ${values.events.join(', ')}`);
    return { redirect: `${home}/${uid}?done=saved` };
  });
  /** What would wait for ever. */
  function refuseIfOff({ enabled }: Webhook): void {
    if (!enabled) throw new Refusal(422, (errors) => errors.webhookOff);
  }
  action('test', async (webhook, { now }) => {
    refuseIfOff(webhook);
    await store.addTest(webhook.id, now);
    return 'test event';
  });
  action('again', async (webhook, { form, now }) => {
    refuseIfOff(webhook);
    const delivery = idIn(form.get('delivery'));
    if (delivery === null && form.has('delivery')) throw new Refusal(404, (errors) => errors.noEntry);
    const count = await store.sendAgain(webhook.id, delivery, now);
    return `${count} events sent again`;
  });
  action('rotate', rotateSecret, 'token');
  async function rotateSecret({ id }: Webhook, request: PageRequest): Promise<string> {
    const { values } = readForm(rotation, request);
    if (values === null) throw new Refusal(422, (errors) => errors.oldSecretDays);
    const { days } = values;
    const oldSecretUntil = days === 0 ? null : request.now + days * 86_400_000;
    const change: WebhookChange = { rotate: true, oldSecretUntil };
    await store.change(id, change);
    return `new secret, the old one signs for ${days} more days`;
  }
  action(
    'end-old',
    async ({ id }) => {
      await store.change(id, { oldSecretUntil: null });
      return 'old secret ended';
    },
    'token',
  );
  action('on', async ({ id }, { now }) => {
    await store.switchOn(id, now);
    return 'on';
  });
  action('off', async ({ id }) => {
    await store.switchOff(id, null);
    return 'off';
  });
  action(
    'remove',
    async ({ id }) => {
      await store.remove(id);
      return 'removed';
    },
    'removal',
  );
}

/** An address that requests may be sent to, as far as can be said without asking for its name. */
const urlField = (mayReach: (address: string) => boolean) =>
  z
    .string()
    .trim()
    .max(500)
    .refine((text) => {
      const { protocol = '', username, password } = URL.parse(text) ?? {};
      return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
    }, formError('webhookUrl'))
    .refine((text) => {
      const host = URL.parse(text)?.hostname.replace(/^\[|\]$/g, '') ?? '';
      return isIP(host) === 0 || mayReach(host);
    }, formError('webhookPrivate'));

function stateOf({ words, formats, now }: PageRequest, { enabled, failingSince }: Webhook) {
  if (!enabled) return html`<span class="state missed">${words.common.off}</span>`;
  if (failingSince === null) return html`<span class="state answered">${words.common.on}</span>`;
  return html`<span class="state missed">${words.webhooks.failing}</span> ${formats.moment(failingSince, now)}`;
}

function listPage(request: PageRequest, webhooks: readonly Webhook[], errors?: FieldErrors): Page {
  const { token, words } = request;
  const { webhooks: text } = words;
  return {
    title: text.title,
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/integrations">← ${words.integrations.title}</a></p>
      <h1>${text.title}</h1>
      <p>${text.hint}</p>
      ${table({
        caption: text.title,
        rows: webhooks,
        columns: [
          {
            head: text.url,
            cell: (webhook) =>
              html`<a href=${`${home}/${webhook.uid}`}>${displayText(hostOf(webhook), 60)}</a>`,
          },
          { head: text.events, cell: ({ events }) => events.map((event) => text.names[event]).join(', ') },
          { head: words.integrations.state, cell: (webhook) => stateOf(request, webhook) },
        ],
        empty: html`<p>${text.none}</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">${text.add}</h2>
        ${changeForm(
          { action: home, token, label: text.add },
          html`
          ${settingsFields(request, { url: '', events: webhookEvents }, errors)}
          <button type="submit" class="main">${words.common.add}</button>
        `,
        )}
      </section>
    `,
  };
}

function settingsFields(
  { form, words: { webhooks: text } }: PageRequest,
  stored: Pick<Webhook, 'url' | 'events'>,
  errors: FieldErrors | undefined,
) {
  const isChosen = (event: (typeof webhookEvents)[number]) =>
    errors ? form.has(event) : stored.events.includes(event);
  return html`
    ${field({ label: text.url, name: 'url', value: errors ? (form.get('url') ?? '') : stored.url, errors, required: true, maxlength: 500, autocomplete: 'off', hint: text.urlHint })}
    <fieldset><legend>${text.events}</legend>
      ${webhookEvents.map((event) => html`<label class="check"><input type="checkbox" name=${event} value="1" checked=${isChosen(event)} /> ${text.names[event]}</label>`)}
      ${errors?.events && html`<p class="error">${errors.events}</p>`}
    </fieldset>`;
}

function webhookPage(
  request: PageRequest,
  webhook: Webhook,
  secret: string,
  errors: FieldErrors | undefined,
  deliveries: ReturnType<typeof deliveriesCard>,
): Page {
  const { token, query, words, formats, now } = request;
  const { common, webhooks: text } = words;
  const { enabled, failure, oldSecretUntil: until } = webhook;
  const at = (what: string) => `${home}/${webhook.uid}/${what}`;
  const done = {
    saved: common.saved,
    test: text.tested,
    again: text.queuedAgain,
    rotate: text.newSecret,
    'end-old': text.oldSecretEnded,
    on: text.switchedOn,
  }[query.get('done') ?? ''];
  return {
    title: text.oneTitle(plainText(hostOf(webhook), 60)),
    scripts: ['copy-button.js'],
    ...(errors && { status: 422 }),
    body: html`
      <p><a href=${home}>← ${text.title}</a></p>
      <h1>${displayText(hostOf(webhook), 60)}</h1>
      ${done !== undefined && notice(done)}
      <p>${words.integrations.state}: ${stateOf(request, webhook)}</p>
      ${!enabled && notice(failure === null ? text.isOff : text.failures[failure], 'bad')}
      ${deliveries}
      <section class="card" aria-labelledby="secret-title">
        <h2 id="secret-title">${text.secret}</h2>
        ${copyable(words, 'secret', text.secret, secret)}
        <p>${text.secretHint()}</p>
        ${
          until !== null &&
          until > now &&
          html`<p>${text.oldSecret(formats.dateTime(until))}</p>
            <p>${button({ action: at('end-old'), token, danger: true }, text.endOldSecret)}</p>`
        }
        <details>
          <summary>${text.rotate}</summary>
          ${changeForm(
            { action: at('rotate'), token, label: text.rotate },
            html`
            ${choice({ label: text.oldSecretLabel, name: 'days', value: '1', options: overlaps.map((days) => [String(days), words.integrations.overlap(days)]), hint: text.rotateHint })}
            <button type="submit" class="danger">${text.rotate}</button>
          `,
          )}
        </details>
      </section>
      <section class="card" aria-labelledby="change">
        <h2 id="change">${words.integrations.settings}</h2>
        ${changeForm(
          { action: `${home}/${webhook.uid}`, token, label: words.integrations.settings },
          html`
          ${settingsFields(request, webhook, errors)}
          <button type="submit">${common.save}</button>
        `,
        )}
        ${onOff({ enabled, at, token }, text.offHint, words)}
        <details><summary>${common.remove}</summary>
          <p>${text.removeHint}</p>
          ${button({ action: at('remove'), token, danger: true }, common.remove)}
        </details>
      </section>
    `,
  };
}
