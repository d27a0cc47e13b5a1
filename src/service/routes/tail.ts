import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionCookie } from '../access/session-cookie.ts';
import { eventFrame } from '../calls/screens.ts';
import type { ServiceContext } from '../http/context.ts';
import { makeHistoryNews } from '../upkeep/history-news.ts';
import { openEventStream } from './event-stream.ts';

const BEAT_MS = 15_000;

/**
 * GET /history/tail: says `news` to an administrator's browser when the history has something new. The page then asks
 * for itself again, so what it shows is searched and rendered in one place, and nothing is missed after a break.
 */
export function tailRoutes({ store, sessions, screens }: ServiceContext) {
  const news = makeHistoryNews(store.requests);
  const sessionOf = async (request: FastifyRequest) => {
    const session = await sessions.find(sessionCookie.read(request));
    return session?.user.role === 'administrator' ? session : undefined;
  };

  return async (app: FastifyInstance) => {
    app.get('/history/tail', async (request, reply) => {
      const session = await sessionOf(request);
      if (session === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });
      const raw = openEventStream(reply);
      if (raw === undefined) return;
      const say = (event: 'news' | 'beat') => {
        // A reader that does not keep up needs to be told once only.
        if (!raw.writableEnded && raw.writableLength === 0) raw.write(eventFrame(event, {}));
      };
      raw.write('retry: 1000\n\n');
      const unfollow = news.follow(session.user.account, () => say('news'));
      const beat = setInterval(async () => {
        // The session is over, here or in another process; else this counts as its use.
        if (await sessionOf(request).catch(() => session)) say('beat');
        else raw.end();
      }, BEAT_MS);
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
