import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionCookie } from '../access/session-cookie.ts';
import { eventFrame, screenCall } from '../calls/screens.ts';
import { bearerToken } from '../http/bearer.ts';
import type { ServiceContext } from '../http/context.ts';
import type { Session, User } from '../store/user-store.ts';
import { openEventStream } from './event-stream.ts';

/** A screen that is this far behind is cut off; it connects again and gets the calls as they are then. */
const BACKLOG_BYTES = 1_000_000;
/** A screen that hears nothing for twice as long takes its connection for dead. */
const BEAT_MS = 15_000;
/** The newest; a call whose end nobody told stays open for ever. */
const OPEN_CALLS = 500;
/** How long a missed call stays on the bar of who does not dismiss it: over a week-end and a day more. */
export const MISSED_MS = 3 * 24 * 3_600_000;
const MISSED_CALLS = 50;
/** Dismissed ones are left out after they are read. */
const MISSED_READ = 500;

type Watcher = { readonly account: number; readonly user: User | null; readonly session: Session | null };

/**
 * GET /events: the account's calls as they move, to a signed-in browser or to a client with an integration token.
 * First `calls`, those that are open, and for a user the `missed` ones not dismissed; then `call` for each that moves,
 * `dismissed` for what the user takes off another screen, and `beat`. After a break the browser connects again and
 * begins with `calls`, so nothing that was missed stays on a screen.
 */
export function eventRoutes({ store, directory, screens, sessions, clock, log }: ServiceContext) {
  async function watcherOf(request: FastifyRequest): Promise<Watcher | undefined> {
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) {
      const account = directory.caller(token)?.account.id;
      return account === undefined ? undefined : { account, user: null, session: null };
    }
    const session = await sessions.find(sessionCookie.read(request));
    return session && { account: session.user.account, user: session.user, session };
  }

  async function missedCalls({ account, user }: Watcher) {
    if (user === null) return [];
    const since = Math.max(clock() - MISSED_MS, user.createdAt);
    const [missed, dismissed] = await Promise.all([
      store.missedCalls(account, since, MISSED_READ),
      store.users.dismissed(user.id),
    ]);
    const gone = new Set(dismissed);
    return missed.filter(({ id }) => !gone.has(id)).slice(-MISSED_CALLS);
  }

  return async (app: FastifyInstance) => {
    app.get('/events', async (request, reply) => {
      const watcher = await watcherOf(request);
      if (watcher === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });

      const { raw } = reply;
      const early: string[] = [];
      let write = (frame: string) => void early.push(frame);
      const unsubscribe = screens.subscribe(watcher, (frame) => write(frame));
      raw.on('close', unsubscribe); // from here on: a screen may go away while the calls are read
      const calls = await store.openCalls(watcher.account, OPEN_CALLS);
      const missed = await missedCalls(watcher);

      if (openEventStream(reply) === undefined) return;
      write = (frame) => {
        if (raw.writableEnded) return;
        // The token was made a new one or switched off since the stream began.
        if (watcher.session === null && directory.caller(bearerOf(request))?.account.id !== watcher.account)
          raw.end();
        else if (raw.writableLength > BACKLOG_BYTES) {
          log.say('service.screen-too-slow');
          raw.destroy();
        } else raw.write(frame);
      };
      const now = () => ({ now: clock() });
      const first = { ...now(), calls: calls.map(screenCall), missed: missed.map(screenCall) };
      write(`retry: 1000\n${eventFrame('calls', first)}`);
      for (const frame of early) write(frame);
      const beat = setInterval(async () => {
        // The session is over, here or in another process; else this counts as its use.
        const alive = await watcherOf(request).catch(() => watcher);
        if (alive?.account === watcher.account) write(eventFrame('beat', now()));
        else raw.end();
      }, BEAT_MS);
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
