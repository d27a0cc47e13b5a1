import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearer.ts';
import type { ServiceContext } from '../context.ts';
import { eventFrame, screenCall } from '../screens.ts';
import { sessionAccount } from '../sign-in.ts';

/** A screen that is this far behind is cut off; it connects again and gets the calls as they are then. */
const BACKLOG_BYTES = 1_000_000;
const BEAT_MS = 15_000;
/** The newest; a call whose end nobody told stays open for ever. */
const OPEN_CALLS = 500;

/**
 * GET /events: the account's calls as they move, to a signed-in browser or to a client with an integration token.
 * First `calls`, those that are open; then `call` for each that moves. After a break the browser connects again and
 * begins with `calls`, so nothing that was missed stays on a screen.
 */
export function eventRoutes({ store, directory, keys, screens, clock, log }: ServiceContext) {
  function accountOf(request: FastifyRequest): number | undefined {
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) return directory.caller(token)?.account.id;
    const uid = sessionAccount(request.headers.cookie, keys, clock());
    return uid === undefined ? undefined : directory.accounts().find((account) => account.uid === uid)?.id;
  }

  return async (app: FastifyInstance) => {
    app.get('/events', async (request, reply) => {
      const account = accountOf(request);
      if (account === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });

      const { raw } = reply;
      const early: string[] = [];
      let write = (frame: string) => void early.push(frame);
      const unsubscribe = screens.subscribe(account, (frame) => write(frame));
      raw.on('close', unsubscribe); // from here on: a screen may go away while the calls are read
      const calls = await store.openCalls(account, OPEN_CALLS);

      reply.hijack();
      if (raw.destroyed) return;
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no', // nginx would hold events back
      });
      write = (frame) => {
        if (raw.writableEnded) return;
        // The session is over, or the token was made a new one or switched off, since the stream began.
        if (accountOf(request) !== account) raw.end();
        else if (raw.writableLength > BACKLOG_BYTES) {
          log.say('service.screen-too-slow');
          raw.destroy();
        } else raw.write(frame);
      };
      write(`retry: 1000\n${eventFrame('calls', { now: clock(), calls: calls.map(screenCall) })}`);
      for (const frame of early) write(frame);
      const beat = setInterval(() => write(': still here\n\n'), BEAT_MS);
      const forget = screens.onClose(() => raw.end());
      raw.on('close', () => {
        clearInterval(beat);
        forget();
      });
    });
  };
}
