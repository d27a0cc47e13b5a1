import type { ServiceDirectory } from '../accounts/directory.ts';
import { plainText } from '../kit/display-text.ts';
import { changeForm, notice } from '../kit/form.ts';
import { type BarChoice, barChoiceOf, barChoiceText, type Pages } from '../kit/page-request.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { html } from '../words/html.ts';

type Parts = {
  readonly store: { readonly customers: CustomerStore; readonly users: UserStore };
  readonly directory: ServiceDirectory;
};

/** The notification bar as its own page, and which calls it shows. */
export function barPage(pages: Pages, { store, directory }: Parts): void {
  pages.get('/bar', 'agent', ({ words: { layout } }) => ({
    title: layout.calls,
    barAlone: true,
    body: html`<h1 class="unseen">${layout.calls}</h1>`,
  }));

  pages.get('/bar/settings', 'agent', async ({ account, user, query, token, words }) => {
    const text = words.barSettings;
    const chosen = barChoiceOf(user);
    const segments = await store.customers.segments(account.id);
    const check = (name: keyof BarChoice, value: string, label: string, checked: boolean) =>
      html`<label class="check"><input type="checkbox" name=${name} value=${value} checked=${checked} /> <bdi>${label}</bdi></label>`;
    return {
      title: text.title,
      body: html`
        <h1>${text.title}</h1>
        ${query.has('done') && notice(text.saved)}
        <p>${text.help}</p>
        <section class="card">
          ${changeForm(
            { action: '/bar/settings', token, label: text.title },
            html`
              ${check('mine', '1', text.mine, chosen.mine)}
              <p class="hint">${text.mineHint}</p>
              <fieldset><legend>${text.segments}</legend>
                ${segments.length === 0 && html`<p class="quiet">${text.none}</p>`}
                ${segments.map(({ name }) => check('segments', name, plainText(name, 60), chosen.segments.includes(name)))}
              </fieldset>
              <fieldset><legend>${text.integrations}</legend>
                ${directory.integrations(account.id).map(({ id, name }) => check('integrations', String(id), plainText(name, 60), chosen.integrations.includes(id)))}
              </fieldset>
              <button type="submit" class="main">${text.save}</button>
            `,
          )}
        </section>
      `,
    };
  });
  pages.post('/bar/settings', 'agent', async ({ account, user, form }) => {
    const known = async (names: readonly string[]) =>
      (await store.customers.segments(account.id))
        .map(({ name }) => name)
        .filter((name) => names.includes(name));
    const text = barChoiceText({
      mine: form.has('mine'),
      segments: await known(form.getAll('segments')),
      integrations: directory
        .integrations(account.id)
        .map(({ id }) => id)
        .filter((id) => form.getAll('integrations').includes(String(id))),
    });
    await store.users.setBar(user.id, text);
    return { redirect: '/bar/settings?done' };
  });
}
