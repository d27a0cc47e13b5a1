import { z } from 'zod';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { changeForm, type FieldErrors, field, readForm } from '../kit/form.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { newPassword, signInName, userName } from '../users/users.ts';
import { html } from '../words/html.ts';
import { languageField, languageSchema, placeFields, placeSchema } from './account-fields.ts';
import type { AccountParts } from './account-pages.ts';
import { changeAccount } from './change-account.ts';

const welcome = z.object({
  name: userName,
  password: newPassword,
  language: languageSchema,
  country: placeSchema.country.optional(),
  zone: placeSchema.zone.optional(),
});

/** The page that a new user's first link opens: name, password and language. */
export function welcomePage(pages: Pages, parts: AccountParts): void {
  pages.get('/welcome', 'agent', (request) =>
    request.user.password === null ? formPage(request) : { redirect: '/calls' },
  );
  pages.post('/welcome', 'agent', (request) => begin(request, parts));
}

async function begin(request: UserRequest, parts: AccountParts): Promise<Answer> {
  if (request.user.password !== null) return { redirect: '/calls' };
  const { store, directory, sessions, access, budgets } = parts;
  const { users, customers } = store;
  const { values, errors } = readForm(welcome, request);
  if (errors) return formPage(request, errors);
  const { name, language, country = request.account.country, zone = null } = values;
  const password = await access.passwords.hash(values.password, request.user.uid);
  const user = { name, signInName: signInName(name), password, language };
  if (!(await users.change(request.user.id, user, request.session)))
    return formPage(request, { name: request.words.formErrors.nameTaken });
  await sessions.closeAll(request.user, request.session);
  await request.audit('password', name);
  if (!asksForPlace(request)) return { redirect: '/calls' };
  const place = { country, timeZone: zone };
  const changed = await changeAccount({ directory, customers, budgets }, request.account, place);
  await request.audit('settings', changed);
  return { redirect: '/integrations' };
}

/** The first administrator of an account is asked where it is. */
const asksForPlace = ({ account, administrates }: UserRequest) => administrates && account.timeZone === null;

function formPage(request: UserRequest, errors?: FieldErrors): Page {
  const { words, user, account, form } = request;
  const { account: text } = words;
  const value = (name: string, saved: string) => form.get(name) ?? saved;
  return {
    title: text.welcome,
    scripts: ['welcome'],
    ...(errors && { status: 422 }),
    body: html`<div class="sign-in">
      <h1>${text.welcome}</h1>
      <p>${text.welcomeHint}</p>
      ${changeForm(
        { action: '/welcome', token: request.token, is: 'card form' },
        html`
          ${field({ label: words.users.nameOrMail, name: 'name', value: value('name', user.name), errors, required: true, maxlength: 80, autocomplete: 'username' })}
          ${field({ label: words.signIn.password, name: 'password', type: 'password', errors, required: true, autocomplete: 'new-password', hint: words.formErrors.passwordShort })}
          ${languageField(text, value('language', ''))}
          ${
            asksForPlace(request) &&
            placeFields(
              words,
              { country: value('country', account.country ?? ''), zone: value('zone', '') },
              errors,
            )
          }
          <div><button type="submit" class="primary">${text.continue}</button></div>
        `,
      )}
    </div>`,
  };
}
