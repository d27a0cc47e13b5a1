import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../log/log.ts';
import { newSession, type Session, type SessionAction, type SessionInput, step } from './agi-protocol.ts';
import type { AgiRequest } from './agi-request.ts';
import { allowList } from './allow-list.ts';
import type { Clock } from './clock.ts';
import { seldom } from './seldom.ts';

export type AgiServerOptions = {
  readonly host: string;
  /** 0: any free port, which the log names. */
  readonly port: number;
  /** Addresses and networks that may ask. */
  readonly allow: readonly string[];
  /** From accept to close, ms. */
  readonly deadlineMs: number;
};

export type AgiServer = {
  /** Listens, and if it cannot yet, tries again until it can: calls are told without it, too. */
  start(): Promise<void>;
  /** Takes no new sessions and waits for those that are open, which is the deadline at most. */
  stop(): Promise<void>;
  isListening(): boolean;
};

/** The AGI commands that answer a request within `waitMs`. The promise never fails. */
export type Answerer = (
  request: AgiRequest,
  waitMs: number,
) => readonly string[] | Promise<readonly string[]>;

/** A PBX has a session per call that is being set up; what is more than this is no PBX's. */
const MOST_SESSIONS = 2_048;
const LISTEN_AGAIN_MS = 5_000;

/** The share of the deadline that is kept for the commands and their replies, when the answer is there at last. */
const RESERVE = 1 / 4;

/** FastAGI over TCP: gives each session's bytes to the protocol, and does what it says, until the deadline. */
export function createAgiServer(
  options: AgiServerOptions,
  { answer, clock, log }: { answer: Answerer; clock: Clock; log: Log },
): AgiServer {
  const { host, port, deadlineMs } = options;
  const isAllowed = allowList(options.allow);
  const answerByMs = deadlineMs * (1 - RESERVE);
  const of = {
    strangers: seldom(clock),
    crowds: seldom(clock),
    cuts: seldom(clock),
    refusals: seldom(clock),
  };
  let server: Server | undefined;
  let cancelRetry = () => {};

  function serve(socket: Socket): void {
    // What is wrong with a socket shows in its close.
    socket.on('error', () => {});
    const { remoteAddress } = socket;
    if (!isAllowed(remoteAddress)) {
      of.strangers((more) => log.say('agi.address-refused', { address: remoteAddress, more }));
      socket.destroy();
      return;
    }
    const began = clock.now();
    let session: Session = newSession;
    const cancel = clock.setTimer(() => {
      of.cuts((more) => log.say('agi.cut-off', { phase: session.phase, deadline: deadlineMs, more }));
      socket.destroy();
    }, deadlineMs);

    const take = (input: SessionInput): void => {
      const next = step(session, input);
      session = next.session;
      for (const action of next.actions) act(action);
    };
    const act = (action: SessionAction): void => {
      switch (action.type) {
        case 'ask': {
          const commands = answer(action.request, answerByMs - (clock.now() - began));
          if (commands instanceof Promise)
            void commands.then((later) => take({ type: 'answer', commands: later }));
          else take({ type: 'answer', commands });
          return;
        }
        case 'write':
          socket.write(action.text, 'latin1');
          return;
        case 'refused':
          of.refusals((more) => log.say('agi.command-refused', { reply: action.reply.slice(0, 100), more }));
          return;
        case 'close':
          socket.destroySoon();
      }
    };
    socket.on('data', (bytes: Buffer) => take({ type: 'bytes', bytes }));
    socket.on('close', () => {
      cancel();
      session = { phase: 'over' };
    });
  }

  function listen(): Promise<Server> {
    const { promise, resolve, reject } = Promise.withResolvers<Server>();
    const it = createServer({ noDelay: true }, serve);
    it.maxConnections = MOST_SESSIONS;
    it.on('drop', () =>
      of.crowds((more) => log.say('agi.too-many-connections', { most: MOST_SESSIONS, more })),
    );
    it.once('error', reject);
    it.listen({ host, port, backlog: MOST_SESSIONS }, () => {
      it.off('error', reject);
      // Such as no file descriptor left for a new session: the next may have one.
      it.on('error', (error) => of.crowds((more) => log.say('agi.not-accepted', { error, more })));
      resolve(it);
    });
    return promise;
  }

  async function tryToListen(complain: boolean): Promise<void> {
    try {
      server = await listen();
      const address = server.address();
      log.say('agi.listening', { host, port: typeof address === 'object' ? address?.port : port });
    } catch (error) {
      if (complain) log.say('agi.not-listening', { host, port, error });
      cancelRetry = clock.setTimer(() => void tryToListen(false), LISTEN_AGAIN_MS);
    }
  }

  return {
    start: () => tryToListen(true),
    isListening: () => server?.listening === true,
    async stop() {
      cancelRetry();
      const { promise, resolve } = Promise.withResolvers<void>();
      if (server === undefined) return;
      server.close(() => resolve());
      await promise;
    },
  };
}
