import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_AGE_MS } from './sessions.ts';

/**
 * The cookie of a session. With https its name begins with `__Host-`, so that no other host and no http page can set it
 * (RFC 6265bis, 4.1.3.2). SameSite=Lax: a link in an e-mail opens with the reader signed in.
 */
const name = (request: FastifyRequest) =>
  request.protocol === 'https' ? '__Host-pbx-bridge' : 'pbx-bridge-session';

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' }) as const;

export const sessionCookie = {
  read: (request: FastifyRequest): string | undefined => request.cookies[name(request)],
  set(reply: FastifyReply, value: string): void {
    const { request } = reply;
    reply.setCookie(name(request), value, { ...attributes(request), maxAge: MAX_AGE_MS / 1000 });
  },
  clear(reply: FastifyReply): void {
    const { request } = reply;
    reply.clearCookie(name(request), attributes(request));
  },
};
