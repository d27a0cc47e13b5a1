import { z } from 'zod';
import { name } from '../accounts/administration.ts';
import { newUid } from '../accounts/setup.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { Integration } from '../store/directory-store.ts';
import type { IntegrationUse } from '../store/request-store.ts';
import { copyable } from './kit/copy.ts';
import { button, changeForm, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { html } from './kit/html.ts';
import { plain, shown } from './kit/shown.ts';
import { table } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const named = z.object({ name });

/** Integrations: the phone systems and programs that tell calls, each with a token of its own. */
export function integrationPages(pages: Pages, { store, directory, keys, clock }: ServiceContext): void {
  async function usesOf({ account, formats, now }: Visit): Promise<Map<number, IntegrationUse>> {
    const uses = await store.requests.use(account.id, formats.startOfDay(now));
    return new Map(uses.map((use) => [use.integration, use]));
  }
  function chosen({ account, params }: Visit): Integration {
    const found = directory.integrations(account.id).find(({ uid }) => uid === params.uid);
    if (found === undefined) throw new Refusal(404, 'There is no such integration.');
    return found;
  }
  async function change(
    visit: Visit,
    what: Parameters<typeof store.directory.changeIntegration>[1],
    done: string,
  ) {
    const { id, uid } = chosen(visit);
    await store.directory.changeIntegration(id, what);
    await directory.refresh();
    return { redirect: `/integrations/${uid}?done=${done}` };
  }
  const onePage = async (visit: Visit, errors?: FieldErrors) => {
    const integration = chosen(visit);
    const use = (await usesOf(visit)).get(integration.id);
    return integrationPage(visit, { integration, use, token: keys.integrationToken(integration), errors });
  };

  pages.get('/integrations', 'administrator', async (visit) =>
    listPage(visit, directory.integrations(visit.account.id), await usesOf(visit)),
  );
  pages.post('/integrations', 'administrator', async (visit) => {
    const { values, errors } = readForm(named, visit.form);
    if (errors) return listPage(visit, directory.integrations(visit.account.id), await usesOf(visit), errors);
    const { uid } = await store.directory.addIntegration({
      uid: newUid(),
      account: visit.account.id,
      name: values.name,
      createdAt: clock(),
    });
    await directory.refresh();
    return { redirect: `/integrations/${uid}` };
  });
  pages.get('/integrations/:uid', 'administrator', (visit) => onePage(visit));
  pages.post('/integrations/:uid/name', 'administrator', (visit) => {
    const { values, errors } = readForm(named, visit.form);
    return errors ? onePage(visit, errors) : change(visit, { name: values.name }, 'name');
  });
  pages.post('/integrations/:uid/rotate', 'administrator', (visit) =>
    change(visit, { rotate: true }, 'rotate'),
  );
  pages.post('/integrations/:uid/on', 'administrator', (visit) => change(visit, { enabled: true }, 'on'));
  pages.post('/integrations/:uid/off', 'administrator', (visit) => change(visit, { enabled: false }, 'off'));
}

const state = (enabled: boolean) =>
  enabled ? html`<span class="state answered">on</span>` : html`<span class="state missed">off</span>`;

function listPage(
  visit: Visit,
  integrations: readonly Integration[],
  uses: ReadonlyMap<number, IntegrationUse>,
  errors?: FieldErrors,
): Page {
  const { token, formats, now, form } = visit;
  return {
    title: 'Integrations',
    ...(errors && { status: 422 }),
    body: html`
      <h1>Integrations</h1>
      <p>A phone system, or a program, that tells its calls or asks for priorities. Open one for its token and the lines that the phone system needs.</p>
      ${table({
        caption: 'Integrations',
        rows: integrations,
        columns: [
          {
            head: 'Name',
            cell: ({ uid, name: of }) => html`<a href=${`/integrations/${uid}`}>${shown(of)}</a>`,
          },
          { head: 'State', cell: ({ enabled }) => state(enabled) },
          { head: 'Last used', cell: ({ id }) => lastUse(visit, uses.get(id)) },
          { head: 'Requests today', numeric: true, cell: ({ id }) => uses.get(id)?.requests ?? 0 },
          { head: 'Added', wide: true, cell: ({ createdAt }) => formats.moment(createdAt, now) },
        ],
        empty: html`<p>There is none yet. Add one for each phone system.</p>`,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add an integration</h2>
        ${changeForm(
          { action: '/integrations', token, label: 'Add an integration' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80, hint: 'Such as the place of the phone system.' })}
            <button type="submit" class="main">Add</button>
          `,
        )}
      </section>
    `,
  };
}

function lastUse({ formats, now }: Visit, use: IntegrationUse | undefined) {
  return use === undefined ? html`<span class="quiet">never</span>` : formats.moment(use.lastAt, now);
}

const dones: Record<string, string> = {
  name: 'The name is changed.',
  rotate: 'This is the new token. The old one opens nothing any more.',
  on: 'Its token is let in again.',
  off: 'Its token is refused from now on.',
};

function integrationPage(
  visit: Visit,
  {
    integration,
    use,
    token: secret,
    errors,
  }: {
    integration: Integration;
    use: IntegrationUse | undefined;
    token: string;
    errors: FieldErrors | undefined;
  },
): Page {
  const { token, origin, form, query } = visit;
  const { uid, name: of, enabled } = integration;
  const base = `${origin}/api/v1`;
  const at = (what: string) => `/integrations/${uid}/${what}`;
  const done = dones[query.get('done') ?? ''];
  return {
    title: `Integration ${plain(of, 60)}`,
    scripts: ['copy.js'],
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/integrations">← Integrations</a></p>
      <h1>${shown(of)}</h1>
      ${done !== undefined && notice(done)}
      <dl class="facts">
        <div><dt>State</dt><dd>${state(enabled)}</dd></div>
        <div><dt>Last used</dt><dd>${lastUse(visit, use)}</dd></div>
        <div><dt>Requests today</dt><dd>${use?.requests ?? 0}</dd></div>
      </dl>
      ${!enabled && notice('It is switched off: its token is refused.', 'bad')}

      <section class="card" aria-labelledby="connect">
        <h2 id="connect">Connect the phone system</h2>
        ${copyable('token', 'The token', secret)}
        ${copyable('bridge', 'An Asterisk phone system: two lines for the .env of pbx-bridge', `API_BASE_URL=${base}\nAPI_TOKEN=${secret}`)}
        ${copyable('curl', 'A program: a first call by hand', curl(base, secret))}
        ${copyable('url', 'A phone system that can only open an address, with the token in an Authorization header', urlLine(base, secret))}
        <p>Each call is told as <code>ringing</code>, <code>answered</code> and <code>completed</code>, with the same id. Everything that the interface takes is in <a href="/openapi.json">its description</a>; what was received is under <a href="/history">History</a>.</p>
      </section>

      <section class="card" aria-labelledby="change">
        <h2 id="change">Change it</h2>
        ${changeForm(
          { action: at('name'), token, label: 'Name' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? of, errors, required: true, maxlength: 80 })}
            <button type="submit">Save the name</button>
          `,
        )}
        <details>
          <summary>Make a new token</summary>
          <p>The old one is refused at once: the phone system tells nothing until it has the new one. pbx-bridge keeps its events until then.</p>
          ${button({ action: at('rotate'), token, danger: true }, 'Make a new token')}
        </details>
        ${
          enabled
            ? html`<details><summary>Switch it off</summary>
                <p>Its token is refused until it is switched on again.</p>
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
