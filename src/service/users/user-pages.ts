import { z } from 'zod';
import type { Mailer } from '../../shared/mail/mail.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { Keys } from '../accounts/keys.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { User } from '../accounts/user.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { createAttemptCounters } from '../kit/attempt-counters.ts';
import { copyable, displayText } from '../kit/display-text.ts';
import {
  asRead,
  button,
  changedFields,
  choice,
  choices,
  type FieldErrors,
  field,
  fold,
  notice,
  readForm,
  refusedField,
} from '../kit/form.ts';
import { listPage, type RowForm } from '../kit/list-page.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { numberedPage } from '../kit/table.ts';
import { line } from '../kit/text.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-store.ts';
import { numberTable, userTable } from './user-tables.ts';
import { addUser, createInvitation, LINK_DAYS, refuseTooMany, roles, userName } from './users.ts';

const MAX_EXTENSIONS = 1000;
/** Users on a page of them. */
const PER_PAGE = 200;
const byNumber = new Intl.Collator('en', { numeric: true });

const changed = { role: z.enum(roles), extensions: line('extension', { blank: true }).default('') };
const newUser = z.object({ name: userName, ...changed });
const userChange = z.object(changed);
const named = z.object({
  extension: line('extension'),
  name: line('name', { max: 80, blank: true }),
  user: z.string().default(''),
});

const extensionsIn = (text: string) => text.split(/[\s,;]+/).filter(Boolean);
const isMail = (text: string) => z.email().safeParse(text).success;

type Parts = {
  /** Whom a user who is removed had taken is free again. */
  readonly callBackList: { publish(account: number): Promise<void> };
  readonly store: {
    readonly users: UserStore;
    /** The extensions that answered, and the numbers that were called. */
    readonly calls: {
      distinct(account: number, of: 'extensions' | 'numbers called', max: number): Promise<string[]>;
    };
  };
  readonly sessions: Sessions;
  readonly access: { readonly secondFactor: SecondFactor };
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly mailer: Mailer | undefined;
};

type MailingParts = Parts & { readonly mailedLinks: ReturnType<typeof createAttemptCounters> };

/** Links that are mailed to one address, and of one account, in a quarter of an hour: addresses are whatever somebody types. */
const MOST_LINKS = { address: 5, account: 100 } as const;

/** A mail server may be slow. */
const mailing = { turn: 'long' } as const;

/** The users of the account with their extensions, and the extensions and numbers called that have only a name. */
export function userPages(pages: Pages, parts: Parts): void {
  const mailingParts: MailingParts = { ...parts, mailedLinks: createAttemptCounters() };
  pages.get('/users', 'administrator', (request) => userList(request, parts));
  pages.post('/users', 'administrator', (request) => inviteUser(request, mailingParts), mailing);
  pages.post('/extensions', 'administrator', (request) => nameExtension(request, parts));
  pages.get('/users/:uid', 'administrator', async (request) =>
    userList(request, parts, { user: await chosen(request, parts) }),
  );
  pages.post('/users/:uid', 'administrator', (request) => changeUser(request, parts));
  pages.post('/users/:uid/reset', 'administrator', (request) => resetUser(request, mailingParts), mailing);
  pages.post('/users/:uid/second-factor-off', 'administrator', (request) => endSecondFactor(request, parts));
  pages.post('/users/:uid/remove', 'administrator', (request) => removeUser(request, parts));
}

/** What the list of users shows besides them: the form of one, with its errors, and what was done. */
type Shown = { readonly errors?: FieldErrors; readonly above?: Html; readonly user?: User };

/** Makes a link and mails it, if the user is named by an address; shows it in any case. */
async function invite(
  request: UserRequest,
  user: User,
  { store, keys, mailer, mailedLinks }: MailingParts,
): Promise<Html> {
  const { account, words, linkOrigin } = request;
  const { users: text } = words;
  const link = `${linkOrigin}/sign-in#${await createInvitation(store, keys, user, request.now)}`;
  const to = mailer && isMail(user.name) ? user.name : '';
  await request.audit('link', to ? `${user.name}, to ${to}` : user.name);
  const shown = html`${notice(text.sendLink(displayText(user.name), LINK_DAYS))}${copyable(words, 'link', text.link, link)}`;
  if (to === '' || mailer === undefined) return shown;
  const limits = [
    [`address ${to.toLowerCase()}`, MOST_LINKS.address],
    [`account ${account.id}`, MOST_LINKS.account],
  ] as const;
  if (mailedLinks.count(limits, request.now) === undefined)
    return html`${notice(words.errors.tooManyAttempts, 'bad')}${shown}`;
  const mail = {
    to,
    subject: text.mailSubject(account.name),
    text: text.mailText(user.name, link, LINK_DAYS),
  };
  const sent = await mailer.send(mail).then(
    () => notice(text.mailSent(to)),
    (error: Error) => notice(text.mailFailed(error.message), 'bad'),
  );
  return html`${sent}${shown}`;
}

async function chosen({ account, params }: UserRequest, { store }: Parts): Promise<User> {
  const user = await store.users.find({ uid: params.uid ?? '' });
  if (user === undefined || user.account !== account.id) throw new Refusal(404, (errors) => errors.notThere);
  return user;
}

