import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../shared/log/log.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Session, User } from '../accounts/user.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { eventFrame, MAX_OPEN_CALLS, type Screens, screenCall } from '../calls/screens.ts';
import type { RequestStore } from '../history/request-store.ts';
import { type PhoneSystem, phoneSystems } from '../integrations/phone-systems.ts';
import type { AccountTurns } from '../kit/account-turns.ts';
import type { Budgets } from '../kit/budget.ts';
import { createFrames, describeEventStream, openEventStream } from '../kit/event-stream.ts';
import { machineZone } from '../kit/formats.ts';
import { isHead } from '../kit/page-request.ts';
import { bearerToken } from '../kit/security-headers.ts';
import type { CallBackList } from '../people/call-back-list.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { aboutCallers } from '../people/who-calls.ts';
import { HEARTBEAT_MS } from '../rules/limits.ts';
import type { About, ScreenSystem } from '../rules/screen-call.ts';
import { sessionCookie } from '../users/session-cookie.ts';
import type { Sessions } from '../users/sessions.ts';

/** A screen that is further behind is disconnected; it reconnects and loads the current calls. */
const BACKLOG_BYTES = 1_000_000;
/** Heartbeats between lookups of the session: it may have been ended at another process. */
const SESSION_BEATS = 4;
/** How long the state of an account's phone systems is not read again. */
const SYSTEMS_MS = 10_000;

type Watcher = { readonly account: number; readonly user: User | null; readonly session: Session | null };

type Parts = {
  readonly store: {
    readonly requests: RequestStore;
    readonly customers: Pick<CustomerStore, 'callerFacts'>;
    openCalls(account: number, max: number): Promise<CallRecord[]>;
  };
  readonly budgets: Budgets;
  readonly turns: AccountTurns;
  readonly directory: ServiceDirectory;
  readonly screens: Screens;
  readonly callBackList: CallBackList;
  readonly sessions: Sessions;
  /** Unix ms. */
  readonly clock: () => number;
  readonly log: Log;
};

/**
 * GET /events: the account's calls, live, for a signed-in browser or a client with an integration token. First `calls`
 * with the open calls and, for a user, customers' names and the people to call back (`missed`, `count`); then `call` for
 * each change, `missed` with what has changed in that list, `customers` with who calls in the open calls after customers
 * have changed, `who` with who rings and talks now, `about` with what is known of a caller that rings (last talk, last note, missed today), and `beat`. The first and each `beat` give a user
 * the state of the phone systems (`systems`). After a lost connection the browser reconnects and starts again with `calls`.
 */
export function eventRoutes(parts: Parts) {
  const { turns, screens, budgets, clock } = parts;
  const systemsOf = createSystemsCache(parts);
  const frames = createFrames();

  return async (app: FastifyInstance) => {
    app.get('/events', async (request, reply) => {
      const watcher = await watcherOf(request, parts);
      const refuse = () => reply.code(401).send({ message: 'Unauthenticated.' });
      if (watcher === undefined) return refuse();
      if (isHead(request)) return describeEventStream(reply);

      const streamOwner = watcher.user ? `user ${watcher.user.id}` : bearerOf(request);
      budgets.holdStream(reply, watcher.account, streamOwner);
      const early: string[] = [];
      let write: (frame: string) => void = (frame) => void early.push(frame);
      const unsubscribe = screens.subscribe(watcher, (frame) => write(frame));
      reply.raw.on('close', unsubscribe); // registered now: the client may disconnect while the calls are read
      const reading = { turn: 'read', account: watcher.account, client: streamOwner } as const;
      const now = async () => ({
        now: clock(),
        ...(watcher.user && { systems: (await systemsOf(watcher.account)).map(systemShown) }),
      });
      const current = await turns.run(reading, reply, {
        who: watcher,
        admit: () => watcherOf(request, parts),
        refuse: () => void refuse(),
        work: async (watcher) => ({ ...(await now()), ...(await currentCalls(watcher, parts)) }),
      });
      if (current === undefined) return reply;
      const stream = openEventStream(reply, request.headers['accept-encoding'], frames);
      if (stream === undefined) return;
      write = writerOf(stream, watcher, request, reply, parts);
      write(`retry: 1000\n${eventFrame('calls', current)}`);
      for (const frame of early) write(frame);
      keepOpen(
        stream,
        { watcher, request, reply, beat: async () => write(eventFrame('beat', await now())) },
        parts,
      );
    });
  };
}

