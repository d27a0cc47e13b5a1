import { z } from 'zod';
import { countries, isCountry } from '../../phone-number/normalise-number.ts';
import { newPassword, signInName, userName } from '../access/users.ts';
import { isCrmTemplate } from '../customers/crm-link.ts';
import { rereadNumbers } from '../customers/reread-numbers.ts';
import type { ServiceContext } from '../http/context.ts';
import { line } from '../http/text.ts';
import { displayText } from './kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { isTimeZone, machineZone } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';
import { formError, languages, type Words } from './words/words.ts';

const passwordChange = z.object({ current: z.string(), password: newPassword });
const place = {
  country: z.string().refine((code) => code === '' || isCountry(code), formError('choose')),
  zone: z.string().refine((zone) => zone === '' || isTimeZone(zone), formError('choose')),
};
const settings = z.object({
  account: line('account', { max: 80 }),
  ...place,
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
  agents_delete: z.string().optional(),
});
const welcome = z.object({
  ...{ name: userName, password: newPassword, language: z.string().optional() },
  ...{ country: place.country.optional(), zone: place.zone.optional() },
});

/** The user's own page with the account's settings, and the page that a new user's first link opens. */
export function accountPages(pages: Pages, context: ServiceContext): void {
  const { store, sessions, directory } = context;
  const { passwords } = context.access;
  pages.get('/welcome', 'agent', (request) =>
    request.user.password === null ? welcomePage(request) : { redirect: '/' },
  );
  pages.post('/welcome', 'agent', async (request) => {
    if (request.user.password !== null) return { redirect: '/' };
    const { values, errors } = readForm(welcome, request);
    if (errors) return welcomePage(request, errors);
    const { name, language = '', country, zone } = values;
    const password = await passwords.hash(values.password, request.user.uid);
    const changed = await store.users.change(request.user.id, {
      ...{ name, signInName: signInName(name), password },
      language: languages.has(language) ? language : '',
    });
    if (!changed) return welcomePage(request, { name: request.words.formErrors.nameTaken });
    await sessions.closeAll(request.user, request.session);
    await request.audit('password', name);
    if (!isNew(request)) return { redirect: '/' };
    await changePlace(request, { country: country ?? request.account.country ?? '', zone: zone ?? '' });
    return { redirect: '/start' };
  });

  const accountPage = async (request: PageRequest, errors?: FieldErrors) =>
    ownPage(request, await sessions.list(request.user), errors);
  pages.get('/account', 'agent', (request) => accountPage(request));
  pages.post('/account/password', 'agent', async (request) => {
    const { values, errors } = readForm(passwordChange, request);
    if (errors) return accountPage(request, errors);
    if (!(await request.isOwnPassword(values.current)))
      return accountPage(request, { current: request.words.formErrors.wrongPassword });
    const password = await passwords.hash(values.password, request.user.uid);
    await store.users.change(request.user.id, { password });
    await sessions.closeAll(request.user, request.session);
    await request.audit('password', request.user.name);
    return { redirect: '/account?done=password' };
  });
  pages.post('/account/language', 'agent', async ({ user, form }) => {
    const language = form.get('language') ?? '';
    await store.users.change(user.id, { language: languages.has(language) ? language : '' });
    return { redirect: '/account' };
  });
  pages.post('/account/sessions/end', 'agent', async (request) => {
    const session = (await sessions.list(request.user)).find(({ id }) => id === request.form.get('session'));
    if (session !== undefined) {
      await sessions.close(session);
      await request.audit('session', `of ${session.address}`);
    }
    return { redirect: '/account?done=session' };
  });
  pages.post('/account/sign-out-everywhere', 'agent', async (request) => {
    await sessions.closeAll(request.user, null);
    await request.audit('sign-out', 'everywhere');
    return { redirect: '/sign-in' };
  });
  const changePlace = async (
    request: PageRequest,
    { name, country, zone, within }: { name?: string; country: string; zone: string; within?: number },
    also: { crmUrl?: string | null; agentsDelete?: boolean } = {},
  ) => {
    await store.directory.changeAccount(request.account.id, {
      ...also,
      ...(name !== undefined && { name }),
      country: country || null,
      timeZone: zone || null,
      ...(within !== undefined && { answerWithin: within }),
    });
    await directory.refresh();
    if (country !== '' && country !== request.account.country)
      await rereadNumbers(store.customers, request.account.id, country);
    const { crmUrl, agentsDelete } = also;
    const said = [
      `account ${name ?? request.account.name}`,
      `country ${country || 'none'}`,
      `time zone ${zone || 'of the server'}`,
      within !== undefined && `answer within ${within} s`,
      crmUrl !== undefined && `CRM ${crmUrl ?? 'none'}`,
      agentsDelete !== undefined && `agents ${agentsDelete ? 'may' : 'may not'} delete customers`,
    ];
    await request.audit('settings', said.filter(Boolean).join(', '));
  };
  pages.post('/account/settings', 'administrator', async (request) => {
    const { values, errors } = readForm(settings, request);
    if (errors) return accountPage(request, errors);
    await changePlace(
      request,
      { ...values, name: values.account },
      { crmUrl: values.crm, agentsDelete: values.agents_delete !== undefined },
    );
    return { redirect: '/account?done=settings' };
  });
}

