import { randomBytes } from 'node:crypto';
import { type Keys, sameText } from '../accounts/keys.ts';
import type { Store } from '../store/store.ts';

/** How long a link waits to be opened. */
export const LINK_MS = 15 * 60_000;

/** A text that signs in as a user, once, until it expires. It holds no secret but its signature. */
export function makeLink(keys: Keys, userUid: string, now: number): string {
  const text = [userUid, now + LINK_MS, randomBytes(16).toString('hex')].join('.');
  return `${text}.${keys.sign('link', text)}`;
}

/** The user's uid of a link that is good and was not used before; uses it up. */
export async function useLink(
  link: string,
  keys: Keys,
  store: Pick<Store, 'useLink'>,
  now: number,
): Promise<string | undefined> {
  const dot = link.lastIndexOf('.');
  const text = link.slice(0, Math.max(0, dot));
  if (dot < 0 || !sameText(link.slice(dot + 1), keys.sign('link', text))) return undefined;
  const [uid, expires] = text.split('.');
  if (uid === undefined || !(Number(expires) > now)) return undefined;
  return (await store.useLink(text, Number(expires), now)) ? uid : undefined;
}
