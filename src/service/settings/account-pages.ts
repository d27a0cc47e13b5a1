import { z } from 'zod';
import { isCrmTemplate } from '../accounts/crm-link.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { LEAST_KEPT_DAYS, mostKeptDays } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { browserName } from '../kit/browser-name.ts';
import type { Budgets } from '../kit/budget.ts';
import { displayText } from '../kit/display-text.ts';
import {
  asRead,
  button,
  changedFields,
  changeForm,
  type FieldErrors,
  field,
  notice,
  readForm,
} from '../kit/form.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { numberedPage, table } from '../kit/table.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import type { Passwords } from '../users/password.ts';
import type { Sessions } from '../users/sessions.ts';
import type { UserStore } from '../users/user-store.ts';
import { newPassword } from '../users/users.ts';
import { type Html, html } from '../words/html.ts';
import { formError } from '../words/words.ts';
import { languageField, languageSchema, placeFields, placeSchema } from './account-fields.ts';
import { changeAccount } from './change-account.ts';

const passwordChange = z.object({ current: z.string(), password: newPassword });
const settings = (mostDays: number) =>
  z.object({
    ...placeSchema,
    within: z
      .string()
      .refine(
        (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 600,
        formError('seconds'),
      )
      .transform(Number),
    crm: z
      .string()
      .trim()
      .max(500)
      .refine((template) => template === '' || isCrmTemplate(template), formError('crmTemplate'))
      .transform((template) => template || null),
    kept_days: z
      .string()
      .trim()
      .default('')
      .refine(
        (days) =>
          days === '' ||
          (/^\d{1,4}$/.test(days) && Number(days) >= LEAST_KEPT_DAYS && Number(days) <= mostDays),
        { params: { key: 'keptDays', value: mostDays } },
      )
      .transform((days) => (days === '' ? null : Number(days))),
    agents_delete: z.string().optional(),
  });

export type AccountParts = {
  readonly store: { readonly users: UserStore; readonly customers: CustomerStore };
  readonly directory: ServiceDirectory;
  readonly callsKeptMs: number | undefined;
  readonly sessions: Sessions;
  readonly access: { readonly passwords: Passwords };
  readonly budgets: Budgets;
};

/** The user's own page, with the account's settings for administrators. */
export function accountPages(pages: Pages, parts: AccountParts): void {
  pages.get('/account', 'agent', (request) => ownPage(request, parts));
  pages.get('/security', 'agent', (request) => security(request, parts));
  pages.post('/account/password', 'agent', (request) => changePassword(request, parts));
  pages.post('/account/language', 'agent', (request) => changeLanguage(request, parts));
  pages.post('/account/sessions/end', 'agent', (request) => endSession(request, parts));
  pages.post('/account/sign-out-everywhere', 'agent', (request) => signOutEverywhere(request, parts));
  pages.post('/account/settings', 'administrator', (request) => changeSettings(request, parts), {
    turn: 'long',
  });
}

const security = async (request: UserRequest, { sessions }: AccountParts, errors?: FieldErrors) =>
  securityPage(request, await sessions.list(request.user), errors);

async function changePassword(request: UserRequest, parts: AccountParts): Promise<Answer> {
  const { values, errors } = readForm(passwordChange, request);
  if (errors) return security(request, parts, errors);
  if (!(await request.isOwnPassword(values.current)))
    return security(request, parts, { current: request.words.formErrors.wrongPassword });
  const password = await parts.access.passwords.hash(values.password, request.user.uid);
  await parts.store.users.change(request.user.id, { password }, request.session);
  await parts.sessions.closeAll(request.user, request.session);
  await request.audit('password', request.user.name);
  return { redirect: '/security?done' };
}

async function changeLanguage({ user, form }: UserRequest, { store }: AccountParts): Promise<Answer> {
  await store.users.change(user.id, { language: languageSchema.parse(form.get('language')) });
  return { redirect: '/account' };
}

async function endSession(request: UserRequest, { sessions }: AccountParts): Promise<Answer> {
  const session = (await sessions.list(request.user)).find(({ id }) => id === request.form.get('session'));
  if (session !== undefined) {
    await sessions.close(session);
    await request.audit('session', `of ${session.address}`);
  }
  return { redirect: '/security?done' };
}

async function signOutEverywhere({ user, audit }: UserRequest, { sessions }: AccountParts): Promise<Answer> {
  await sessions.closeAll(user, null);
  await audit('sign-out', 'everywhere');
  return { redirect: '/sign-in' };
}

async function changeSettings(request: UserRequest, parts: AccountParts): Promise<Answer> {
  const { values, errors } = readForm(settings(mostKeptDays(parts.callsKeptMs)), request);
  if (errors) return ownPage(request, parts, errors);
  const { country, zone, within, crm, kept_days, agents_delete } = values;
  const isChanged = changedFields(request.form, storedFields(request.account));
  const change = {
    ...(isChanged.has('country') && { country }),
    ...(isChanged.has('zone') && { timeZone: zone }),
    ...(isChanged.has('within') && { answerWithin: within }),
    ...(isChanged.has('crm') && { crmUrl: crm }),
    ...(isChanged.has('kept_days') && { numbersKeptDays: kept_days }),
    ...(isChanged.has('agents_delete') && { agentsDelete: agents_delete !== undefined }),
  };
  const { store, directory, budgets } = parts;
  const { customers } = store;
  const changed = await changeAccount({ directory, customers, budgets }, request.account, change);
  await request.audit('settings', changed);
  return { redirect: '/account?done' };
}

/** As the form shows them. */
const storedFields = ({ country, timeZone, answerWithin, crmUrl, ...account }: UserRequest['account']) => ({
  country: country ?? '',
  zone: timeZone ?? '',
  within: String(answerWithin),
  crm: crmUrl ?? '',
  kept_days: account.numbersKeptDays === null ? '' : String(account.numbersKeptDays),
  agents_delete: account.agentsDelete ? '1' : '',
});

type OwnSession = Awaited<ReturnType<Sessions['list']>>[number];

function ownPage(
  request: UserRequest,
  { callsKeptMs }: Pick<AccountParts, 'callsKeptMs'>,
  errors?: FieldErrors,
): Page {
  const { user, account, token, administrates, query, form, words } = request;
  const { common, account: text } = words;
  const stored = storedFields(account);
  const value = (name: Exclude<keyof typeof stored, 'agents_delete'>) => form.get(name) ?? stored[name];
  return {
    title: words.settings.account,
    ...(errors && { status: 422 }),
    body: html`
      <div class="head"><h1>${words.settings.account}</h1><span class="quiet">${displayText(user.name, 60)}, ${words.users.roles[user.role]}</span></div>
      ${query.has('done') && notice(common.saved)}
      ${changeForm(
        { action: '/account/language', token, is: 'card form', label: text.language },
        html`${languageField(text, user.language)}<div class="together"><button type="submit">${common.save}</button><a class="button" href="/account/calls">${words.barSettings.title}</a></div>`,
      )}
      ${
        administrates &&
        html`<h2 class="after">${text.settings}</h2>${changeForm(
          { action: '/account/settings', token, is: 'card form wide-form', label: text.settings },
          html`
            ${asRead(form, stored)}
            <div><span class="label">${text.accountName}</span> <b>${displayText(account.name, 80)}</b><p class="quiet small">${text.accountNameHint}</p></div>
            ${placeFields(words, { country: value('country'), zone: value('zone') }, errors)}
            ${field({ label: text.within, name: 'within', type: 'number', value: value('within'), errors, required: true })}
            ${field({ label: words.crm.label, name: 'crm', value: value('crm'), errors, maxlength: 500, hint: words.crm.hint })}
            ${field({ label: text.keptDays, name: 'kept_days', value: value('kept_days'), errors, type: 'number', hint: text.keptDaysHint(callsKeptMs === undefined ? null : mostKeptDays(callsKeptMs)) })}
            <label class="choice"><input type="checkbox" name="agents_delete" value="1" checked=${form.has('within') ? form.has('agents_delete') : account.agentsDelete} /> ${text.agentsDelete}</label>
            <div class="together"><button type="submit" class="primary">${common.save}</button></div>
          `,
        )}`
      }
    `,
  };
}

/** Signed-in browsers on a page. */
const SESSIONS = 50;

/** The password, the second factor and the browsers that are signed in. */
function securityPage(request: UserRequest, sessions: readonly OwnSession[], errors?: FieldErrors): Page {
  const { user, token, query, words } = request;
  const { common, account: text, settings: names } = words;
  const place = numberedPage(request, '/security', 'page', SESSIONS);
  return {
    title: names.security,
    ...(errors && { status: 422 }),
    body: html`
      <div class="head"><h1>${names.security}</h1></div>
      ${query.has('done') && notice(common.saved)}
      ${changeForm(
        { action: '/account/password', token, is: 'card form', label: text.changePassword },
        html`
          ${field({ label: text.currentPassword, name: 'current', type: 'password', errors, required: true, autocomplete: 'current-password' })}
          ${field({ label: text.newPassword, name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: words.formErrors.passwordShort })}
          <div><button type="submit">${text.changePassword}</button></div>
        `,
      )}
      <p class="after"><a href="/security/second-factor">${words.secondFactor.title}</a>: ${user.secondFactor === null ? common.off : common.on}</p>
      <section aria-labelledby="sessions">
        <h2 id="sessions" class="after">${text.sessions}</h2>
        ${sessionTable(request, sessions.slice(place.skipped, place.skipped + SESSIONS))}
        ${place.links(place.skipped + SESSIONS < sessions.length)}
        ${button({ action: '/account/sign-out-everywhere', token }, text.signOutEverywhere)}
      </section>
    `,
  };
}

function sessionTable(
  { session, token, formats, now, words: { account: text, common, layout } }: UserRequest,
  sessions: readonly OwnSession[],
): Html {
  return table({
    caption: text.browser,
    rows: sessions,
    columns: [
      { head: text.browser, cell: ({ browser }) => text.browserOn(...browserName(browser)) },
      { head: text.from, cell: ({ address }) => displayText(address, 60) },
      { head: text.signedIn, cell: ({ openedAt }) => formats.moment(openedAt, now) },
      { head: common.lastUsed, cell: ({ usedAt }) => formats.moment(usedAt, now) },
      {
        head: layout.signOut,
        cell: ({ id }) =>
          id === session.id
            ? text.thisBrowser
            : changeForm(
                { action: '/account/sessions/end', token },
                html`<input type="hidden" name="session" value=${id} /><button type="submit">${layout.signOut}</button>`,
              ),
      },
    ],
    empty: null,
  });
}