/** Nobody has said yet where the account is: its first administrator is asked. */
const isNew = ({ account, administrates }: PageRequest) => administrates && account.timeZone === null;

function welcomePage(request: PageRequest, errors?: FieldErrors): Page {
  const { words, user, account, form } = request;
  const { common, account: text } = words;
  const value = (name: string, kept: string) => form.get(name) ?? kept;
  return {
    title: text.welcome,
    scripts: ['welcome.js'],
    ...(errors && { status: 422 }),
    body: html`<div class="narrow">
      <h1>${text.welcome}</h1>
      <p>${text.welcomeHint}</p>
      ${changeForm(
        { action: '/welcome', token: request.token },
        html`
          ${field({ label: common.name, name: 'name', value: value('name', user.name), errors, required: true, maxlength: 80, autocomplete: 'username', hint: text.nameHint })}
          ${field({ label: words.signIn.password, name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: text.passwordHint })}
          ${languageChoice(text, value('language', ''))}
          ${
            isNew(request) &&
            placeFields(
              words,
              { country: value('country', account.country ?? ''), zone: value('zone', '') },
              errors,
            )
          }
          <button type="submit" class="main">${text.continue}</button>
        `,
      )}
    </div>`,
  };
}

function languageChoice(text: Words['account'], value: string): Html {
  const all = Array.from(
    languages.values(),
    ({ language, languageName }) => [language, languageName] as const,
  );
  return choice({ label: text.language, name: 'language', value, options: [['', text.asInBrowser], ...all] });
}

/** The account's country and time zone, from lists; client/welcome.js chooses the browser's in an empty one. */
function placeFields(
  { account: text, locale, common }: Words,
  { country, zone }: { country: string; zone: string },
  errors: FieldErrors | undefined,
): Html {
  const nameOf = new Intl.DisplayNames(locale, { type: 'region' });
  const named = countries().map((code) => [code, nameOf.of(code) ?? code] as const);
  named.sort(([, a], [, b]) => a.localeCompare(b, locale));
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(zone ? [zone] : [])]);
  return html`
    ${choice({ label: text.country, name: 'country', value: country, errors, options: [['', common.none], ...named], hint: text.countryHint })}
    ${choice({
      ...{ label: text.zone, name: 'zone', value: zone, errors, hint: text.zoneHint },
      options: [['', text.serverZone(machineZone())], ...Array.from(zones, (name) => [name, name] as const)],
    })}`;
}

type OwnSession = Awaited<ReturnType<ServiceContext['sessions']['list']>>[number];

