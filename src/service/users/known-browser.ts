import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Keys, sameText } from '../accounts/keys.ts';
import { cookieNames, cookieOptions } from './session-cookie.ts';

/** The longest that browsers keep a cookie (RFC 6265bis, 5.5). */
const MAX_AGE_S = 400 * 86_400;
/** Users of one browser, such as those of a reception desk. */
const MAX_USERS = 10;

export type KnownBrowsers = ReturnType<typeof makeKnownBrowsers>;

/**
 * A cookie of a browser that has signed in: a random id, the account of the last sign-in, and a signature for each user
 * who signed in. It grants no access. It gives these users a limit of attempts that others cannot use up.
 */
export function makeKnownBrowsers(keys: Keys) {
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
