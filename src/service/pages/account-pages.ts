import { z } from 'zod';
import { isCountry } from '../../phone-number/normalise-number.ts';
import { newPassword, signInName, userName } from '../access/users.ts';
import type { ServiceContext } from '../http/context.ts';
import { button, changeForm, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { isTimeZone, machineZone } from './kit/formats.ts';
import { html } from './kit/html.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const welcome = z.object({ name: userName, password: newPassword });
const passwordChange = z.object({ current: z.string(), password: newPassword });
const settings = z.object({
  account: z.string().trim().min(1, 'A name is needed.').max(80, 'At most 80 characters.'),
  country: z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => code === '' || isCountry(code), 'Two letters of ISO 3166, such as NL.'),
  zone: z
    .string()
    .trim()
    .refine((zone) => zone === '' || isTimeZone(zone), 'A name such as Europe/Berlin.'),
});

const taken: FieldErrors = { name: 'Somebody has this name already.' };

/** A person's own page with the account's settings, and the first page after a one-time link. */
export function accountPages(pages: Pages, { store, sessions, passwords, directory }: ServiceContext): void {
  pages.get('/welcome', 'agent', (visit) =>
    visit.user.password === null ? welcomePage(visit, visit.user.name) : { redirect: '/' },
  );
  pages.post('/welcome', 'agent', async (visit) => {
    if (visit.user.password !== null) return { redirect: '/' };
    const { values, errors } = readForm(welcome, visit.form);
    const again = (why: FieldErrors) => welcomePage(visit, visit.form.get('name') ?? '', why);
    if (errors) return again(errors);
    const { name } = values;
    const password = await passwords.hash(values.password);
    const changed = await store.users.change(visit.user.id, { name, signInName: signInName(name), password });
    if (!changed) return again(taken);
    await sessions.closeAll(visit.user, visit.session);
    return { redirect: '/' };
  });

  pages.get('/account', 'agent', (visit) => accountPage(visit, {}));
  pages.post('/account/password', 'agent', async (visit) => {
    const { values, errors } = readForm(passwordChange, visit.form);
    if (errors) return accountPage(visit, { errors });
    if (!(await passwords.verify(values.current, visit.user.password)))
      return accountPage(visit, { errors: { current: 'This is not your password.' } });
    await store.users.change(visit.user.id, { password: await passwords.hash(values.password) });
    await sessions.closeAll(visit.user, visit.session);
    return { redirect: '/account?done=password' };
  });
  pages.post('/account/sign-out-everywhere', 'agent', async (visit) => {
    await sessions.closeAll(visit.user, null);
    return { redirect: '/sign-in' };
  });
  pages.post('/account/settings', 'administrator', async (visit) => {
    const { values, errors } = readForm(settings, visit.form);
    if (errors) return accountPage(visit, { errors });
    const { account: name, country, zone } = values;
    await store.directory.changeAccount(visit.account.id, {
      name,
      country: country || null,
      timeZone: zone || null,
    });
    await directory.refresh();
    return { redirect: '/account?done=settings' };
  });
}

function welcomePage(visit: Visit, name: string, errors?: FieldErrors): Page {
  return {
    title: 'Welcome',
    ...(errors && { status: 422 }),
    body: html`<div class="narrow">
      <h1>Welcome</h1>
      <p>Choose the name and the password that you sign in with from now on. The link that brought you here is used up.</p>
      ${changeForm(
        { action: '/welcome', token: visit.token },
        html`
          ${field({ label: 'Name', name: 'name', value: name, errors, required: true, maxlength: 80, autocomplete: 'username', hint: 'Your own name, or an e-mail address.' })}
          ${field({ label: 'Password', name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: 'At least 12 characters. A few words are easiest.' })}
          <button type="submit" class="main">Go on</button>
        `,
      )}
    </div>`,
  };
}

function accountPage(visit: Visit, { errors }: { errors?: FieldErrors }): Page {
  const { user, account, token, administrates, query, form } = visit;
  const done = { password: 'The password is changed. Other browsers are signed out.', settings: 'Saved.' }[
    query.get('done') ?? ''
  ];
  const value = (name: string, kept: string) => form.get(name) ?? kept;
  return {
    title: 'Account',
    ...(errors && { status: 422 }),
    body: html`
      <h1>Account</h1>
      ${done !== undefined && notice(done)}
      <div class="columns">
      <section class="card" aria-labelledby="you">
        <h2 id="you">You: ${user.name}</h2>
        <p>${user.role === 'administrator' ? 'You look after this account.' : 'You see calls and customers of this account.'}</p>
        ${changeForm(
          { action: '/account/password', token, label: 'Change your password' },
          html`
            ${field({ label: 'Password now', name: 'current', type: 'password', errors, required: true, autocomplete: 'current-password' })}
            ${field({ label: 'New password', name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: 'At least 12 characters. A few words are easiest.' })}
            <button type="submit">Change the password</button>
          `,
        )}
        ${button({ action: '/account/sign-out-everywhere', token }, 'Sign out everywhere')}
      </section>
      ${
        administrates &&
        html`<section class="card" aria-labelledby="settings">
          <h2 id="settings">The account</h2>
          ${changeForm(
            { action: '/account/settings', token, label: 'The account' },
            html`
              ${field({ label: 'Account', name: 'account', value: value('account', account.name), errors, required: true, maxlength: 80 })}
              ${field({ label: 'Country', name: 'country', value: value('country', account.country ?? ''), errors, maxlength: 2, hint: 'How numbers without + or 00 are read: two letters, such as NL.' })}
              ${field({ label: 'Time zone', name: 'zone', value: value('zone', account.timeZone ?? ''), errors, hint: `Times and reports are in it. Empty: the one of the machine, ${machineZone()}.` })}
              <button type="submit">Save</button>
            `,
          )}
        </section>`
      }
      </div>
    `,
  };
}