function ownPage(request: PageRequest, sessions: readonly OwnSession[], errors?: FieldErrors): Page {
  const { user, account, token, administrates, query, form, words } = request;
  const { common, account: text } = words;
  const message = {
    password: text.passwordChanged,
    session: text.sessionEnded,
    settings: words.common.saved,
  }[query.get('done') ?? ''];
  const value = (name: string, kept: string) => form.get(name) ?? kept;
  return {
    title: text.title,
    ...(errors && { status: 422 }),
    body: html`
      <h1>${text.title}</h1>
      ${message !== undefined && notice(message)}
      <div class="columns">
      <section class="card" aria-labelledby="you">
        <h2 id="you">${text.signedInAs(user.name)}</h2>
        <p>${words.users.role}: ${words.users.roles[user.role]}</p>
        ${changeForm(
          { action: '/account/password', token, label: text.changePassword },
          html`
            ${field({ label: text.currentPassword, name: 'current', type: 'password', errors, required: true, autocomplete: 'current-password' })}
            ${field({ label: text.newPassword, name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: text.passwordHint })}
            <button type="submit">${text.changePassword}</button>
          `,
        )}
        ${changeForm(
          { action: '/account/language', token, label: text.language },
          html`
            ${languageChoice(text, user.language)}
            <button type="submit">${common.save}</button>
          `,
        )}
        <p><a href="/account/second-factor">${words.secondFactor.title}</a>: ${user.secondFactor === null ? common.off : common.on}</p>
      </section>
      ${
        administrates &&
        html`<section class="card" aria-labelledby="settings">
          <h2 id="settings">${text.settings}</h2>
          ${changeForm(
            { action: '/account/settings', token, label: text.settings },
            html`
              ${field({ label: text.accountName, name: 'account', value: value('account', account.name), errors, required: true, maxlength: 80 })}
              ${placeFields(words, { country: value('country', account.country ?? ''), zone: value('zone', account.timeZone ?? '') }, errors)}
              ${field({ label: text.within, name: 'within', type: 'number', value: value('within', String(account.answerWithin)), errors, required: true, hint: text.withinHint })}
              ${field({ label: words.crm.label, name: 'crm', value: value('crm', account.crmUrl ?? ''), errors, maxlength: 500, hint: words.crm.hint })}
              <label class="check"><input type="checkbox" name="agents_delete" value="1" checked=${form.has('account') ? form.has('agents_delete') : account.agentsDelete} /> ${words.crm.agentsDelete}</label>
              <button type="submit">${common.save}</button>
            `,
          )}
        </section>`
      }
      </div>
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">${text.sessions}</h2>
        ${sessionTable(request, sessions)}
        ${button({ action: '/account/sign-out-everywhere', token }, text.signOutEverywhere)}
      </section>
    `,
  };
}

function sessionTable(
  { session, token, formats, now, words: { account: text, layout } }: PageRequest,
  sessions: readonly OwnSession[],
): Html {
  return table({
    caption: text.browser,
    rows: sessions,
    columns: [
      { head: text.browser, cell: ({ browser }) => text.browserOn(...browserName(browser)) },
      { head: text.from, cell: ({ address }) => displayText(address, 60) },
      { head: text.signedIn, cell: ({ openedAt }) => html`${text.since} ${formats.moment(openedAt, now)}` },
      { head: text.lastUsed, cell: ({ usedAt }) => html`${text.used} ${formats.moment(usedAt, now)}` },
      {
        head: text.action,
        cell: ({ id }) =>
          id === session.id
            ? text.thisBrowser
            : changeForm(
                { action: '/account/sessions/end', token, inline: true },
                html`<input type="hidden" name="session" value=${id} /><button type="submit">${layout.signOut}</button>`,
              ),
      },
    ],
    empty: null,
    stacked: true,
  });
}

/** `Firefox` and `Windows`, from a User-Agent; undefined if unknown. Every browser names others too, so the order matters. */
function browserName(userAgent: string): [browser: string | undefined, system: string | undefined] {
  const first = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = first([
    ['Edge', /Edg/],
    ['Opera', /OPR/],
    ['Firefox', /Firefox|FxiOS/],
    ['Chrome', /Chrom|CriOS/],
    ['Safari', /Safari/],
  ]);
  const system = first([
    ['Windows', /Windows/],
    ['Android', /Android/],
    ['iOS', /iPhone|iPad/],
    ['macOS', /Mac OS/],
    ['ChromeOS', /CrOS/],
    ['Linux', /Linux/],
  ]);
  return [browser, system];
}
