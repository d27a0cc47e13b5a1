import { z } from 'zod';
import type { Account, Extensions } from '../accounts/account.ts';
import { newUid } from '../accounts/directory.ts';
import { type Keys, sameText } from '../accounts/keys.ts';
import { accountLimits, limitReached } from '../accounts/limits.ts';
import type { Role, User } from '../accounts/user.ts';
import { Refusal } from '../kit/refusal.ts';
import { comparable, personName } from '../kit/text.ts';
import { isInForce } from '../rules/time-limit.ts';
import { formError } from '../words/words.ts';
import { passwordLength } from './password.ts';
import type { UserStore } from './user-store.ts';

export const roles = ['administrator', 'agent'] as const satisfies readonly Role[];

const NAME_LENGTH = 80;

/** A name to sign in with: an e-mail address, a first name. */
export const userName = personName('name', NAME_LENGTH);

export const newPassword = z
  .string()
  .max(passwordLength.max, { abort: true })
  .refine((password) => [...password].length >= passwordLength.min, {
    ...formError('passwordShort'),
    abort: true,
  })
  .refine((password) => new Set(password).size > 4, formError('passwordEasy'));

/** Names that look the same sign in as the same user. */
export const signInName = comparable;

/**
 * Adds a user without a password, who signs in with a one-time link and chooses one. Undefined if the name is taken.
 * @throws Refusal if the account may have no more users
 */
export async function addUser(
  { users }: { readonly users: UserStore },
  {
    account: { id: account, mostUsers },
    name,
    role,
    now,
  }: { account: Pick<Account, 'id' | 'mostUsers'>; name: string; role: Role; now: number },
): Promise<User | undefined> {
  const wanted = signInName(name);
  const user = await users.add({
    uid: newUid(),
    account,
    name,
    signInName: wanted,
    role,
    password: null,
    createdAt: now,
  });
  if (user === undefined && (await users.find({ signInName: wanted, account }))?.account !== account)
    throw new Refusal(409, ({ tooManyUsers }) => tooManyUsers(mostUsers ?? accountLimits.users));
  return user;
}

/** The account's first administrator; added if it has none, so that an account always has one. */
export async function firstAdministrator(
  store: { readonly users: UserStore },
  account: Pick<Account, 'id' | 'uid' | 'mostUsers'>,
  now: number,
): Promise<User> {
  const known = (await store.users.list(account.id)).filter(({ role }) => role === 'administrator');
  const first = known.sort((a, b) => a.id - b.id)[0];
  if (first !== undefined) return first;
  const [plain, certain] = ['Administrator', `Administrator ${account.uid}`];
  const add = (name: string) => addUser(store, { account, name, role: 'administrator', now });
  const made = (await add(plain)) ?? (await add(certain));
  if (made === undefined)
    throw new Error(`the user "${certain}" exists and is not an administrator of this account`);
  return made;
}

/** How long an invitation can be opened; no link can be longer. */
export const LINK_DAYS = 7;
const DAY_MS = 86_400_000;

/** @throws ChangeRefused if the account cannot have as many extensions more as are new among these */
export function refuseTooMany(known: Extensions, wanted: readonly string[]): void {
  const added = new Set(wanted.filter((extension) => !known.has(extension))).size;
  if (added > 0 && known.size + added > accountLimits.extensions) throw limitReached('extensions');
}

/** How long a link can be opened, if nothing else was chosen: 15 minutes. */
const LINK_MS = 15 * 60_000;

/** Makes a text that signs in as a user, once, within `lifetime` ms. Any older link of the user ends. */
export async function createLink(
  { users }: { readonly users: UserStore },
  keys: Keys,
  user: Pick<User, 'id' | 'uid'>,
  now: number,
  lifetime = LINK_MS,
): Promise<string> {
  const text = [user.uid, await users.newLink(user.id), now + lifetime].join('.');
  return `${text}.${keys.sign('link', text)}`;
}

/** Uses a link up. Returns its user, or undefined if the link is not valid: forged, used, expired or ended. */
export async function useLink(
  { users }: { readonly users: UserStore },
  keys: Keys,
  link: string,
  now: number,
): Promise<User | undefined> {
  const dot = link.lastIndexOf('.');
  const text = link.slice(0, dot);
  if (!sameText(link.slice(dot + 1), keys.sign('link', text))) return undefined;
  const [uid = '', counter, expires] = text.split('.');
  if (!isInForce(Number(expires), LINK_DAYS * DAY_MS, now)) return undefined;
  return users.useLink(uid, Number(counter));
}

/** Such a text for somebody who is invited. */
export const createInvitation = (
  store: { readonly users: UserStore },
  keys: Keys,
  user: Pick<User, 'id' | 'uid'>,
  now: number,
): Promise<string> => createLink(store, keys, user, now, LINK_DAYS * DAY_MS);
