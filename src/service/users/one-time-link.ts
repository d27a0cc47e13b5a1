import { type Keys, sameText } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import type { UserStore } from './user-store.ts';

/** How long a link can be opened, if nothing else was chosen: 15 minutes. */
const LINK_MS = 15 * 60_000;

/** Makes a text that signs in as a user, once, within `lifetime` ms. Any older link of the user ends. */
export async function makeLink(
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
  return Number(expires) > now ? users.useLink(uid, Number(counter)) : undefined;
}
