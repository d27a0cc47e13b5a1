import { z } from 'zod';
import { newUid } from '../accounts/setup.ts';
import type { Role, User } from '../accounts/user.ts';
import { comparable, personName } from '../kit/text.ts';
import { formError } from '../words/words.ts';
import { passwordLength } from './password.ts';
import type { UserStore } from './user-store.ts';

export const roles = ['administrator', 'agent'] as const satisfies readonly Role[];

const NAME_LENGTH = 80;

/** A name to sign in with: an e-mail address, a first name. */
export const userName = personName('name', NAME_LENGTH);

export const newPassword = z
  .string()
  .refine((password) => [...password].length >= passwordLength.min, {
    ...formError('passwordShort'),
    abort: true,
  })
  .refine((password) => [...password].length <= passwordLength.max, {
    ...formError('passwordLong'),
    abort: true,
  })
  .refine((password) => new Set(password).size > 4, formError('passwordEasy'));

/** Names that look the same sign in as the same user. */
export const signInName = comparable;

/** Adds a user without a password, who signs in with a one-time link and chooses one. Undefined if the name is taken. */
export function addUser(
  { users }: { readonly users: UserStore },
  { account, name, role, now }: { account: number; name: string; role: Role; now: number },
): Promise<User | undefined> {
  return users.add({
    uid: newUid(),
    account,
    name,
    signInName: signInName(name),
    role,
    password: null,
    createdAt: now,
  });
}

/** The account's first administrator; added if it has none, so that an account always has one. */
export async function firstAdministrator(
  store: { readonly users: UserStore },
  account: { readonly id: number; readonly uid: string },
  now: number,
): Promise<User> {
  const known = (await store.users.list(account.id)).filter(({ role }) => role === 'administrator');
  const first = known.sort((a, b) => a.id - b.id)[0];
  if (first !== undefined) return first;
  const [plain, certain] = ['Administrator', `Administrator ${account.uid}`];
  const add = (name: string) => addUser(store, { account: account.id, name, role: 'administrator', now });
  const made = (await add(plain)) ?? (await add(certain));
  if (made === undefined)
    throw new Error(`the user "${certain}" exists and is not an administrator of this account`);
  return made;
}
