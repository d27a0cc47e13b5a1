import { createServer, type Socket } from 'node:net';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import { allowList } from '../../shared/process/allow-list.ts';
import type { Clock } from '../../shared/process/clock.ts';
import { createListener } from '../../shared/process/listener.ts';
import { newSession, type Session, type SessionAction, type SessionInput, step } from './agi-protocol.ts';
import type { AgiRequest } from './agi-request.ts';

export type AgiServerOptions = {
  readonly host: string;
  /** 0: any free port, which the log names. */
  readonly port: number;
  /** Addresses and networks that may connect. */
  readonly allow: readonly string[];
  /** Longest duration of a connection, ms. */
  readonly deadlineMs: number;
};

/**
 * Returns the AGI commands for a request within `waitMs`. Never rejects. `ask` sends a command first, once, and resolves
 * with Asterisk's reply; it never resolves if none comes.
 */
export type Answerer = (
  request: AgiRequest,
  waitMs: number,
  ask: (command: string) => Promise<string>,
) => readonly string[] | Promise<readonly string[]>;

/** A PBX has one session per call being set up, and never as many as this. */
const MAX_SESSIONS = 2_048;

/** A loop that is busy with a flood of AMI events accepts as many connections in a turn. */
const SOCKETS = 16;

/** Share of the deadline reserved for sending the commands and reading their replies. */
const COMMAND_SHARE = 1 / 4;

/** The FastAGI server. */
export function createAgiServer(
  options: AgiServerOptions,
  { answer, clock, log }: { answer: Answerer; clock: Clock; log: Log },
) {
  const { host, port, deadlineMs } = options;
  const isAllowed = allowList(options.allow);
  const say = createConnectionLog(log, clock);

  function accept(socket: Socket): void {
    // An error is followed by 'close'.
    socket.on('error', () => {});
    const { remoteAddress } = socket;
    if (isAllowed(remoteAddress)) serve(socket, deadlineMs, { answer, clock, say });
    else {
      say.addressRefused(remoteAddress);
      socket.destroy();
    }
  }

  const listener = createListener({
    host,
    port,
    backlog: MAX_SESSIONS,
    sockets: SOCKETS,
    create() {
      const server = createServer({ noDelay: true }, accept);
      server.maxConnections = MAX_SESSIONS / SOCKETS;
      server.on('drop', say.tooMany);
      return server;
    },
    onListening: (usedPort) => log.say('agi.listening', { host, port: usedPort }),
    onFailed: (error) => log.say('agi.not-listening', { host, port, error }),
    onError: say.notAccepted,
    clock,
  });

  return {
    /** Listens, and retries in the background if that fails: the bridge works without it. */
    start: listener.start,
    /** Stops listening, and waits for open sessions: at most the deadline. */
    stop: () => listener.stop(),
    isListening: listener.isListening,
  };
}

type ConnectionLog = ReturnType<typeof createConnectionLog>;

/** Says each of these once a minute, and how many more there were. */
function createConnectionLog(log: Log, clock: Clock) {
  const addressRefused = oncePerMinute(clock.now);
  const tooMany = oncePerMinute(clock.now);
  const notAccepted = oncePerMinute(clock.now);
  const cutOff = oncePerMinute(clock.now);
  const commandRefused = oncePerMinute(clock.now);
  return {
    addressRefused: (address: string | undefined) =>
      addressRefused((more) => log.say('agi.address-refused', { address, more })),
    tooMany: () => tooMany((more) => log.say('agi.too-many-connections', { most: MAX_SESSIONS, more })),
    // For example, no file descriptor is left for a connection; the next one may get one.
    notAccepted: (error: Error) => notAccepted((more) => log.say('agi.not-accepted', { error, more })),
    cutOff: (phase: Session['phase'], deadline: number) =>
      cutOff((more) => log.say('agi.cut-off', { phase, deadline, more })),
    commandRefused: (reply: string) =>
      commandRefused((more) => log.say('agi.command-refused', { reply: reply.slice(0, 100), more })),
  };
}

/** Passes the bytes of a connection to the protocol, and carries out its actions until the deadline. */
function serve(
  socket: Socket,
  deadlineMs: number,
  { answer, clock, say }: { answer: Answerer; clock: Clock; say: ConnectionLog },
): void {
  const answerBy = clock.now() + deadlineMs * (1 - COMMAND_SHARE);
  let session: Session = newSession;
  const reply = Promise.withResolvers<string>();
  const ask = (command: string): Promise<string> => {
    take({ type: 'question', command });
    return reply.promise;
  };
  const cancel = clock.setTimer(() => {
    say.cutOff(session.phase, deadlineMs);
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
        const commands = answer(action.request, answerBy - clock.now(), ask);
        if (commands instanceof Promise)
          void commands.then((later) => take({ type: 'answer', commands: later }));
        else take({ type: 'answer', commands });
        return;
      }
      case 'write':
        socket.write(action.text);
        return;
      case 'reply':
        reply.resolve(action.text);
        return;
      case 'refused':
        say.commandRefused(action.reply);
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
