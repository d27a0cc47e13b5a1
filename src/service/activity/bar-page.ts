import type { Integration } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { accountLimits } from '../accounts/limits.ts';
import { type Pages, type SegmentRequest, withSegments } from '../accounts/user-request.ts';
import { changeForm, notice } from '../kit/form.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { plainText } from '../rules/plain-text.ts';
import type { UserStore } from '../users/user-store.ts';
import { html } from '../words/html.ts';
import { type BarChoice, barChoiceOf, barChoiceText } from './bar-choice.ts';

type Parts = {
  readonly store: { readonly users: UserStore };
  readonly directory: ServiceDirectory;
};

/** As many as an account can have, and those that are chosen. */
const offered = (integrations: readonly Integration[], chosen: readonly number[]) =>
  integrations.filter(({ id }, at) => at < accountLimits.integrations || chosen.includes(id));

/** Which calls a user's screen shows. */
export function barPage(pages: Pages, parts: Parts): void {
  pages.get('/account/calls', 'agent', async (request) => formPage(await withSegments(request), parts));
  pages.post('/account/calls', 'agent', async (request) => choose(await withSegments(request), parts));
}

function formPage(
  { account, segments, user, query, token, words }: SegmentRequest,
  { directory }: Parts,
): Page {
  const text = words.barSettings;
  const chosen = barChoiceOf(user);
  const check = (name: keyof BarChoice, value: string, label: string, checked: boolean) =>
    html`<label class="choice"><input type="checkbox" name=${name} value=${value} checked=${checked} /> <bdi>${label}</bdi></label>`;
  return {
    title: text.title,
    body: html`
        <div class="head"><h1>${text.title}</h1></div>
        ${query.has('done') && notice(words.common.saved)}
          ${changeForm(
            { action: '/account/calls', token, is: 'card form', label: text.title },
            html`
              ${check('mine', '1', text.mine, chosen.mine)}
              <fieldset hidden=${segments.length === 0}><legend class="label">${text.segments}</legend>
                ${segments.map(({ name }) => check('segments', name, plainText(name, 60), chosen.segments.includes(name)))}
              </fieldset>
              <fieldset><legend class="label">${text.integrations}</legend>
                ${offered(directory.integrations(account.id), chosen.integrations).map(({ id, name }) => check('integrations', String(id), plainText(name, 60), chosen.integrations.includes(id)))}
              </fieldset>
              <p class="hint">${text.help}</p>
              <div><button type="submit" class="primary">${words.common.save}</button></div>
            `,
          )}
      `,
  };
}

async function choose(
  { account, segments, user, form }: SegmentRequest,
  { store, directory }: Parts,
): Promise<Answer> {
  const chosen = form.getAll('segments');
  const text = barChoiceText({
    mine: form.has('mine'),
    segments: segments.map(({ name }) => name).filter((name) => chosen.includes(name)),
    integrations: directory
      .integrations(account.id)
      .map(({ id }) => id)
      .filter((id) => form.getAll('integrations').includes(String(id))),
  });
  await store.users.setBar(user.id, text);
  return { redirect: '/account/calls?done' };
}
