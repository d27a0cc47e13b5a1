import { z } from 'zod';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { copyable } from '../kit/display-text.ts';
import { changeForm, notice } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { html } from '../words/html.ts';
import { phoneBookFormats } from './phone-book.ts';
import { MOST_ENTRIES } from './phone-book-route.ts';

/** Of the token that the page has shown. */
const counterSchema = z
  .string()
  .regex(/^-?\d{1,9}$/)
  .transform(Number);

type Parts = { readonly directory: ServiceDirectory; readonly keys: Keys };

/** The addresses at which desk phones get the phone book, and how to replace them. */
export function phoneBookPage(pages: Pages, parts: Parts): void {
  pages.get('/customers/phone-book', 'administrator', (request) => addressesPage(request, parts));
  pages.post('/customers/phone-book', 'administrator', (request) => change(request, parts));
}

async function change({ account, form, audit }: UserRequest, { directory }: Parts): Promise<Answer> {
  const isOn = !form.has('off');
  await directory.replacePhoneBookToken(account.id, counterSchema.parse(form.get('counter')), isOn);
  await audit('token', isOn ? 'phone book' : 'phone book: switched off');
  return { redirect: '/customers/phone-book?done' };
}

function addressesPage(
  { account, origin, query, token, words, formats }: UserRequest,
  { keys }: Parts,
): Page {
  const { common, layout, phoneBook: text } = words;
  const isOn = account.phoneBookCounter > 0;
  const address = (file: string) => `${origin}/phonebook/${keys.phoneBookToken(account)}/${file}`;
  return {
    title: text.title,
    body: html`
      <a class="back" href="/customers">${icon('chevron-left')}${layout.customers}</a>
      <h1>${text.title}</h1>
      ${query.has('done') && notice(common.saved)}
      <section class="card">
        <p>${text.hint(formats.number(MOST_ENTRIES))}</p>
        ${isOn && phoneBookFormats.map(({ maker, file }) => copyable(words, maker.toLowerCase(), maker, address(file)))}
        ${isOn && html`<p class="quiet small">${text.options}</p>`}
        ${changeForm(
          { action: '/customers/phone-book', token, is: 'together' },
          html`<input type="hidden" name="counter" value=${account.phoneBookCounter} />
            <button type="submit" class=${!isOn && 'primary'}>${isOn ? text.replace : text.create}</button>
            ${isOn && html`<button type="submit" class="danger" name="off" value="1">${common.switchOff}</button>`}`,
        )}
      </section>
    `,
  };
}
