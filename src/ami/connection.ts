import type { Socket } from 'node:net';
import { longestAnswer } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { AmiCounters } from './counters.ts';
import { type AmiFailure, saysNothing } from './failure.ts';
import { type AnswerLimits, ConnectionEnded, createPledges } from './pledges.ts';
import type { AmiObject } from './wire/ami-object.ts';
import { createManager } from './wire/manager.ts';
import { type Action, assertSafe } from './wire/safe-action.ts';
import { type Endpoint, openSocket } from './wire/socket.ts';
import { createTunnel, type TunnelHandlers } from './wire/tunnel.ts';

export type ConnectionOptions = Endpoint & {
  readonly username: string;
  readonly secret: string;
  /** How long TCP and TLS together may take, milliseconds. */
  readonly connectDeadlineMs: number;
  /** How long nothing may arrive before the greeting and before each answer (`AnswerLimits`), milliseconds. */
  readonly answerDeadlineMs: number;
};

export type ConnectionHandlers = Pick<TunnelHandlers, 'onLost' | 'onFrame'> & {
  /** An event that belongs to no list. `at`: Unix milliseconds at which its bytes arrived. */
  onEvent(event: AmiObject, at: number): void;
  /** Called once when a logged-in connection has ended, unless `close` ended it. */
  onEnd(failure: AmiFailure): void;
};

export type ConnectionTools = {
  readonly clock: Clock;
  readonly counters: AmiCounters;
  /** Gives the attempt up. */
  readonly signal?: AbortSignal | undefined;
};

/** One logged-in connection. Its promises are rejected with ConnectionEnded when it ends. */
export type Connection = {
  /**
   * Sends an action and gives its response, `Success` or `Error`. Without one in time the connection is failed.
   * @param limits those of the connection when absent.
   */
  request(action: Action, limits?: AnswerLimits): Promise<AmiObject>;
  /** Sends an action that is answered by a list of events, up to the one of the name `last`. */
  list(action: Action, last: string): Promise<List>;
  /** Ends the connection for this reason. */
  fail(failure: AmiFailure): void;
  /** Ends it with a Logoff; onEnd is not called. */
  close(): void;
};

export type List =
  | { readonly ok: true; readonly items: readonly AmiObject[] }
  | { readonly ok: false; readonly message: string };

export type OpenedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly failure: AmiFailure };

/**
 * One attempt: connects, waits for the greeting, logs in.
 * @throws UnsafeValueError for a user name or secret that cannot be sent.
 */
export async function openConnection(
  options: ConnectionOptions,
  handlers: ConnectionHandlers,
  tools: ConnectionTools,
): Promise<OpenedConnection> {
  assertSafe({ Username: options.username, Secret: options.secret });
  const opened = await openSocket(options, options.connectDeadlineMs, tools.clock, tools.signal);
  if (!opened.ok) return opened;
  try {
    return { ok: true, connection: await logIn(opened.socket, options, handlers, tools) };
  } catch (error) {
    if (error instanceof ConnectionEnded) return { ok: false, failure: error.failure };
    throw error;
  }
}

async function logIn(
  socket: Socket,
  { username, secret, answerDeadlineMs }: ConnectionOptions,
  handlers: ConnectionHandlers,
  { clock, counters, signal }: ConnectionTools,
): Promise<Connection> {
  let ended = false;
  let loggedIn = false;
  let actions = 0;
  let onGreeting: (line: string) => void = () => {};
  const lists = new Map<string, { last: string; items: AmiObject[]; done: (list: List) => void }>();
  const limits = { deadlineMs: answerDeadlineMs, longestMs: longestAnswer(answerDeadlineMs) };
  const pledges = createPledges(clock, () => socket.bytesRead, fail);
  const tunnel = createTunnel(socket, counters, clock.now, {
    onGreeting: (line) => onGreeting(line),
    onEnd: (detail) => fail({ kind: 'lost', detail }),
    onLost: handlers.onLost,
    onFrame: handlers.onFrame,
  });
  const manager = createManager(username, secret);
  manager.on('managerevent', onEvent);
  const giveUp = (): void => fail({ kind: 'lost', detail: 'given up' });
  signal?.addEventListener('abort', giveUp);

  const greeting = await pledges.make<string>(
    (done) => {
      onGreeting = done;
    },
    limits,
    saysNothing,
  );
  if (!greeting.startsWith('Asterisk Call Manager')) {
    fail({ kind: 'not-asterisk', detail: `it says ${JSON.stringify(greeting.slice(0, 60))}` });
  }
  manager.connect(tunnel.stream, undefined, () => {});
  tunnel.stream.emit('connect');
  const refusal = await pledges.make<AmiObject | undefined>(manager.login, limits, silent('Login'));
  if (refusal !== undefined) {
    const failure = { kind: 'login-refused', detail: refusal.message ?? 'without a reason' } as const;
    fail(failure);
    throw new ConnectionEnded(failure);
  }
  loggedIn = true;
  signal?.removeEventListener('abort', giveUp);
  return {
    request: (action, own = limits) => pledges.make((done) => send(action, done), own, silent(action.action)),
    list: (action, last) =>
      pledges.make((done) => sendForList(action, last, done), limits, silent(action.action)),
    fail,
    close,
  };

  function send(action: Action, done: (response: AmiObject) => void): string {
    assertSafe(action);
    const actionid = `pbx-bridge-${++actions}`;
    manager.action({ ...action, actionid }, (error, response) => done(response ?? error ?? {}));
    return actionid;
  }

  function sendForList(action: Action, last: string, done: (list: List) => void): void {
    const actionId = send(action, (response) => {
      if (response.response !== 'Error') return;
      lists.delete(actionId);
      done({ ok: false, message: response.message ?? 'without a reason' });
    });
    lists.set(actionId, { last, items: [], done });
  }

  function onEvent(event: AmiObject): void {
    if (ended) return;
    const { actionid } = event;
    const list = actionid === undefined ? undefined : lists.get(actionid);
    if (list === undefined || actionid === undefined) {
      handlers.onEvent(event, tunnel.arrivedAt());
    } else if (event.event === list.last) {
      lists.delete(actionid);
      list.done({ ok: true, items: list.items });
    } else {
      list.items.push(event);
    }
  }

  function fail(failure: AmiFailure): void {
    if (ended) return;
    end(failure);
    if (loggedIn) handlers.onEnd(failure);
  }

  function close(): void {
    if (ended) return;
    manager.action({ action: 'Logoff' }, () => {});
    end({ kind: 'lost', detail: 'closed by us' });
  }

  function end(failure: AmiFailure): void {
    ended = true;
    signal?.removeEventListener('abort', giveUp);
    tunnel.destroy();
    pledges.breakAll(failure);
  }
}

function silent(action: string): AmiFailure {
  return { kind: 'silent', detail: action };
}