async function userList(before: UserRequest, parts: Parts, shown: Shown = {}): Promise<Page> {
  const { account, words, form, linkOrigin } = before;
  const { store, directory } = parts;
  // A form may have given some of them since the request came.
  const extensions = directory.extensions(account.id);
  const request = { ...before, extensions };
  const place = numberedPage(request, '/users', 'users', PER_PAGE);
  const [users, answered, called] = await Promise.all([
    store.users.page(account.id, PER_PAGE + 1, place.skipped),
    store.calls.distinct(account.id, 'extensions', MAX_EXTENSIONS),
    store.calls.distinct(account.id, 'numbers called', MAX_EXTENSIONS),
  ]);
  const known = new Set([...extensions.keys(), ...answered]).difference(new Set(called));
  const without = [...known].filter((one) => (extensions.get(one)?.user ?? null) === null);
  without.sort(byNumber.compare);
  const listed = users.slice(0, PER_PAGE);
  const seen = await store.users.lastSeen(
    account.id,
    listed.map(({ id }) => id),
  );
  // Users of other accounts may have the same names: each account has an address of its own to sign in at.
  const address = directory.accounts().length > 1 && `${linkOrigin}/sign-in?account=${account.uid}`;
  const { errors, above } = shown;
  return listPage(request, {
    path: '/users',
    errors,
    above,
    edited: await openForm(request, parts, shown),
    addLabel: words.users.invite,
    add: () => [
      nameField(words, form.get('name') ?? '', errors),
      userFields(request, { extensions: '', role: 'agent' }, errors),
    ],
    list: html`
        ${userTable(request, listed, seen)}
        ${place.links(users.length > PER_PAGE)}
        ${numberTable(request, words.users.without, without, 'extension')}
        ${numberTable(request, words.users.numbersCalled, called, 'called')}
        ${address && html`<div class="after">${copyable(words, 'address', words.users.address, address)}</div>`}`,
  });
}

const nameField = ({ users }: Words, value: string, errors: FieldErrors | undefined): Html =>
  field({
    label: users.nameOrMail,
    name: 'name',
    value,
    errors,
    required: true,
    maxlength: 80,
    autocomplete: 'off',
    autofocus: true,
  });

/** The form of a user or of an extension, if one is chosen. */
async function openForm(
  request: UserRequest,
  { store }: Parts,
  { errors, user }: Shown,
): Promise<RowForm | undefined> {
  if (user) return userForm(request, user, errors);
  const extension = request.form.get('extension') ?? request.query.get('extension');
  if (extension === null) return undefined;
  const users = await store.users.page(request.account.id, accountLimits.users, 0);
  return extensionForm(request, extension, users, errors);
}

async function inviteUser(request: UserRequest, parts: MailingParts): Promise<Page> {
  const { account, words, now } = request;
  const { values, errors } = readForm(newUser, request);
  if (errors) return userList(request, parts, { errors });
  const { name, role } = values;
  const wanted = extensionsIn(values.extensions);
  refuseTooMany(request.extensions, wanted);
  const user = await addUser(parts.store, { account, name, role, now });
  if (user === undefined) return userList(request, parts, { errors: { name: words.formErrors.nameTaken } });
  await request.audit('user', `${user.name}: ${user.role}`);
  await parts.directory.giveExtensions(account.id, user.id, wanted);
  const invited = await invite(request, user, parts);
  return userList(request, parts, { above: html`${taken(request, user, wanted)}${invited}` });
}

async function nameExtension(request: UserRequest, parts: Parts): Promise<Answer> {
  const { store, directory } = parts;
  const { values, errors } = readForm(named, request);
  if (errors) return userList(request, parts, { errors });
  const { extension, user: uid } = values;
  const stored = request.extensions.get(extension);
  const changed = changedFields(request.form, { name: stored?.name ?? '', user: '' });
  const name = changed.has('name') ? values.name : (stored?.name ?? '');
  const known = uid === '' ? undefined : await store.users.find({ uid });
  const user = known?.account === request.account.id ? known : undefined;
  const of = changed.has('user') ? (user?.id ?? null) : (stored?.user ?? null);
  const put = directory.putExtension(request.account.id, { extension, name, user: of });
  const refused = await refusedField('extension', request, put);
  if (refused) return userList(request, parts, { errors: refused });
  await request.audit('settings', `extension ${extension}: ${name || 'no name'}, ${user?.name ?? 'no user'}`);
  return { redirect: '/users?done' };
}

