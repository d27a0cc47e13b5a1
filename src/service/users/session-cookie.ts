import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Keys, sameText } from '../accounts/keys.ts';
import { MAX_AGE_MS } from './sessions.ts';

/**
 * The names of the cookies. With https they begin with `__Host-`, so that no other host and no http page can set them
 * (RFC 6265bis, 4.1.3.2).
 */
export function cookieNames(protocol: string) {
  const prefix = protocol === 'https' ? '__Host-' : '';
  return {
    session: `${prefix}pbx-bridge-session`,
    /** See createKnownBrowsers. */
    browser: `${prefix}pbx-bridge-browser`,
    /** Between the password and the code of the second factor. */
    code: `${prefix}pbx-bridge-code`,
  } as const;
}

/** SameSite=Lax: a link in an e-mail opens with the reader signed in. */
export const cookieOptions = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' }) as const;

export const sessionCookie = {
  read: (request: FastifyRequest): string | undefined =>
    request.cookies[cookieNames(request.protocol).session],
  set(reply: FastifyReply, value: string): void {
    const { request } = reply;
    reply.setCookie(cookieNames(request.protocol).session, value, {
      ...cookieOptions(request),
      maxAge: MAX_AGE_MS / 1000,
    });
  },
  clear(reply: FastifyReply): void {
    const { request } = reply;
    const { session, code } = cookieNames(request.protocol);
    for (const name of [session, code]) reply.clearCookie(name, cookieOptions(request));
  },
};

/** `host`: the host that the browser requested, as far as a proxy says it; so with `protocol`. */
type Origin = { readonly headers: Record<string, unknown>; readonly host: string; readonly protocol: string };

/**
 * True if a page of this service made the request. With https or on localhost browsers send Sec-Fetch-Site, otherwise
 * Origin with every form. A request with neither is refused: every browser of this decade sends one.
 * `publicUrl` is the address in the settings: a proxy can leave the port out of the host. With http the protocol is not
 * compared: behind a proxy that is not trusted it is unknown.
 * Sources: Fetch Metadata Request Headers (W3C), Fetch standard 3.2 (Origin).
 */
export function isSameOrigin({ headers, host, protocol }: Origin, publicUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = typeof headers.origin === 'string' ? URL.parse(headers.origin) : null;
  if (origin === null) return false;
  if (publicUrl !== undefined && origin.origin === new URL(publicUrl).origin) return true;
  return origin.host === host.toLowerCase() && (protocol !== 'https' || origin.protocol === 'https:');
}

/** The longest that browsers keep a cookie (RFC 6265bis, 5.5). */
const MAX_AGE_S = 400 * 86_400;
/** Users of one browser, such as those of a reception desk. */
const MAX_USERS = 10;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * A cookie of a browser that has signed in: a random id, the account of the last sign-in, and a signature for each user
 * who signed in. It grants no access. It gives these users a limit of attempts that others cannot use up.
 */
export function createKnownBrowsers(keys: Keys) {
  const read = ({ cookies, protocol }: FastifyRequest) => {
    const [id = '', account = '', ...signatures] = (cookies[cookieNames(protocol).browser] ?? '').split('.');
    return { id, account, signatures };
  };
  const signature = (id: string, uid: string) => keys.sign('browser', `${id} ${uid}`);
  return {
    /** The browser's id, if this user has signed in with it. */
    id(request: FastifyRequest, uid: string): string | undefined {
      const { id, signatures } = read(request);
      const expected = signature(id, uid);
      return signatures.some((given) => sameText(given, expected)) ? id : undefined;
    },
    /** The account of the last sign-in, as its uid. */
    account: (request: FastifyRequest): string | undefined => read(request).account || undefined,
    remember(reply: FastifyReply, { uid }: { readonly uid: string }, account: string): void {
      const { request } = reply;
      const known = read(request);
      const id = /^[\w-]{22}$/.test(known.id) ? known.id : randomBytes(16).toString('base64url');
      const own = signature(id, uid);
      const others = known.id === id ? known.signatures.filter((other) => other !== own) : [];
      reply.setCookie(
        cookieNames(request.protocol).browser,
        [id, account, own, ...others].slice(0, MAX_USERS + 2).join('.'),
        { ...cookieOptions(request), maxAge: MAX_AGE_S },
      );
    },
  };
}
