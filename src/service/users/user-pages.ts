import { z } from 'zod';
import type { Mailer } from '../../shared/mail/mail.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { Keys } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import { copyable, displayText, plainText } from '../kit/display-text.ts';
import { button, changeForm, choice, type FieldErrors, field, notice, readForm } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-store.ts';
import { addUser, makeLink, roles, userName } from './users.ts';

const DAY_MS = 86_400_000;
/** How long an invitation can be opened, days. */
const linkDays = [1, 3, 7, 14];

/** An invitation: its days, and where it is sent to, if anywhere. */
const invited = {
  days: z.coerce.number().pipe(z.literal(linkDays)).catch(3),
  mail: z
    .union([z.literal(''), z.email()])
    .default('')
    .catch('?'),
};
const invitedAgain = z.object(invited);
const newUser = z.object({ name: userName, role: z.enum(roles), ...invited });
const roleChange = z.object({ role: z.enum(roles) });

const lastAdministrator = () => new Refusal(422, (errors) => errors.lastAdministrator);

const roleLabels = ({ users: { agentCan, administratorCan } }: Words) =>
  [
    ['agent', agentCan],
    ['administrator', administratorCan],
  ] as const;

type Parts = {
  store: { users: UserStore };
  sessions: Sessions;
  secondFactor: SecondFactor;
  directory: ServiceDirectory;
  keys: Keys;
  mailer: Mailer | undefined;
};

/** The users of the account. */
export function userPages(
  pages: Pages,
  { store, sessions, secondFactor, directory, keys, mailer }: Parts,
): void {
  /** Makes a link and sends it, if an address is given; shows it in any case. */
  async function invite(
    request: PageRequest,
    user: User,
    { days, mail: to }: { days: number; mail: string },
  ): Promise<Html> {
    const { account, words, origin } = request;
    const { users: text } = words;
    const link = `${origin}/sign-in#${await makeLink(store, keys, user, request.now, days * DAY_MS)}`;
    await request.audit('link', to ? `${user.name}, to ${to}` : user.name);
    const shown = invitation(words, user, link, days);
    if (to === '' || mailer === undefined) return shown;
    const mail = { to, subject: text.mailSubject(account.name), text: text.mailText(user.name, link, days) };
    const sent = await mailer.send(mail).then(
      () => notice(text.mailSent(to)),
      (error: Error) => notice(text.mailFailed(error.message), 'bad'),
    );
    return html`${sent}${shown}`;
  }
  async function chosen({ account, params }: PageRequest): Promise<User> {
    const user = await store.users.find({ uid: params.uid ?? '' });
    if (user === undefined || user.account !== account.id) throw new Refusal(404, (errors) => errors.noUser);
    return user;
  }
  /** Users of other accounts may have the same names: each account has an address of its own to sign in at. */
  const signInAddress = ({ account, origin }: PageRequest) =>
    directory.accounts().length > 1 ? `${origin}/sign-in?account=${account.uid}` : undefined;
  const list = async (request: PageRequest, extra: { errors?: FieldErrors; above?: Html } = {}) =>
    listPage(request, await store.users.list(request.account.id), {
      ...extra,
      mails: mailer !== undefined,
      address: signInAddress(request),
    });

  const page = (request: PageRequest, user: User, errors?: FieldErrors, above?: Html) =>
    userPage(request, user, { errors, above, mails: mailer !== undefined });

  pages.get('/users', 'administrator', (request) =>
    list(request, request.query.has('removed') ? { above: notice(request.words.users.removed) } : {}),
  );
  pages.post('/users', 'administrator', async (request) => {
    const { values, errors } = readForm(newUser, request);
    if (errors) return list(request, { errors });
    if (values.mail === '?') return list(request, { errors: { mail: request.words.formErrors.mailAddress } });
    const { name, role } = values;
    const user = await addUser(store, { account: request.account.id, name, role, now: request.now });
    if (user === undefined) return list(request, { errors: { name: request.words.formErrors.nameTaken } });
    await request.audit('user', `${user.name}: ${user.role}`);
    return list(request, { above: await invite(request, user, values) });
  });
  pages.get('/users/:uid', 'administrator', async (request) => page(request, await chosen(request)));
  pages.post('/users/:uid/reset', 'administrator', async (request) => {
    const user = await chosen(request);
    const { days = 3, mail = '' } = readForm(invitedAgain, request).values ?? {};
    if (mail === '?') return page(request, user, { mail: request.words.formErrors.mailAddress });
    await store.users.change(user.id, { password: null });
    await sessions.closeAll(user, null);
    await request.audit('reset', user.name);
    return page(request, { ...user, password: null }, undefined, await invite(request, user, { days, mail }));
  });
  pages.post('/users/:uid/second-factor-off', 'administrator', async (request) => {
    const user = await chosen(request);
    await secondFactor.disable(user);
    await request.audit('second-factor', `${user.name}: off`);
    return { redirect: `/users/${user.uid}?done` };
  });
  pages.post('/users/:uid/role', 'administrator', async (request) => {
    const user = await chosen(request);
    const { values } = readForm(roleChange, request);
    if (values === null || user.id === request.user.id) throw new Refusal(422, (errors) => errors.ownRole);
    if (!(await store.users.setRole(user.id, values.role))) throw lastAdministrator();
    await sessions.closeAll(user, null);
    await request.audit('role', `${user.name}: ${user.role} to ${values.role}`);
    return { redirect: `/users/${user.uid}?done` };
  });
  pages.post('/users/:uid/remove', 'administrator', async (request) => {
    const user = await chosen(request);
    if (user.id === request.user.id) throw new Refusal(422, (errors) => errors.removeYourself);
    if (!(await store.users.remove(user.id))) throw lastAdministrator();
    await sessions.closeAll(user, null);
    await request.audit('removal', `user ${user.name}`);
    return { redirect: '/users?removed' };
  });
}

