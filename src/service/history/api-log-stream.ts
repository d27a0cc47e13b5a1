import type { FastifyInstance, FastifyRequest } from 'fastify';
import { eventFrame, type Screens } from '../calls/screens.ts';
import type { Budgets } from '../kit/budget.ts';
import { describeEventStream, openEventStream } from '../kit/event-stream.ts';
import { isHead } from '../kit/page-request.ts';
import { sessionCookie } from '../users/session-cookie.ts';
import type { Sessions } from '../users/sessions.ts';
import type { RequestStore } from './request-store.ts';

const HEARTBEAT_MS = 15_000;

type Parts = {
  readonly store: { readonly requests: RequestStore };
  readonly sessions: Sessions;
  readonly screens: Screens;
  readonly budgets: Budgets;
};

/**
 * GET /api-log/stream: sends `news` to an administrator's browser when there are new requests. The page then loads its
 * list again, so that search and rendering stay in one place and nothing is missed after a lost connection.
 */
export function apiLogStreamRoutes({ store: { requests }, sessions, screens, budgets }: Parts) {
  const newRequests = watchNewRequests(requests);
  const sessionOf = async (request: FastifyRequest) => {
    const session = await sessions.find(sessionCookie.read(request));
    return session?.user.role === 'administrator' ? session : undefined;
  };

  return async (app: FastifyInstance) => {
    app.get('/api-log/stream', async (request, reply) => {
      const session = await sessionOf(request);
      if (session === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });
      if (isHead(request)) return describeEventStream(reply);
      const { raw } = reply;
      budgets.holdStream(reply, session.user.account, `user ${session.user.id}`);
      const stream = openEventStream(reply);
      if (stream === undefined) return;
      const send = (event: 'news' | 'beat') => {
        // A slow reader gets one event, not a queue of them.
        if (!raw.writableEnded && raw.writableLength === 0) stream.write(eventFrame(event, {}));
      };
      stream.write('retry: 1000\n\n');
      const unfollow = newRequests.follow(session.user.account, () => send('news'));
      const beat = setInterval(async () => {
        // Ends with its session, which another process may have closed; else it counts as use of the session.
        if (await sessionOf(request).catch(() => session)) send('beat');
        else stream.end();
      }, HEARTBEAT_MS);
      const forget = screens.onClose(session.user.account, stream.end);
      const release = sessions.onClose(session, stream.end);
      raw.on('close', () => {
        unfollow();
        clearInterval(beat);
        forget();
        release();
      });
    });
  };
}

const PERIOD_MS = 1000;

/** Reports that an account has new requests, recorded by any process: polls the newest every second, once per account. */
function watchNewRequests(requests: Pick<RequestStore, 'search'>) {
  const followed = new Map<number, { listeners: Set<() => void>; stop: () => void }>();

  async function newest(account: number): Promise<number> {
    const { entries } = await requests.search({
      account,
      search: null,
      order: 'newest',
      after: null,
      limit: 1,
    } as const);
    return entries[0]?.id ?? 0;
  }

  function watch(account: number, listeners: Set<() => void>): () => void {
    let known: number | undefined;
    let polling = false;
    const poll = async () => {
      if (polling) return;
      polling = true;
      const id = await newest(account).catch(() => known); // tried again in a second
      polling = false;
      if (known !== undefined && id !== known) for (const listener of listeners) listener();
      known = id;
    };
    void poll();
    const timer = setInterval(poll, PERIOD_MS);
    return () => clearInterval(timer);
  }

  return {
    /** Calls `listener` at most once a second. Returns a function that removes it. */
    follow(account: number, listener: () => void): () => void {
      const own = () => listener(); // unique, should two followers share a function
      const known = followed.get(account);
      const listeners = known?.listeners ?? new Set();
      const { stop } = known ?? { stop: watch(account, listeners) };
      followed.set(account, { listeners: listeners.add(own), stop });
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        stop();
        followed.delete(account);
      };
    },
  };
}
