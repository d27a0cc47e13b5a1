import { z } from 'zod';
import { makeLink } from '../access/one-time-link.ts';
import { addUser, roles, userName } from '../access/users.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { User } from '../store/user-store.ts';
import { copyable } from './kit/copy.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, readForm } from './kit/form.ts';
import { type Html, html } from './kit/html.ts';
import { plain, shown } from './kit/shown.ts';
import { table } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const newUser = z.object({ name: userName, role: z.enum(roles) });
const roleChange = z.object({ role: z.enum(roles) });

const roleLabels: readonly (readonly [string, string])[] = [
  ['agent', 'Agent: sees calls and customers'],
  ['administrator', 'Administrator: looks after the account'],
];

/** The people who sign in to the account. */
export function userPages(pages: Pages, { store, sessions, keys, clock }: ServiceContext): void {
  const linkFor = async (visit: Visit, user: User) =>
    `${visit.origin}/sign-in#${await makeLink(store, keys, user, clock())}`;
  async function chosen({ account, params }: Visit): Promise<User> {
    const user = await store.users.find({ uid: params.uid ?? '' });
    if (user === undefined || user.account !== account.id) throw new Refusal(404, 'There is no such user.');
    return user;
  }
  const list = async (visit: Visit, extra: { errors?: FieldErrors; above?: Html } = {}) =>
    listPage(visit, await store.users.list(visit.account.id), extra);

  pages.get('/users', 'administrator', (visit) =>
    list(visit, visit.query.has('removed') ? { above: notice('The user is removed.') } : {}),
  );
  pages.post('/users', 'administrator', async (visit) => {
    const { values, errors } = readForm(newUser, visit.form);
    if (errors) return list(visit, { errors });
    const user = await addUser(store, { account: visit.account.id, ...values, now: clock() });
    if (user === undefined) return list(visit, { errors: { name: 'Somebody has this name already.' } });
    return list(visit, { above: handOver(user, await linkFor(visit, user)) });
  });
  pages.get('/users/:uid', 'administrator', async (visit) => userPage(visit, await chosen(visit)));
  pages.post('/users/:uid/reset', 'administrator', async (visit) => {
    const user = await chosen(visit);
    await store.users.change(user.id, { password: null });
    await sessions.closeAll(user, null);
    return userPage(visit, { ...user, password: null }, handOver(user, await linkFor(visit, user)));
  });
  pages.post('/users/:uid/role', 'administrator', async (visit) => {
    const user = await chosen(visit);
    const { values } = readForm(roleChange, visit.form);
    if (values === null || user.id === visit.user.id)
      throw new Refusal(422, 'You cannot change your own role.');
    await store.users.change(user.id, values);
    return { redirect: `/users/${user.uid}?done` };
  });
  pages.post('/users/:uid/remove', 'administrator', async (visit) => {
    const user = await chosen(visit);
    if (user.id === visit.user.id) throw new Refusal(422, 'You cannot remove yourself.');
    await sessions.closeAll(user, null);
    await store.users.remove(user.id);
    return { redirect: '/users?removed' };
  });
}

function handOver(user: User, link: string): Html {
  return html`<section class="card" aria-labelledby="link-title">
    <h2 id="link-title">A way in for ${shown(user.name)}</h2>
    <p>Hand over this address. It works once, within a quarter of an hour, and asks for a password.</p>
    ${copyable('link', 'One-time address', link)}
  </section>`;
}

function listPage(
  visit: Visit,
  users: readonly User[],
  { errors, above }: { errors?: FieldErrors; above?: Html },
): Page {
  const { token, formats, now } = visit;
  const form = errors ? visit.form : new URLSearchParams();
  return {
    title: 'Users',
    scripts: ['copy.js'],
    ...(errors && { status: 422 }),
    body: html`
      <h1>Users</h1>
      ${above}
      ${table({
        caption: 'Users',
        rows: users,
        columns: [
          { head: 'Name', cell: ({ uid, name }) => html`<a href=${`/users/${uid}`}>${shown(name)}</a>` },
          { head: 'Role', cell: ({ role }) => role },
          {
            head: 'Password',
            cell: ({ password }) =>
              password === null ? html`<span class="quiet">none yet</span>` : 'chosen',
          },
          { head: 'Added', wide: true, cell: ({ createdAt }) => formats.moment(createdAt, now) },
        ],
        empty: null,
      })}
      <section class="card" aria-labelledby="add">
        <h2 id="add">Add a user</h2>
        ${changeForm(
          { action: '/users', token, label: 'Add a user' },
          html`
            ${field({ label: 'Name', name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80, autocomplete: 'off', hint: 'What they sign in with: a name or an e-mail address.' })}
            ${choice({ label: 'Role', name: 'role', value: form.get('role') ?? 'agent', options: roleLabels, errors })}
            <button type="submit" class="main">Add</button>
          `,
        )}
      </section>
    `,
  };
}

function userPage(visit: Visit, user: User, above: Html = null): Page {
  const { token, query } = visit;
  const own = user.id === visit.user.id;
  const at = (what: string) => `/users/${user.uid}/${what}`;
  return {
    title: `User ${plain(user.name, 60)}`,
    scripts: ['copy.js'],
    body: html`
      <p><a href="/users">← Users</a></p>
      <h1>${shown(user.name)}</h1>
      ${query.has('done') && notice('Saved.')}
      ${above}
      ${
        own
          ? html`<section class="card"><p>This is you. Your password is under <a href="/account">Account</a>.</p></section>`
          : html`<section class="card" aria-labelledby="change">
              <h2 id="change">Change</h2>
              ${changeForm(
                { action: at('role'), token, label: 'Role' },
                html`${choice({ label: 'Role', name: 'role', value: user.role, options: roleLabels })}
                  <button type="submit">Save the role</button>`,
              )}
              <details>
                <summary>A new way in</summary>
                <p>The password is forgotten, every browser is signed out, and you get a one-time address to hand over.</p>
                ${button({ action: at('reset'), token, danger: true }, 'Make a one-time address')}
              </details>
              <details>
                <summary>Remove</summary>
                <p>Every browser is signed out at once. What the user did stays.</p>
                ${button({ action: at('remove'), token, danger: true }, 'Remove this user')}
              </details>
            </section>`
      }
    `,
  };
}