function invitation(words: Words, user: User, link: string, days: number): Html {
  const { users } = words;
  return html`<section class="card" aria-labelledby="link-title">
    <h2 id="link-title">${users.invitationFor(displayText(user.name))}</h2>
    <p>${users.sendLink(displayText(user.name), days)}</p>
    ${copyable(words, 'link', users.link, link)}
  </section>`;
}

function listPage(
  request: PageRequest,
  users: readonly User[],
  {
    errors,
    above,
    mails,
    address,
  }: { errors?: FieldErrors; above?: Html; mails: boolean; address: string | undefined },
): Page {
  const { token, formats, now, words, extensions } = request;
  const { common, users: text } = words;
  const form = errors ? request.form : new URLSearchParams();
  return {
    title: text.title,
    scripts: ['copy-button.js'],
    ...(errors && { status: 422 }),
    body: html`
      <h1>${text.title}</h1>
      <p><a href="/audit">${words.audit.title}</a>: ${text.auditHint} <a href="/extensions">${text.extensions}</a>: ${text.extensionsHint}</p>
      ${above}
      ${table({
        caption: text.title,
        rows: users,
        columns: [
          {
            head: common.name,
            cell: ({ uid, name }) => html`<a href=${`/users/${uid}`}>${displayText(name)}</a>`,
          },
          { head: text.role, cell: ({ role }) => text.roles[role] },
          {
            head: text.extensions,
            wide: true,
            cell: ({ id }) => {
              const own = extensionsOf(extensions, id).join(', ');
              return own && displayText(own, 60);
            },
          },
          {
            head: text.password,
            cell: ({ password }) =>
              password === null ? html`<span class="quiet">${text.notSet}</span>` : text.set,
          },
          {
            head: text.secondFactor,
            wide: true,
            cell: ({ secondFactor }) =>
              secondFactor === null ? html`<span class="quiet">${common.off}</span>` : common.on,
          },
          { head: common.added, wide: true, cell: ({ createdAt }) => formats.moment(createdAt, now) },
        ],
        empty: null,
      })}
      ${
        address !== undefined &&
        html`<section class="card" aria-labelledby="sign-in">
          <h2 id="sign-in">${text.signingIn}</h2>
          ${copyable(words, 'address', text.address, address)}
        </section>`
      }
      <section class="card" aria-labelledby="add">
        <h2 id="add">${text.add}</h2>
        ${changeForm(
          { action: '/users', token, label: text.add },
          html`
            ${field({ label: common.name, name: 'name', value: form.get('name') ?? '', errors, required: true, maxlength: 80, autocomplete: 'off', hint: text.nameHint })}
            ${choice({ label: text.role, name: 'role', value: form.get('role') ?? 'agent', options: roleLabels(words), errors })}
            ${invitationFields(words, form, mails, errors)}
            <button type="submit" class="main">${common.add}</button>
          `,
        )}
      </section>
    `,
  };
}

/** How long the link works and, if mail is configured, where it is sent. */
function invitationFields(
  { users: text }: Words,
  form: URLSearchParams,
  mails: boolean,
  errors: FieldErrors | undefined,
): Html {
  const days = linkDays.map((count) => [String(count), text.days(count)] as const);
  return html`
    ${choice({ label: text.validFor, name: 'days', value: form.get('days') ?? '3', options: days })}
    ${mails && field({ label: text.sendTo, name: 'mail', value: form.get('mail') ?? '', errors, autocomplete: 'off', hint: text.sendToHint })}`;
}

function userPage(
  request: PageRequest,
  user: User,
  { errors, above = null, mails }: { errors: FieldErrors | undefined; above?: Html; mails: boolean },
): Page {
  const { token, query, words } = request;
  const { common, users: text } = words;
  const form = errors ? request.form : new URLSearchParams();
  const own = user.id === request.user.id;
  const at = (what: string) => `/users/${user.uid}/${what}`;
  return {
    title: text.userTitle(plainText(user.name, 60)),
    ...(errors && { status: 422 }),
    scripts: ['copy-button.js'],
    body: html`
      <p><a href="/users">← ${text.title}</a></p>
      <h1>${displayText(user.name)}</h1>
      ${query.has('done') && notice(common.saved)}
      ${above}
      ${
        own
          ? html`<section class="card"><p>${text.ownUser} <a href="/account">${words.account.title}</a></p></section>`
          : html`<section class="card" aria-labelledby="change">
              <h2 id="change">${text.roleAndAccess}</h2>
              <p>${text.secondFactor}: ${user.secondFactor === null ? common.off : common.on}</p>
              ${changeForm(
                { action: at('role'), token, label: text.role },
                html`${choice({ label: text.role, name: 'role', value: user.role, options: roleLabels(words) })}
                  <button type="submit">${text.saveRole}</button>`,
              )}
              <details>
                <summary>${text.reset}</summary>
                <p>${text.resetHint}</p>
                ${changeForm(
                  { action: at('reset'), token, label: text.reset },
                  html`${invitationFields(words, form, mails, errors)}
                    <button type="submit" class="danger">${text.resetButton}</button>`,
                )}
              </details>
              ${
                user.secondFactor !== null &&
                html`<details>
                  <summary>${text.factorOff}</summary>
                  <p>${text.factorOffHint}</p>
                  ${button({ action: at('second-factor-off'), token, danger: true }, common.switchOff)}
                </details>`
              }
              <details>
                <summary>${common.remove}</summary>
                <p>${text.removeHint}</p>
                ${button({ action: at('remove'), token, danger: true }, text.removeButton)}
              </details>
            </section>`
      }
    `,
  };
}
