import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is read as it is worked on, for however long that takes. */
    longBody?: true;
  }
}

const MEGABYTE = 1024 * 1024;

/**
 * Ends requests whose body takes longer to arrive than `perMegabyteMs` for each megabyte that it has, or may have. Node's own
 * limit is one for all requests: it would end an import in the middle.
 */
export function limitArrival(app: FastifyInstance, perMegabyteMs: number): void {
  app.addHook('onRequest', ({ raw, routeOptions: { bodyLimit, config } }, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if ((length !== undefined || encoding !== undefined) && config.longBody !== true) {
      const most = bodyLimit ?? MEGABYTE;
      const bytes = Math.min(length === undefined ? most : Number(length), most);
      const timer = setTimeout(
        () => {
          if (raw.complete) return;
          if (reply.raw.headersSent) return void raw.destroy();
          const error = Object.assign(new Error('the body did not arrive in time'), {
            code: 'ERR_HTTP_REQUEST_TIMEOUT',
          });
          app.server.emit('clientError', error, raw.socket);
        },
        perMegabyteMs * Math.max(1, bytes / MEGABYTE),
      ).unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Closes a connection on which nothing has moved for the server's `connectionTimeout`: its client has stopped sending, or
 * reading. One whose request is worked on goes on waiting: an import may take minutes.
 */
export function closeStalled(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // With a listener, closing it is ours to do.
    reply.raw.on('timeout', (socket: Socket) => {
      if (!raw.complete || reply.raw.headersSent) socket.destroy();
    });
    done();
  });
}

/** Closes a connection that does not agree on TLS, or takes too long for it. Node would have it answered as HTTP, which never ends. */
export function closeFailedHandshakes(app: FastifyInstance): void {
  const server: EventEmitter = app.server;
  server.prependListener('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
}
