import { z } from 'zod';
import type { Integration } from '../accounts/account.ts';
import { newUid, type Refused, type ServiceDirectory } from '../accounts/directory.ts';
import type { IntegrationChange } from '../accounts/integration-store.ts';
import type { Keys } from '../accounts/keys.ts';
import { isOldInForce } from '../accounts/limits.ts';
import type { OldTokenUse } from '../accounts/old-token-store.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import type { IntegrationUse, RequestStore } from '../history/request-store.ts';
import { name } from '../kit/administration.ts';
import { copyable, displayText } from '../kit/display-text.ts';
import {
  button,
  changeForm,
  choice,
  type FieldErrors,
  field,
  fold,
  hiddenFields,
  onOff,
  readForm,
  refusedField,
} from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { listPage } from '../kit/list-page.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { numberedPage } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import { bridgeHealth, healthItem } from './bridge-health.ts';
import { certificateItems } from './certificate.ts';
import { setupLine, testCall } from './instructions.ts';
import { integrationChangeText, newToken, oldTokenDays } from './integration-change.ts';

/** Integrations on a page of them: each is long. */
const PER_PAGE = 50;

const integrationName = z.object({ name });
/** How long the token or secret before still counts. */
export const rotation = z.object({
  days: oldTokenDays.default(0),
  /** The counter of the one that the page showed: who is late does not end the new one of somebody else. */
  replaces: z.coerce.number().int().optional(),
});

type Parts = {
  readonly store: { readonly requests: RequestStore };
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
};

const home = '/integrations';

/** Integrations: the phone systems and programs that report calls, each with its own token. */
export function integrationPages(pages: Pages, parts: Parts): void {
  pages.get(home, 'administrator', (request) => list(request, parts));
  pages.post(home, 'administrator', (request) => add(request, parts));
  pages.get(`${home}/:uid`, 'administrator', (request) => {
    chosen(request, parts);
    return list(request, parts);
  });
  pages.post(`${home}/:uid/name`, 'administrator', (request) => rename(request, parts));
  pages.post(`${home}/:uid/rotate`, 'administrator', (request) => rotate(request, parts));
  for (const [name, what] of [
    ['end-old', { oldTokenUntil: null }],
    ['on', { enabled: true }],
    ['off', { enabled: false }],
  ] as const)
    pages.post(`${home}/:uid/${name}`, 'administrator', (request) => change(request, parts, what));
}

function chosen({ account, params }: UserRequest, { directory }: Parts): Integration {
  const integration = directory.integrations(account.id).find(({ uid }) => uid === params.uid);
  if (integration === undefined) throw new Refusal(404, (errors) => errors.notThere);
  return integration;
}

async function change(request: UserRequest, parts: Parts, what: IntegrationChange) {
  const { id, uid, name } = chosen(request, parts);
  await parts.directory.changeIntegration(id, what);
  await request.audit(
    what.oldTokenUntil !== undefined ? 'token' : 'settings',
    integrationChangeText(name, what),
  );
  return { redirect: `${home}/${uid}?done` };
}

async function list(request: UserRequest, parts: Parts, errors?: FieldErrors): Promise<Page> {
  const { account, words, form, params } = request;
  const { common, integrations: text } = words;
  const all = parts.directory.integrations(account.id);
  const chosenAt = all.findIndex(({ uid }) => uid === params.uid);
  const { skipped, links } = numberedPage(request, home, 'page', PER_PAGE, chosenAt);
  const systems = await systemsOf(all.slice(skipped, skipped + PER_PAGE), all.length === 1, request, parts);
  return listPage(request, {
    path: home,
    errors,
    scripts: ['live'],
    add: () =>
      field({
        label: common.name,
        name: 'name',
        value: form.get('name') ?? '',
        errors,
        required: true,
        maxlength: 80,
        autofocus: true,
      }),
    list:
      all.length === 0
        ? html`<p class="empty">${icon('plug')}${text.none}</p>`
        : html`${systems.map((system) => systemCard(request, system, errors))}${links(skipped + PER_PAGE < all.length)}`,
  });
}

/** What is known of these integrations. */
async function systemsOf(
  integrations: readonly Integration[],
  alone: boolean,
  { account, formats, now }: UserRequest,
  { store, directory, keys }: Parts,
): Promise<System[]> {
  const uses = await store.requests.use(account.id, formats.startOfDay(now));
  return Promise.all(
    integrations.map(async (integration): Promise<System> => {
      const { id, oldTokenUntil: until } = integration;
      const isOld = isOldInForce(until, now);
      return {
        integration,
        use: uses.find((use) => use.integration === id),
        token: keys.integrationToken(integration),
        oldToken: isOld ? { until, uses: await directory.oldTokenUses(integration) } : null,
        refused: directory.refused(id),
        health: await directory.bridgeReport(id),
        certificate: await directory.certificate(id),
        alone,
      };
    }),
  );
}

async function add(request: UserRequest, parts: Parts): Promise<Answer> {
  const { values, errors } = readForm(integrationName, request);
  if (errors) return list(request, parts, errors);
  const uid = newUid();
  const added = { uid, account: request.account.id, name: values.name, createdAt: request.now };
  const refused = await refusedField('name', request, parts.directory.addIntegration(added));
  if (refused) return list(request, parts, refused);
  await request.audit('token', `integration ${values.name} added`);
  return { redirect: `${home}/${uid}` };
}

