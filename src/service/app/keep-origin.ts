import type { FastifyInstance } from 'fastify';

/** Where a request came from if its client had already left when it was read. */
const UNKNOWN = 'unknown';

/**
 * Makes each request keep the client's address, the protocol and the host as they were on arrival. Fastify reads them from
 * the socket each time, and a socket that was closed while the request was worked on has no address any more (Node:
 * `socket.remoteAddress` is undefined once it is destroyed).
 */
export function keepOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { ip = UNKNOWN, protocol, host } = request;
    const kept = { ip, protocol, host };
    for (const [name, value] of Object.entries(kept)) Object.defineProperty(request, name, { value });
    done();
  });
}
