import { z } from 'zod';
import { isCountry } from '../../phone-number/normalise-number.ts';
import { newPassword, signInName, userName } from '../access/users.ts';
import type { ServiceContext } from '../http/context.ts';
import { line } from '../http/text.ts';
import { displayText } from './kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { isTimeZone, machineZone } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';
import { languages } from './words/words.ts';

const welcome = z.object({ name: userName, password: newPassword });
const passwordChange = z.object({ current: z.string(), password: newPassword });
const settings = z.object({
  account: line('account', { max: 80 }),
  country: z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => code === '' || isCountry(code), 'Enter a two-letter country code, such as NL.'),
  zone: z
    .string()
    .trim()
    .refine((zone) => zone === '' || isTimeZone(zone), 'Enter a time zone name, such as Europe/Berlin.'),
  within: z.coerce.number('Enter a number of seconds.').int().min(1, 'At least 1.').max(600, 'At most 600.'),
});

/** The user's own page with the account's settings, and the page that a new user's first link opens. */
export function accountPages(pages: Pages, context: ServiceContext): void {
  const { store, sessions, directory } = context;
  const { passwords } = context.access;
  pages.get('/welcome', 'agent', (request) =>
    request.user.password === null ? welcomePage(request, request.user.name) : { redirect: '/' },
  );
  pages.post('/welcome', 'agent', async (request) => {
    if (request.user.password !== null) return { redirect: '/' };
    const { values, errors } = readForm(welcome, request);
    const again = (why: FieldErrors) => welcomePage(request, request.form.get('name') ?? '', why);
    if (errors) return again(errors);
    const { name } = values;
    const password = await passwords.hash(values.password, request.user.uid);
    const changed = await store.users.change(request.user.id, {
      name,
      signInName: signInName(name),
      password,
    });
    if (!changed) return again({ name: request.words.formErrors.nameTaken });
    await sessions.closeAll(request.user, request.session);
    await request.audit('password', name);
    return { redirect: '/' };
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
  pages.post('/account/settings', 'administrator', async (request) => {
    const { values, errors } = readForm(settings, request);
    if (errors) return accountPage(request, errors);
    const { account: name, country, zone, within } = values;
    await store.directory.changeAccount(request.account.id, {
      name,
      country: country || null,
      timeZone: zone || null,
      answerWithin: within,
    });
    await directory.refresh();
    await request.audit(
      'settings',
      `account ${name}, country ${country || 'none'}, time zone ${zone || 'of the server'}, answer within ${within} s`,
    );
    return { redirect: '/account?done=settings' };
  });
}

function welcomePage(request: PageRequest, name: string, errors?: FieldErrors): Page {
  return {
    title: 'Welcome',
    ...(errors && { status: 422 }),
    body: html`<div class="narrow">
      <h1>Welcome</h1>
      <p>Choose the name and the password to sign in with from now on. Your link has been used and does not work again.</p>
      ${changeForm(
        { action: '/welcome', token: request.token },
        html`
          ${field({ label: 'Name', name: 'name', value: name, errors, required: true, maxlength: 80, autocomplete: 'username', hint: 'Your name or e-mail address.' })}
          ${field({ label: 'Password', name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: 'At least 12 characters. Several words are easy to remember.' })}
          <button type="submit" class="main">Continue</button>
        `,
      )}
    </div>`,
  };
}

const done: Record<string, string> = {
  password: 'Password changed. All other browsers are signed out.',
  session: 'The browser is signed out.',
  settings: 'Saved.',
};

type OwnSession = Awaited<ReturnType<ServiceContext['sessions']['list']>>[number];

function ownPage(request: PageRequest, sessions: readonly OwnSession[], errors?: FieldErrors): Page {
  const { user, account, token, administrates, query, form, words } = request;
  const text = words.account;
  const message = done[query.get('done') ?? ''];
  const value = (name: string, kept: string) => form.get(name) ?? kept;
  return {
    title: 'Account',
    ...(errors && { status: 422 }),
    body: html`
      <h1>Account</h1>
      ${message !== undefined && notice(message)}
      <div class="columns">
      <section class="card" aria-labelledby="you">
        <h2 id="you">Signed in as ${user.name}</h2>
        <p>Role: ${user.role === 'administrator' ? 'Administrator' : 'Agent'}</p>
        ${changeForm(
          { action: '/account/password', token, label: 'Change password' },
          html`
            ${field({ label: 'Current password', name: 'current', type: 'password', errors, required: true, autocomplete: 'current-password' })}
            ${field({ label: 'New password', name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: 'At least 12 characters. Several words are easy to remember.' })}
            <button type="submit">Change password</button>
          `,
        )}
        ${changeForm(
          { action: '/account/language', token, label: text.language },
          html`
            ${choice({ label: text.language, name: 'language', value: user.language, options: [['', text.asInBrowser], ...Array.from(languages.values(), ({ language, languageName }) => [language, languageName] as const)] })}
            <button type="submit">${text.save}</button>
          `,
        )}
        <p><a href="/account/second-factor">Second factor</a>: ${user.secondFactor === null ? 'off' : 'on'}</p>
      </section>
      ${
        administrates &&
        html`<section class="card" aria-labelledby="settings">
          <h2 id="settings">Account settings</h2>
          ${changeForm(
            { action: '/account/settings', token, label: 'Account settings' },
            html`
              ${field({ label: 'Account name', name: 'account', value: value('account', account.name), errors, required: true, maxlength: 80 })}
              ${field({ label: 'Country', name: 'country', value: value('country', account.country ?? ''), errors, maxlength: 2, hint: 'For numbers without + or 00: a two-letter code, such as NL.' })}
              ${field({ label: 'Time zone', name: 'zone', value: value('zone', account.timeZone ?? ''), errors, hint: `For all times and reports. If left empty: the server’s time zone, ${machineZone()}.` })}
              ${field({ label: 'Answer within, seconds', name: 'within', type: 'number', value: value('within', String(account.answerWithin)), errors, required: true, hint: 'Reports show the share of calls answered within this time.' })}
              <button type="submit">Save</button>
            `,
          )}
        </section>`
      }
      </div>
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Signed-in browsers</h2>
        ${sessionTable(request, sessions)}
        ${button({ action: '/account/sign-out-everywhere', token }, 'Sign out everywhere')}
      </section>
    `,
  };
}

function sessionTable({ session, token, formats, now }: PageRequest, sessions: readonly OwnSession[]): Html {
  return table({
    caption: 'Sessions',
    rows: sessions,
    columns: [
      { head: 'Browser', cell: ({ browser }) => browserName(browser) },
      { head: 'From', cell: ({ address }) => displayText(address, 60) },
      { head: 'Signed in', cell: ({ openedAt }) => `since ${formats.moment(openedAt, now)}` },
      { head: 'Last used', cell: ({ usedAt }) => `used ${formats.moment(usedAt, now)}` },
      {
        head: 'Action',
        cell: ({ id }) =>
          id === session.id
            ? 'this browser'
            : changeForm(
                { action: '/account/sessions/end', token, inline: true },
                html`<input type="hidden" name="session" value=${id} /><button type="submit">Sign out</button>`,
              ),
      },
    ],
    empty: null,
    stacked: true,
  });
}

/** `Firefox on Windows`, from a User-Agent. Every browser names others too, so the order matters. */
function browserName(userAgent: string): string {
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
  return [browser ?? 'Unknown browser', ...(system ? [system] : [])].join(' on ');
}
