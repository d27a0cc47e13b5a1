import { z } from 'zod';
import { limits } from '../../api/contract/decisions.ts';
import type { ServiceContext } from '../http/context.ts';
import { line } from '../http/text.ts';
import type { User } from '../store/user-store.ts';
import { displayText, plainText } from './kit/display-text.ts';
import { changeForm, choice, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';

const MAX_HEARD = 1000;

const named = z.object({
  extension: line('extension'),
  name: line('name', { max: 80, blank: true }),
  user: z.string(),
});

/** The extensions of the account: those that calls were answered at and those that have a name or a user. */
export function extensionPages(pages: Pages, { store, directory }: ServiceContext): void {
  const list = async (request: PageRequest, errors?: FieldErrors) => {
    const { id } = request.account;
    const [heard, users] = await Promise.all([
      store.calls.heardExtensions(id, MAX_HEARD),
      store.users.list(id),
    ]);
    const all = new Set([...request.extensions.keys(), ...heard]);
    const inOrder = [...all].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return listPage(request, inOrder, users, errors);
  };
  pages.get('/extensions', 'administrator', (request) => list(request));
  pages.post('/extensions', 'administrator', async (request) => {
    const { values, errors } = readForm(named, request);
    if (errors) return list(request, errors);
    const { extension, name, user: uid } = values;
    const user = (await store.users.list(request.account.id)).find((one) => one.uid === uid);
    await store.directory.putExtension(request.account.id, { extension, name, user: user?.id ?? null });
    await directory.refresh();
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
  list: readonly string[],
  users: readonly User[],
  errors?: FieldErrors,
): Page {
  const { token, query, extensions } = request;
  const chosen = query.get('extension') ?? '';
  const kept = extensions.get(chosen);
  const value = (name: string, stored: string) => (errors ? (request.form.get(name) ?? '') : stored);
  return {
    title: 'Extensions',
    ...(errors && { status: 422 }),
    body: html`
      <p><a href="/users">← Users</a></p>
      <h1>Extensions</h1>
      <p>Calls, reports and the bar show who answered by the name of the extension, or of its user. A user’s extensions are “My calls”.</p>
      ${query.has('done') && notice('Saved.')}
      <section class="card" aria-labelledby="name">
        <h2 id="name">${chosen === '' ? 'Name an extension' : html`Extension ${displayText(chosen, 80)}`}</h2>
        ${changeForm(
          { action: '/extensions', token, label: 'Extension' },
          html`
            ${field({ label: 'Extension', name: 'extension', value: value('extension', chosen), errors, required: true, maxlength: limits.referenceLength, hint: 'As the phone system reports it, such as 1001.' })}
            ${field({ label: 'Name', name: 'name', value: value('name', kept?.name ?? ''), errors, maxlength: 80, autofocus: chosen !== '', hint: 'Such as Reception. If left empty: the user’s name.' })}
            ${choice({
              label: 'User',
              name: 'user',
              value: value('user', users.find(({ id }) => id === kept?.user)?.uid ?? ''),
              options: [['', 'None'], ...users.map((user) => [user.uid, plainText(user.name, 60)] as const)],
            })}
            <button type="submit" class="main">Save</button>
          `,
        )}
      </section>
      ${table({
        caption: 'Extensions',
        rows: list,
        columns: [
          {
            head: 'Extension',
            cell: (extension) =>
              html`<a href=${`/extensions?${new URLSearchParams({ extension })}`}>${displayText(extension, 80)}</a>`,
          },
          { head: 'Name', cell: (extension) => shown(extensions.get(extension)?.name) },
          { head: 'User', cell: (extension) => shown(extensions.get(extension)?.userName) },
          {
            head: 'Calls',
            cell: (extension) => html`<a href=${`/calls?${new URLSearchParams({ extension })}`}>Calls</a>`,
          },
        ],
        empty: html`<p>No extensions yet. They are listed here once calls are answered.</p>`,
      })}
    `,
  };
}
