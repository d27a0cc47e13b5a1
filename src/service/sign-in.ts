import { randomBytes } from 'node:crypto';
import { type Keys, sameText } from './keys.ts';
import type { Store } from './store/store.ts';

/** How long a link waits to be opened, and how long a browser then stays signed in. */
export const LINK_MS = 15 * 60_000;
export const SESSION_MS = 12 * 3_600_000;

const COOKIE = 'pbx_bridge_session';

/** A text that opens one session of an account, once, until it expires. It holds no secret but its signature. */
export function makeLink(keys: Keys, accountUid: string, now: number): string {
  const text = [accountUid, now + LINK_MS, randomBytes(16).toString('hex')].join('.');
  return `${text}.${keys.sign('link', text)}`;
}

/** The account's uid of a link that is good and was not used before; uses it up. */
export async function useLink(
  link: string,
  keys: Keys,
  store: Store,
  now: number,
): Promise<string | undefined> {
  const signed = verified(link, 'link', keys);
  const [uid, expires] = signed?.split('.') ?? [];
  if (signed === undefined || uid === undefined || !(Number(expires) > now)) return undefined;
  return (await store.useLink(signed, Number(expires), now)) ? uid : undefined;
}

/** The Set-Cookie that signs a browser in. `secure`: the page came by https. */
export function sessionCookie(keys: Keys, accountUid: string, now: number, secure: boolean): string {
  const text = `${accountUid}.${now + SESSION_MS}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_MS / 1000}${secure ? '; Secure' : ''}`;
  return `${COOKIE}=${text}.${keys.sign('session', text)}; ${attributes}`;
}

/** The account's uid of the session in a Cookie header. */
export function sessionAccount(cookies: string | undefined, keys: Keys, now: number): string | undefined {
  const value = cookies
    ?.split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
  const [uid, expires] = verified(value ?? '', 'session', keys)?.split('.') ?? [];
  return Number(expires) > now ? uid : undefined;
}

/** The text before the signature, if the signature is right. */
function verified(signed: string, purpose: string, keys: Keys): string | undefined {
  const dot = signed.lastIndexOf('.');
  const text = signed.slice(0, Math.max(0, dot));
  return dot > 0 && sameText(signed.slice(dot + 1), keys.sign(purpose, text)) ? text : undefined;
}
