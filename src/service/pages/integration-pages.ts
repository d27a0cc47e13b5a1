import { z } from 'zod';
import { integrationChange, name, newToken, oldTokenDays } from '../accounts/administration.ts';
import { newUid } from '../accounts/setup.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { Integration, IntegrationChange, OldTokenUse } from '../store/directory-store.ts';
import type { IntegrationUse } from '../store/request-store.ts';
import { copyable } from './kit/copyable.ts';
import { displayText, plainText } from './kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';

const integrationName = z.object({ name });
const rotation = z.object({ days: oldTokenDays.default(0) });

/** Integrations: the phone systems and programs that report calls, each with its own token. */
export function integrationPages(pages: Pages, { store, directory, keys, clock }: ServiceContext): void {
  async function usesOf({ account, formats, now }: PageRequest): Promise<Map<number, IntegrationUse>> {
    const uses = await store.requests.use(account.id, formats.startOfDay(now));
    return new Map(uses.map((use) => [use.integration, use]));
  }
  function chosen({ account, params }: PageRequest): Integration {
    const found = directory.integrations(account.id).find(({ uid }) => uid === params.uid);
    if (found === undefined) throw new Refusal(404, (errors) => errors.noIntegration);
    return found;
  }
  async function change(request: PageRequest, what: IntegrationChange, done: string) {
    const { id, uid, name } = chosen(request);
    await store.directory.changeIntegration(id, what);
    await directory.refresh();
    await request.audit(
      what.oldTokenUntil !== undefined ? 'token' : 'settings',
      integrationChange(name, what),
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
        : { until, uses: await store.directory.oldTokenUses(integration) };
    const token = keys.integrationToken(integration);
    return integrationPage(request, { integration, use, token, oldToken, errors });
  };

  pages.get('/integrations', 'administrator', async (request) =>
    listPage(request, directory.integrations(request.account.id), await usesOf(request)),
  );
  pages.post('/integrations', 'administrator', async (request) => {
    const { values, errors } = readForm(integrationName, request);
    if (errors)
      return listPage(request, directory.integrations(request.account.id), await usesOf(request), errors);
    const { uid } = await store.directory.addIntegration({
      uid: newUid(),
      account: request.account.id,
      name: values.name,
      createdAt: clock(),
    });
    await directory.refresh();
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
const overlaps = [
  ['0', 'stops working at once'],
  ['1', 'works for 1 day more'],
  ['2', 'works for 2 days more'],
  ['3', 'works for 3 days more'],
  ['7', 'works for 7 days more'],
] as const;

const state = (enabled: boolean) =>
  enabled ? html`<span class="state answered">on</span>` : html`<span class="state missed">off</span>`;

function listPage(
  request: PageRequest,
  integrations: readonly Integration[],
  uses: ReadonlyMap<number, IntegrationUse>,
  errors?: FieldErrors,
): Page {
  const { token, formats, now, form } = request;
  return {
    title: 'Integrations',
    ...(errors && { status: 422 }),
    body: html`
      <h1>Integrations</h1>
      <p>A phone system or program that reports calls or looks up priorities. Open one to see its token and how to connect it.</p>
      ${table({
        caption: 'Integrations',
        rows: integrations,
        columns: [
          {
            head: 'Name',
            cell: ({ uid, name: of }) => html`<a href=${`/integrations/${uid}`}>${displayText(of)}</a>`,
          },
          { head: 'State', cell: ({ enabled }) => state(enabled) },
          { head: 'Last used', cell: ({ id }) => lastUse(request, uses.get(id)) },
          { head: 'Requests today', numeric: true, cell: ({ id }) => uses.get(id)?.requests ?? 0 },
          { head: 'Added', wide: true, cell: ({ createdAt }) => formats.moment(createdAt, now) },
        ],
        empty: html`<p>No integrations yet. Add one for each phone system.</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add integration</h2>
        ${changeForm(
          { action: '/integrations', token, label: 'Add integration' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80, hint: 'For example, where the phone system is.' })}
            <button type="submit" class="main">Add</button>
          `,
        )}
      </section>
    `,
  };
}

function lastUse({ formats, now }: PageRequest, use: IntegrationUse | undefined) {
  return use === undefined ? html`<span class="quiet">never</span>` : formats.moment(use.lastAt, now);
}

const doneNotices: Record<string, string> = {
  name: 'Name changed.',
  rotate: 'This is the new token. The old one no longer works.',
  'rotate-later': 'This is the new token. The old one still works for the time that you chose.',
  'end-old': 'The old token no longer works.',
  on: 'Switched on: its token is accepted again.',
};

function integrationPage(
  request: PageRequest,
  {
    integration,
    use,
    token: secret,
    oldToken,
    errors,
  }: {
    integration: Integration;
    use: IntegrationUse | undefined;
    token: string;
    /** The token before, while it is still accepted. */
    oldToken: { readonly until: number; readonly uses: readonly OldTokenUse[] } | null;
    errors: FieldErrors | undefined;
  },
): Page {
  const { token, origin, form, query, formats, now } = request;
  const { uid, name: of, enabled } = integration;
  const base = `${origin}/api/v1`;
  const at = (what: string) => `/integrations/${uid}/${what}`;
  const done = doneNotices[query.get('done') ?? ''];
  return {
    title: `Integration ${plainText(of, 60)}`,
    scripts: ['copy-button.js'],
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/integrations">← Integrations</a></p>
      <h1>${displayText(of)}</h1>
      ${done !== undefined && notice(done)}
      <dl class="facts">
        <div><dt>State</dt><dd>${state(enabled)}</dd></div>
        <div><dt>Last used</dt><dd>${lastUse(request, use)}</dd></div>
        <div><dt>Requests today</dt><dd>${use?.requests ?? 0}</dd></div>
      </dl>
      ${!enabled && notice('Switched off: requests with its token are refused.', 'bad')}

      ${
        oldToken &&
        html`<section class="card" aria-labelledby="old">
          <h2 id="old">Old token</h2>
          <p>The old token still works until ${formats.dateTime(oldToken.until)}. End it when nobody uses it any more.</p>
          ${table({
            caption: 'Uses of the old token',
            rows: oldToken.uses,
            columns: [
              { head: 'Used from', cell: ({ address }) => displayText(address) },
              { head: 'Last used', cell: ({ lastAt }) => formats.moment(lastAt, now) },
            ],
            empty: html`<p>Not used since the new token was created.</p>`,
          })}
          <p>${button({ action: at('end-old'), token, danger: true }, 'End the old token now')}</p>
        </section>`
      }

      <section class="card" aria-labelledby="connect">
        <h2 id="connect">Connect the phone system</h2>
        ${copyable(request.words, 'token', 'Token', secret)}
        ${copyable(request.words, 'bridge', 'For an Asterisk phone system: two lines for the .env file of pbx-bridge', `API_BASE_URL=${base}\nAPI_TOKEN=${secret}`)}
        ${copyable(request.words, 'curl', 'For a program: a test call', curl(base, secret))}
        ${copyable(request.words, 'url', 'For a phone system that can only request a URL: send the token in an Authorization header', urlLine(base, secret))}
        <p>Report each call as <code>ringing</code>, <code>answered</code> and <code>completed</code>, with the same id. The whole API is described in its <a href="/openapi.json">OpenAPI document</a>; requests and responses are in the <a href="/api-log">API log</a>.</p>
      </section>

      <section class="card" aria-labelledby="change">
        <h2 id="change">Settings</h2>
        ${changeForm(
          { action: at('name'), token, label: 'Name' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? of, errors, required: true, maxlength: 80 })}
            <button type="submit">Save name</button>
          `,
        )}
        <details>
          <summary>Create a new token</summary>
          ${
            oldToken &&
            html`<p>The old token that works until ${formats.dateTime(oldToken.until)} ends when you create another one.</p>`
          }
          ${changeForm(
            { action: at('rotate'), token, label: 'Create a new token' },
            html`
              ${choice({ label: 'The old token', name: 'days', value: '1', errors, options: overlaps, hint: 'While both work, give the phone system the new token. Without an overlap it cannot report calls until it has the new one; pbx-bridge keeps its events until then.' })}
              <button type="submit" class="danger">Create a new token</button>
            `,
          )}
        </details>
        ${
          enabled
            ? html`<details><summary>Switch off</summary>
                <p>Requests with its token are refused until you switch it on again.</p>
                ${button({ action: at('off'), token, danger: true }, 'Switch off')}
              </details>`
            : html`<p>${button({ action: at('on'), token }, 'Switch on')}</p>`
        }
      </section>
    `,
  };
}

const curl = (base: string, token: string) => `curl ${base}/voice/call \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Accept: application/json' -H 'Content-Type: application/json' \\
  -d '{"id":"test-1","direction":"inbound","status":"ringing","from":"+4930901820"}'`;

const urlLine = (base: string, token: string) =>
  `GET ${base}/voice/call?id=test-1&direction=inbound&status=ringing&from=%2B4930901820\nAuthorization: Bearer ${token}`;
