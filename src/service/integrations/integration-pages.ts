import { z } from 'zod';
import { newUid, type Refused, type ServiceDirectory } from '../accounts/directory.ts';
import type { Integration, IntegrationChange, OldTokenUse } from '../accounts/directory-store.ts';
import type { Keys } from '../accounts/keys.ts';
import type { IntegrationUse, RequestStore } from '../history/request-store.ts';
import { name } from '../kit/administration.ts';
import { copyable, displayText, plainText } from '../kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, onOff, readForm } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { table } from '../kit/table.ts';
import { html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { bridgeHealthCard } from './bridge-health.ts';
import { testCall } from './instructions.ts';
import { integrationChangeText, newToken, oldTokenDays } from './integration-change.ts';
import { bridgeLines } from './start-page.ts';

const integrationName = z.object({ name });
/** How long the token or secret before still counts. */
export const rotation = z.object({ days: oldTokenDays.default(0) });

/** Integrations: the phone systems and programs that report calls, each with its own token. */
export function integrationPages(
  pages: Pages,
  requests: RequestStore,
  directory: ServiceDirectory,
  keys: Keys,
): void {
  async function usesOf({ account, formats, now }: PageRequest): Promise<Map<number, IntegrationUse>> {
    const uses = await requests.use(account.id, formats.startOfDay(now));
    return new Map(uses.map((use) => [use.integration, use]));
  }
  function chosen({ account, params }: PageRequest): Integration {
    const found = directory.integrations(account.id).find(({ uid }) => uid === params.uid);
    if (found === undefined) throw new Refusal(404, (errors) => errors.noIntegration);
    return found;
  }
  async function change(request: PageRequest, what: IntegrationChange, done: string) {
    const { id, uid, name } = chosen(request);
    await directory.changeIntegration(id, what);
    await request.audit(
      what.oldTokenUntil !== undefined ? 'token' : 'settings',
      integrationChangeText(name, what),
    );
    return { redirect: `/integrations/${uid}?done=${done}` };
  }
  const onePage = async (request: PageRequest, errors?: FieldErrors) => {
    const integration = chosen(request);
    const use = (await usesOf(request)).get(integration.id);
    const { oldTokenUntil: until } = integration;
    const oldToken =
      until === null || until <= request.now
        ? null
        : { until, uses: await directory.oldTokenUses(integration) };
    const token = keys.integrationToken(integration);
    const refused = directory.refused(integration.id);
    const health = await directory.bridgeReport(integration.id);
    return integrationPage(request, { integration, use, token, oldToken, errors, refused, health });
  };

  pages.get('/integrations', 'administrator', async (request) =>
    listPage(request, directory.integrations(request.account.id), await usesOf(request)),
  );
  pages.post('/integrations', 'administrator', async (request) => {
    const { values, errors } = readForm(integrationName, request);
    if (errors)
      return listPage(request, directory.integrations(request.account.id), await usesOf(request), errors);
    const { uid } = await directory.addIntegration({
      uid: newUid(),
      account: request.account.id,
      name: values.name,
      createdAt: request.now,
    });
    await request.audit('token', `integration ${values.name} added`);
    return { redirect: `/integrations/${uid}` };
  });
  pages.get('/integrations/:uid', 'administrator', (request) => onePage(request));
  pages.post('/integrations/:uid/name', 'administrator', (request) => {
    const { values, errors } = readForm(integrationName, request);
    return errors ? onePage(request, errors) : change(request, { name: values.name }, 'name');
  });
  pages.post('/integrations/:uid/rotate', 'administrator', (request) => {
    const { values, errors } = readForm(rotation, request);
    if (errors) return onePage(request, errors);
    return change(request, newToken(values.days, request.now), values.days === 0 ? 'rotate' : 'rotate-later');
  });
  pages.post('/integrations/:uid/end-old', 'administrator', (request) =>
    change(request, { oldTokenUntil: null }, 'end-old'),
  );
  pages.post('/integrations/:uid/on', 'administrator', (request) => change(request, { enabled: true }, 'on'));
  pages.post('/integrations/:uid/off', 'administrator', (request) =>
    change(request, { enabled: false }, 'off'),
  );
}

/** How long the old token works, in days. */
export const overlaps = [0, 1, 2, 3, 7];

const state = ({ common }: Words, enabled: boolean) =>
  enabled
    ? html`<span class="state answered">${common.on}</span>`
    : html`<span class="state missed">${common.off}</span>`;

function listPage(
  request: PageRequest,
  integrations: readonly Integration[],
  uses: ReadonlyMap<number, IntegrationUse>,
  errors?: FieldErrors,
): Page {
  const { token, formats, now, form, words } = request;
  const { common, integrations: text } = words;
  return {
    title: text.title,
    ...(errors && { status: 422 }),
    body: html`
      <h1>${text.title}</h1>
      <p>${text.hint} <a href="/start">${words.start.title}</a></p>
      <p><a href="/integrations/webhooks">${words.webhooks.title}</a>: ${words.webhooks.hint}</p>
      ${table({
        caption: text.title,
        rows: integrations,
        columns: [
          {
            head: common.name,
            cell: ({ uid, name }) => html`<a href=${`/integrations/${uid}`}>${displayText(name)}</a>`,
          },
          { head: text.state, cell: ({ enabled }) => state(words, enabled) },
          { head: text.lastUsed, cell: ({ id }) => lastUse(request, uses.get(id)) },
          {
            head: text.requestsToday,
            numeric: true,
            wide: true,
            cell: ({ id }) => uses.get(id)?.requests ?? 0,
          },
          { head: common.added, wide: true, cell: ({ createdAt }) => formats.moment(createdAt, now) },
        ],
        empty: html`<p>${text.none}</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">${text.add}</h2>
        ${changeForm(
          { action: '/integrations', token, label: text.add },
          html`
            ${field({ label: common.name, name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80, hint: text.nameHint })}
            <button type="submit" class="main">${common.add}</button>
          `,
        )}
      </section>
    `,
  };
}

function lastUse({ formats, now, words }: PageRequest, use: IntegrationUse | undefined) {
  return use === undefined
    ? html`<span class="quiet">${words.integrations.never}</span>`
    : formats.moment(use.lastAt, now);
}

function integrationPage(
  request: PageRequest,
  {
    integration,
    use,
    token: secret,
    oldToken,
    errors,
    refused,
    health,
  }: {
    integration: Integration;
    refused: Refused | undefined;
    health: { readonly reportedAt: number; readonly report: string } | undefined;
    use: IntegrationUse | undefined;
    token: string;
    /** The token before, while it is still accepted. */
    oldToken: { readonly until: number; readonly uses: readonly OldTokenUse[] } | null;
    errors: FieldErrors | undefined;
  },
): Page {
  const { token, origin, form, query, words, formats, now } = request;
  const { common, integrations: text } = words;
  const { uid, name, enabled } = integration;
  const at = (what: string) => `/integrations/${uid}/${what}`;
  const done = {
    name: text.renamed,
    rotate: text.newToken,
    'rotate-later': text.newTokenLater,
    'end-old': text.oldTokenEnded,
    on: text.switchedOn,
  }[query.get('done') ?? ''];
  return {
    title: text.oneTitle(plainText(name, 60)),
    scripts: ['copy-button.js', 'live-parts.js'],
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/integrations">← ${text.title}</a></p>
      <h1>${displayText(name)}</h1>
      ${done !== undefined && notice(done)}
      <div id="use" data-live>
        <dl class="facts">
          <div><dt>${text.state}</dt><dd>${state(words, enabled)}</dd></div>
          <div><dt>${text.lastUsed}</dt><dd>${lastUse(request, use)}</dd></div>
          <div><dt>${text.requestsToday}</dt><dd>${use?.requests ?? 0}</dd></div>
          ${refused && html`<div><dt>${text.refused}</dt><dd>${text.refusedTimes(refused.count)}</dd></div>`}
        </dl>
        ${refused && notice(html`${text.refusedLast(refused.address)} ${formats.moment(refused.at, now, 'seconds')}`, 'bad')}
        ${!enabled && notice(text.isOff, 'bad')}
        ${health && bridgeHealthCard(request, health)}
      </div>

      ${
        oldToken &&
        html`<section class="card" aria-labelledby="old">
          <h2 id="old">${text.oldToken}</h2>
          <p>${text.oldTokenUntil(formats.dateTime(oldToken.until))}</p>
          ${table({
            caption: text.oldTokenUses,
            rows: oldToken.uses,
            columns: [
              { head: text.usedFrom, cell: ({ address }) => displayText(address) },
              { head: text.lastUsed, cell: ({ lastAt }) => formats.moment(lastAt, now) },
            ],
            empty: html`<p>${text.oldTokenUnused}</p>`,
          })}
          <p>${button({ action: at('end-old'), token, danger: true }, text.endOldToken)}</p>
        </section>`
      }

      <section class="card" aria-labelledby="connect">
        <h2 id="connect">${text.connect}</h2>
        ${copyable(request.words, 'token', text.token, secret)}
        ${copyable(request.words, 'bridge', text.forBridge, bridgeLines(origin, secret))}
        ${copyable(request.words, 'curl', text.testCall, testCall(origin, secret))}
        ${copyable(request.words, 'url', text.urlOnly, urlLine(origin, secret))}
        <p>${text.howTo()}</p>
      </section>

      <section class="card" aria-labelledby="change">
        <h2 id="change">${text.settings}</h2>
        ${changeForm(
          { action: at('name'), token, label: common.name },
          html`
            ${field({ label: common.name, name: 'name', value: form.get('name') ?? name, errors, required: true, maxlength: 80 })}
            <button type="submit">${text.saveName}</button>
          `,
        )}
        <details>
          <summary>${text.rotate}</summary>
          ${oldToken && html`<p>${text.oldTokenEnds(formats.dateTime(oldToken.until))}</p>`}
          ${changeForm(
            { action: at('rotate'), token, label: text.rotate },
            html`
              ${choice({ label: text.oldTokenLabel, name: 'days', value: '1', errors, options: overlaps.map((days) => [String(days), text.overlap(days)]), hint: text.rotateHint })}
              <button type="submit" class="danger">${text.rotate}</button>
            `,
          )}
        </details>
        ${onOff({ enabled, at, token }, text.offHint, words)}
      </section>
    `,
  };
}

const urlLine = (origin: string, token: string) =>
  `GET ${origin}/api/v1/voice/call?id=test-1&direction=inbound&status=ringing&from=%2B4930901820\nAuthorization: Bearer ${token}`;
