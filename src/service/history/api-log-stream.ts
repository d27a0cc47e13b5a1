import type { FastifyInstance, FastifyRequest } from 'fastify';
import { eventFrame, type Screens } from '../calls/screens.ts';
import { openEventStream } from '../kit/event-stream.ts';
import { sessionCookie } from '../users/session-cookie.ts';
import type { Sessions } from '../users/sessions.ts';
import { watchNewRequests } from './new-requests.ts';
import type { RequestStore } from './request-store.ts';

const HEARTBEAT_MS = 15_000;

type Parts = {
  readonly store: { readonly requests: RequestStore };
  readonly sessions: Sessions;
  readonly screens: Screens;
};

/**
 * GET /api-log/stream: sends `news` to an administrator's browser when there are new requests. The page then loads its
 * list again, so that search and rendering stay in one place and nothing is missed after a lost connection.
 */
export function apiLogStreamRoutes({ store, sessions, screens }: Parts) {
  const newRequests = watchNewRequests(store.requests);
  const sessionOf = async (request: FastifyRequest) => {
    const session = await sessions.find(sessionCookie.read(request));
    return session?.user.role === 'administrator' ? session : undefined;
  };

  return async (app: FastifyInstance) => {
    app.get('/api-log/stream', async (request, reply) => {
      const session = await sessionOf(request);
      if (session === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });
      const raw = openEventStream(reply);
      if (raw === undefined) return;
      const send = (event: 'news' | 'beat') => {
        // A slow reader gets one event, not a queue of them.
        if (!raw.writableEnded && raw.writableLength === 0) raw.write(eventFrame(event, {}));
      };
      raw.write('retry: 1000\n\n');
      const unfollow = newRequests.follow(session.user.account, () => send('news'));
      const beat = setInterval(async () => {
        // Ends with its session, which another process may have closed; else it counts as use of the session.
        if (await sessionOf(request).catch(() => session)) send('beat');
        else raw.end();
      }, HEARTBEAT_MS);
      const forget = screens.onClose(() => raw.end());
      const release = sessions.onClose(session, () => raw.end());
      raw.on('close', () => {
        unfollow();
        clearInterval(beat);
        forget();
        release();
      });
    });
  };
}
