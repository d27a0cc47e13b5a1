import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_AGE_MS } from './sessions.ts';

/**
 * The names of the cookies. With https they begin with `__Host-`, so that no other host and no http page can set them
 * (RFC 6265bis, 4.1.3.2).
 */
export function cookieNames(protocol: string) {
  const prefix = protocol === 'https' ? '__Host-' : '';
  return {
    session: `${prefix}pbx-bridge-session`,
    /** See known-browser.ts. */
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

/** `host`: the host that the browser requested. */
type Origin = { readonly headers: Record<string, unknown>; readonly host: string };

/**
 * True if a page of this service made the request. With https or on localhost browsers send Sec-Fetch-Site, otherwise
 * Origin with every form. A request with neither is refused: every browser of this decade sends one.
 * Only the host is compared: behind a proxy that is not trusted the protocol is unknown.
 * Sources: Fetch Metadata Request Headers (W3C), Fetch standard 3.2 (Origin).
 */
export function isSameOrigin({ headers, host }: Origin): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
