import type { FastifyInstance } from 'fastify';

/** Where a request came from if its client had already left when it was read. */
const UNKNOWN = 'unknown';

/**
 * Makes each request keep the client's address, the protocol and the host as they were on arrival. Fastify reads them from
 * the socket each time, and a socket that was closed while the request was worked on has no address any more (Node:
 * `socket.remoteAddress` is undefined once it is destroyed). Of several proxies that are trusted, the first says which protocol
 * the browser used: `https, http`. Fastify takes the last, and compares the case.
 */
export function keepOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const forwarded = request.headers['x-forwarded-proto'];
    if (typeof forwarded === 'string')
      request.headers['x-forwarded-proto'] = forwarded.split(',', 1).join('').trim().toLowerCase();
    const { ip = UNKNOWN, protocol, host } = request;
    const kept = { ip, protocol, host };
    for (const [name, value] of Object.entries(kept)) Object.defineProperty(request, name, { value });
    done();
  });
}
