import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { User } from '../accounts/user.ts';
import type { CallStore } from '../calls/call-store.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { changeForm, choice, type FieldErrors, field, notice, readForm } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { line } from '../kit/text.ts';
import type { UserStore } from '../users/user-store.ts';
import { html } from '../words/html.ts';

const MAX_EXTENSIONS = 1000;

const named = z.object({
  extension: line('extension'),
  name: line('name', { max: 80, blank: true }),
  user: z.string(),
});

/** The extensions of the account: those that calls were answered at and those that have a name or a user. */
export function extensionPages(
  pages: Pages,
  calls: CallStore,
  users: UserStore,
  directory: ServiceDirectory,
): void {
  const list = async (request: PageRequest, errors?: FieldErrors) => {
    const { id } = request.account;
    const [answered, called, all] = await Promise.all([
      calls.distinct(id, 'extensions', MAX_EXTENSIONS),
      calls.distinct(id, 'numbers called', MAX_EXTENSIONS),
      users.list(id),
    ]);
    const known = new Set([...request.extensions.keys(), ...answered]).difference(new Set(called));
    const list = [...known].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return listPage(request, { list, called, users: all }, errors);
  };
  pages.get('/extensions', 'administrator', (request) => list(request));
  pages.post('/extensions', 'administrator', async (request) => {
    const { values, errors } = readForm(named, request);
    if (errors) return list(request, errors);
    const { extension, name, user: uid } = values;
    const user = (await users.list(request.account.id)).find((one) => one.uid === uid);
    await directory.putExtension(request.account.id, { extension, name, user: user?.id ?? null });
    await request.audit(
      'settings',
      `extension ${extension}: ${name || 'no name'}, ${user?.name ?? 'no user'}`,
    );
    return { redirect: '/extensions?done' };
  });
}

const shown = (name: string | null | undefined) => name && displayText(name, 80);

function listPage(
  request: PageRequest,
  {
    list,
    called,
    users,
  }: {
    readonly list: readonly string[];
    readonly called: readonly string[];
    readonly users: readonly User[];
  },
  errors?: FieldErrors,
): Page {
  const { token, query, extensions, words } = request;
  const text = words.extensions;
  const chosen = query.get('extension') ?? '';
  const saved = extensions.get(chosen);
  const value = (name: string, stored: string) => (errors ? (request.form.get(name) ?? '') : stored);
  const columns = (head: string, filter: 'extension' | 'called'): Column<string>[] => [
    {
      head,
      cell: (extension) =>
        html`<a href=${`/extensions?${new URLSearchParams({ extension })}`}>${displayText(extension, 80)}</a>`,
    },
    { head: text.name, cell: (extension) => shown(extensions.get(extension)?.name) },
    { head: text.user, cell: (extension) => shown(extensions.get(extension)?.userName) },
    {
      head: words.layout.calls,
      cell: (extension) =>
        html`<a href=${`/calls?${new URLSearchParams({ [filter]: extension })}`}>${words.layout.calls}</a>`,
    },
  ];
  return {
    title: text.title,
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/users">← ${words.layout.users}</a></p>
      <h1>${text.title}</h1>
      <p>${text.help}</p>
      ${query.has('done') && notice(text.saved)}
      <section class="card" aria-labelledby="name">
        <h2 id="name">${chosen === '' ? text.add : html`${text.extension} ${displayText(chosen, 80)}`}</h2>
        ${changeForm(
          { action: '/extensions', token, label: text.extension },
          html`
            ${field({ label: text.extension, name: 'extension', value: value('extension', chosen), errors, required: true, maxlength: limits.referenceLength, hint: text.extensionHint })}
            ${field({ label: text.name, name: 'name', value: value('name', saved?.name ?? ''), errors, maxlength: 80, autofocus: chosen !== '', hint: text.nameHint })}
            ${choice({
              label: text.user,
              name: 'user',
              value: value('user', users.find(({ id }) => id === saved?.user)?.uid ?? ''),
              options: [
                ['', text.none],
                ...users.map((user) => [user.uid, plainText(user.name, 60)] as const),
              ],
            })}
            <button type="submit" class="main">${text.save}</button>
          `,
        )}
      </section>
      ${table({
        caption: text.title,
        rows: list,
        columns: columns(text.extension, 'extension'),
        empty: html`<p>${text.empty}</p>`,
      })}
      ${
        called.length > 0 &&
        html`<h2>${text.numbersCalled}</h2><p>${text.numbersHelp}</p>
        ${table({ caption: text.numbersCalled, rows: called, columns: columns(text.numbersCalled, 'called'), empty: null })}`
      }
    `,
  };
}
