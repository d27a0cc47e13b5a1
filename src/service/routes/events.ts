import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionCookie } from '../access/session-cookie.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { eventFrame, screenCall } from '../calls/screens.ts';
import { bearerToken } from '../http/bearer.ts';
import type { ServiceContext } from '../http/context.ts';
import type { Session, User } from '../store/user-store.ts';
import { openEventStream } from './event-stream.ts';

/** A screen that is further behind is disconnected; it reconnects and loads the current calls. */
const BACKLOG_BYTES = 1_000_000;
/** A screen reconnects after twice this time without an event. */
const HEARTBEAT_MS = 15_000;
/** The newest; a call whose end was never reported stays open. */
const MAX_OPEN_CALLS = 500;

type Watcher = { readonly account: number; readonly user: User | null; readonly session: Session | null };

/**
 * GET /events: the account's calls, live, for a signed-in browser or a client with an integration token. First `calls`
 * with the open calls, whether a phone system was ever heard (`connected`) and, for a user, customers' names and the `missed` ones to be called back; then `call` for each change, `missed` with
 * the new list after a user did something about it, and `beat`. After a lost connection the browser reconnects and
 * starts again with `calls`.
 */
export function eventRoutes({
  budgets,
  store,
  directory,
  screens,
  callBackList,
  sessions,
  clock,
  log,
}: ServiceContext) {
  async function watcherOf(request: FastifyRequest): Promise<Watcher | undefined> {
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) {
      const account = directory.caller(token)?.account.id;
      return account === undefined ? undefined : { account, user: null, session: null };
    }
    const session = await sessions.find(sessionCookie.read(request));
    return session && { account: session.user.account, user: session.user, session };
  }

  /** Accounts of which a phone system has sent a request; what has once, has for ever. */
  const heard = new Set<number>();
  async function isConnected(account: number): Promise<boolean> {
    if (!heard.has(account) && (await store.requests.use(account, clock())).length > 0) heard.add(account);
    return heard.has(account);
  }

  return async (app: FastifyInstance) => {
    app.get('/events', async (request, reply) => {
      const watcher = await watcherOf(request);
      if (watcher === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });

      const { raw } = reply;
      const of = watcher.user ? `user ${watcher.user.id}` : bearerOf(request);
      raw.once('close', budgets.streams.take(of));
      raw.once('close', budgets.accountStreams.take(watcher.account));
      const early: string[] = [];
      let write = (frame: string) => void early.push(frame);
      const unsubscribe = screens.subscribe(watcher, (frame) => write(frame));
      raw.on('close', unsubscribe); // registered now: the client may disconnect while the calls are read
      const calls = await store.openCalls(watcher.account, MAX_OPEN_CALLS);
      const missed = watcher.user === null ? [] : await callBackList.onScreen(watcher.account);

      const connected = await isConnected(watcher.account);

      if (openEventStream(reply) === undefined) return;
      write = (frame) => {
        if (raw.writableEnded) return;
        // The token was replaced or switched off after the stream began.
        if (watcher.session === null && directory.caller(bearerOf(request))?.account.id !== watcher.account)
          raw.end();
        else if (raw.writableLength > BACKLOG_BYTES) {
          log.say('service.screen-too-slow');
          raw.destroy();
        } else raw.write(frame);
      };
      const now = () => ({ now: clock() });
      const shown = (call: CallRecord) =>
        screenCall(call, watcher.user && directory.extensions(watcher.account));
      const first = { ...now(), calls: calls.map(shown), missed, connected };
      write(`retry: 1000\n${eventFrame('calls', first)}`);
      for (const frame of early) write(frame);
      const beat = setInterval(async () => {
        // Ends with its session, which another process may have closed; else it counts as use of the session.
        const current = await watcherOf(request).catch(() => watcher);
        if (current?.account === watcher.account) write(eventFrame('beat', now()));
        else raw.end();
      }, HEARTBEAT_MS);
      const forget = screens.onClose(() => raw.end());
      const release = watcher.session && sessions.onClose(watcher.session, () => raw.end());
      raw.on('close', () => {
        clearInterval(beat);
        forget();
        release?.();
      });
    });
  };
}

const bearerOf = (request: FastifyRequest) => bearerToken(request.headers.authorization) ?? '';