async function changeUser(request: UserRequest, parts: Parts): Promise<Answer> {
  const { store, sessions, directory } = parts;
  const user = await chosen(request, parts);
  const { values, errors } = readForm(userChange, request);
  if (errors) return userList(request, parts, { user, errors });
  const changed = changedFields(request.form, storedFields(request, user));
  if (changed.has('role') && values.role !== user.role) {
    const refuse = (role: string) => userList(request, parts, { user, errors: { role } });
    if (user.id === request.user.id) return refuse(request.words.errors.ownRole);
    if (!(await store.users.setRole(user.id, values.role)))
      return refuse(request.words.errors.lastAdministrator);
    await sessions.closeAll(user, null);
    await request.audit('role', `${user.name}: ${user.role} to ${values.role}`);
  }
  const wanted = extensionsIn(values.extensions);
  if (changed.has('extensions') && wanted.join() !== extensionsOf(request.extensions, user.id).join()) {
    await directory.giveExtensions(request.account.id, user.id, wanted);
    await request.audit('settings', `extensions of ${user.name}: ${wanted.join(', ') || 'none'}`);
    const above = taken(request, user, wanted);
    if (above.length > 0) return userList(request, parts, { above });
  }
  return { redirect: '/users?done' };
}

async function resetUser(request: UserRequest, parts: MailingParts): Promise<Page> {
  const user = await chosen(request, parts);
  await parts.store.users.change(user.id, { password: null });
  await parts.sessions.closeAll(user, null);
  await request.audit('reset', user.name);
  return userList(request, parts, {
    user: { ...user, password: null },
    above: await invite(request, user, parts),
  });
}

async function endSecondFactor(request: UserRequest, parts: Parts): Promise<Answer> {
  const user = await chosen(request, parts);
  await parts.access.secondFactor.disable(user);
  await request.audit('second-factor', `${user.name}: off`);
  return { redirect: `/users/${user.uid}?done` };
}

async function removeUser(request: UserRequest, parts: Parts): Promise<Answer> {
  const { store, sessions, callBackList } = parts;
  const user = await chosen(request, parts);
  if (user.id === request.user.id) throw new Refusal(422, (errors) => errors.ownRole);
  if (!(await store.users.remove(user.id))) throw new Refusal(422, (errors) => errors.lastAdministrator);
  await sessions.closeAll(user, null);
  await callBackList.publish(request.account.id);
  await request.audit('removal', `user ${user.name}`);
  return { redirect: '/users?done' };
}

/** Says which of a user's new extensions were somebody else's, by the `request` before the change: a slip takes a colleague's calls. */
const taken = ({ extensions, words }: UserRequest, user: User, wanted: readonly string[]) =>
  wanted.flatMap((one) => {
    const { user: owner = null, userName } = extensions.get(one) ?? {};
    if (owner === null || owner === user.id) return [];
    return [notice(words.users.takenFrom(displayText(one, 40), displayText(userName ?? '', 80)), 'bad')];
  });

const storedFields = ({ extensions }: UserRequest, { id, role }: User) => ({
  extensions: extensionsOf(extensions, id).join(', '),
  role,
});

/** Of a user: the extensions and the role. */
function userFields(
  { words: { users: text }, form }: UserRequest,
  saved: { readonly extensions: string; readonly role: string },
  errors: FieldErrors | undefined,
): Html {
  const chosen = form.get('role') ?? saved.role;
  return html`
    ${field({ label: text.extensions, name: 'extensions', value: form.get('extensions') ?? saved.extensions, errors, maxlength: 255, autocomplete: 'off', placeholder: '1005, 1012' })}
    ${choices(
      text.role,
      roles
        .toReversed()
        .map((value) => ({ name: 'role', value, text: text.can[value], checked: value === chosen })),
      { type: 'radio', error: errors?.role },
    )}`;
}

function userForm(request: UserRequest, user: User, errors?: FieldErrors): RowForm {
  const { token, words, form } = request;
  const { common, users: text } = words;
  const stored = storedFields(request, user);
  const at = (what: string) => `/users/${user.uid}/${what}`;
  const isOther = user.id !== request.user.id;
  return {
    name: displayText(user.name, 80),
    label: plainText(user.name, 60),
    action: `/users/${user.uid}`,
    fields: html`${asRead(form, stored)}${userFields(request, stored, errors)}`,
    also:
      isOther &&
      html`${fold(text.reset, html`<p>${text.resetHint}</p>${button({ action: at('reset'), token, danger: true }, text.reset)}`, user.password === null && text.invited)}
        ${user.secondFactor !== null && fold(words.secondFactor.title, button({ action: at('second-factor-off'), token, danger: true }, common.switchOff), common.on)}`,
    remove: isOther
      ? { action: at('remove'), what: plainText(user.name, 40), hint: text.removeHint }
      : undefined,
  };
}

/** The name of an extension or of a number that was called, and its user. */
function extensionForm(
  { words, extensions, form }: UserRequest,
  extension: string,
  users: readonly User[],
  errors?: FieldErrors,
): RowForm {
  const { common, users: text } = words;
  const stored = extensions.get(extension)?.name ?? '';
  return {
    name: null,
    label: text.extension,
    action: '/extensions',
    fields: html`
      ${asRead(form, { name: stored, user: '' })}
      ${field({ label: text.extension, name: 'extension', value: extension, errors, required: true, maxlength: 255 })}
      ${field({ label: common.name, name: 'name', value: form.get('name') ?? stored, errors, maxlength: 80, autofocus: true })}
      ${choice({ label: text.user, name: 'user', value: form.get('user') ?? '', options: [['', common.none], ...users.map(({ uid, name }) => [uid, plainText(name, 60)] as const)] })}`,
  };
}