/** Who sees the calls: a user by session, or an integration by token. */
async function watcherOf(
  request: FastifyRequest,
  { directory, sessions }: Parts,
): Promise<Watcher | undefined> {
  const token = bearerToken(request.headers.authorization);
  if (token !== undefined) {
    const account = directory.authenticate(token, request.ip)?.account.id;
    return account === undefined ? undefined : { account, user: null, session: null };
  }
  const session = await sessions.find(sessionCookie.read(request));
  return session && { account: session.user.account, user: session.user, session };
}

/** The state of an account's phone systems, shared by its screens. */
function createSystemsCache({ store, directory, clock }: Parts) {
  const systems = new LRUCache<number, Promise<PhoneSystem[]>>({ max: 10_000, ttl: SYSTEMS_MS });
  directory.onRemoved(({ accounts }) => {
    for (const account of accounts) systems.delete(account);
  });
  return (account: number): Promise<PhoneSystem[]> => {
    const known = systems.get(account);
    if (known !== undefined) return known;
    const { timeZone = null } = directory.accounts().find(({ id }) => id === account) ?? {};
    const about = { account, timeZone: timeZone ?? machineZone(), now: clock() };
    const read = phoneSystems(directory.integrations(account), store.requests, about).catch(() => []);
    systems.set(account, read);
    return read;
  };
}

/** The open calls, and for a user the people to call back. */
async function currentCalls({ account, user }: Watcher, parts: Parts) {
  const { store, directory, screens, callBackList } = parts;
  const calls = await store.openCalls(account, MAX_OPEN_CALLS);
  const callBacks = user ? await callBackList.onScreen(account) : { missed: [], count: 0, more: false };
  const about = user ? await aboutCallers(parts, account, calls) : new Map<string, About>();
  const shown = (call: CallRecord) => ({
    ...screenCall(call, user && directory.extensions(account)),
    ...(user && screens.nowOf(account, call)),
    ...(about.has(call.id) && { about: about.get(call.id) }),
  });
  return { calls: calls.map(shown), ...callBacks };
}

type Stream = NonNullable<ReturnType<typeof openEventStream>>;

/** Writes a frame, unless the stream has ended, may no longer go on, or is too far behind. */
function writerOf(
  stream: Stream,
  { account, session }: Watcher,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { directory, log }: Parts,
) {
  return (frame: string): void => {
    if (raw.writableEnded) return;
    // The token was replaced or switched off after the stream began.
    if (session === null && directory.authenticate(bearerOf(request))?.account.id !== account) stream.end();
    else if (raw.writableLength > BACKLOG_BYTES) {
      log.say('service.screen-too-slow');
      raw.destroy();
    } else stream.write(frame);
  };
}

type OpenStream = {
  readonly watcher: Watcher;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly beat: () => Promise<void>;
};

/** Sends heartbeats until the stream is closed. It ends with its session, or the screens of its account. */
function keepOpen(stream: Stream, { watcher, request, reply, beat }: OpenStream, parts: Parts): void {
  const { screens, sessions } = parts;
  let beats = 0;
  const timer = setInterval(async () => {
    await beat();
    beats += 1;
    if (beats % SESSION_BEATS !== 0) return;
    // Another process may have closed the session; else this counts as use of it.
    const current = await watcherOf(request, parts).catch(() => watcher);
    if (current?.account !== watcher.account) stream.end();
  }, HEARTBEAT_MS);
  const forget = screens.onClose(watcher.account, stream.end);
  const release = watcher.session && sessions.onClose(watcher.session, stream.end);
  reply.raw.on('close', () => {
    clearInterval(timer);
    forget();
    release?.();
  });
}

const systemShown = ({ name, lastAt, unusual }: PhoneSystem): ScreenSystem => ({
  name,
  last_at: lastAt,
  unusual,
});

const bearerOf = (request: FastifyRequest) => bearerToken(request.headers.authorization) ?? '';