async function rename(request: UserRequest, parts: Parts): Promise<Answer> {
  const { values, errors } = readForm(integrationName, request);
  if (errors) return list(request, parts, errors);
  const renamed = change(request, parts, { name: values.name });
  const refused = await refusedField('name', request, renamed);
  return refused ? list(request, parts, refused) : renamed;
}

async function rotate(request: UserRequest, parts: Parts): Promise<Answer> {
  const { values, errors } = readForm(rotation, request);
  if (errors) return list(request, parts, errors);
  const replace = async () =>
    change(request, parts, newToken(chosen(request, parts), values.days, request.now, values.replaces));
  const rotated = replace();
  const refused = await refusedField('days', request, rotated);
  return refused ? list(request, parts, refused) : rotated;
}

/** How long the old token works, in days. */
export const overlaps = [0, 1, 2, 3, 7];

type System = {
  readonly integration: Integration;
  readonly use: IntegrationUse | undefined;
  readonly token: string;
  /** The token before, while it is still accepted. */
  readonly oldToken: { readonly until: number; readonly uses: readonly OldTokenUse[] } | null;
  readonly refused: Refused | undefined;
  readonly health: { readonly reportedAt: number; readonly report: string } | undefined;
  readonly certificate: string | undefined;
  /** Whether it is the account's only one. */
  readonly alone: boolean;
};

/** A phone system or program in one line; opened, its state, its token, its test call and what changes it. */
function systemCard(request: UserRequest, system: System, errors?: FieldErrors): Html {
  const { token, origin, form, words, formats, now, params } = request;
  const { common, integrations: text } = words;
  const { integration, use, token: secret, alone } = system;
  const { uid, name, enabled } = integration;
  const at = (what: string) => `/integrations/${uid}/${what}`;
  const isChosen = uid === params.uid;
  const wrong = isChosen ? errors : undefined;
  const copy = (id: string, label: string, what: string) => copyable(words, `${id}-${uid}`, label, what);
  const mark = !enabled ? icon('x', 'is-missed') : use ? icon('check', 'is-talking') : icon('clock', 'quiet');
  const last = use ? html`${words.common.lastUsed} ${formats.moment(use.lastAt, now)}` : text.never;
  return html`<details class="card system" id=${uid} open=${isChosen || (alone && !use)}>
    <summary id=${`last-${uid}`} data-live>${mark}<b>${displayText(name, 80)}</b><span class="quiet">${enabled ? last : common.off}</span>${icon('chevron-down')}</summary>
    <ul class="health" id=${`health-${uid}`} data-live>${healthOf(request, system)}</ul>
    <div class="form">
      ${copy('token', text.token, secret)}
      <div>
        ${fold(
          text.connect,
          html`<ol class="steps"><li>${copy('bridge', text.forBridge, setupLine(origin, secret, request.account.country))}</li><li>${text.waiting}</li></ol>`,
          null,
          !use,
        )}
        ${fold(
          text.testCall,
          html`${copy('curl', text.testCallHint, testCall(origin, secret))}
            ${copy('url', text.urlOnly, urlLine(origin, secret))}
            <p><a href="/openapi.json">OpenAPI</a>, <a href="/api-log">${words.settings.apiLog}</a></p>`,
        )}
        ${fold(
          text.rotate,
          changeForm(
            { action: at('rotate'), token, is: 'form', label: `${text.rotate}: ${name}` },
            html`${hiddenFields({ replaces: String(integration.tokenCounter) })}${choice({ id: `days-${uid}`, label: text.oldTokenLabel, name: 'days', value: '1', errors: wrong, options: overlaps.map((days) => [String(days), text.overlap(days)]), hint: text.rotateHint })}
              <div><button type="submit" class="danger">${text.rotate}</button></div>`,
          ),
          null,
          wrong?.days !== undefined,
        )}
        ${fold(
          text.rename,
          changeForm(
            { action: at('name'), token, is: 'form', label: `${text.rename}: ${name}` },
            html`${field({ id: `name-${uid}`, label: common.name, name: 'name', value: (isChosen && form.get('name')) || name, errors: wrong, required: true, maxlength: 80 })}
              <div><button type="submit">${common.save}</button></div>`,
          ),
          null,
          wrong?.name !== undefined,
        )}
        ${onOff({ enabled, at, token }, text.offHint, words)}
      </div>
    </div>
  </details>`;
}

function healthOf(
  request: UserRequest,
  { integration, use, oldToken, refused, health, certificate }: System,
): Html {
  const { token, formats, now, words } = request;
  const { integrations: text } = words;
  return html`
    ${use && healthItem(integration.enabled, text.requestsToday, formats.number(use.requests))}
    ${!integration.enabled && healthItem(false, text.isOff)}
    ${refused && healthItem(false, text.refused(refused.count, refused.address), formats.moment(refused.at, now, 'seconds'))}
    ${health && bridgeHealth(request, health)}
    ${certificate && certificateItems(request, certificate)}
    ${
      oldToken &&
      html`<li>${icon('clock')}${text.oldTokenUntil(formats.dateTime(oldToken.until))}
        <span class="quiet">${oldToken.uses.length === 0 ? text.oldTokenUnused : oldToken.uses.map(({ address, lastAt }) => html`${displayText(address)} ${formats.moment(lastAt, now)} `)}</span>
        ${button({ action: `/integrations/${integration.uid}/end-old`, token, danger: true }, text.endOldToken)}</li>`
    }`;
}

const urlLine = (origin: string, token: string) =>
  `GET ${origin}/api/v1/voice/call?id=test-1&direction=inbound&status=ringing&from=%2B4930901820\nAuthorization: Bearer ${token}`;
