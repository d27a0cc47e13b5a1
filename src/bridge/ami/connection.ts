import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../shared/process/clock.ts';
import { longestAnswer } from './backoff.ts';
import { isCallEvent } from './events.ts';
import { type AmiFailure, saysNothing } from './failure.ts';
import { type AmiCounters, countIgnored } from './link-log.ts';
import { ConnectionEnded, createPendingRequests } from './pending-requests.ts';
import { createRequests, messageOf, silent } from './requests.ts';
import { type Fields, isResponse, readFields } from './wire/frame.ts';
import { readFrames } from './wire/frame-reader.ts';
import { assertSafe, createManager, type Manager, type Response } from './wire/manager.ts';
import { type Endpoint, errorCode, openSocket } from './wire/socket.ts';

export type ConnectionOptions = Endpoint & {
  readonly username: string;
  readonly secret: string;
  /** How long TCP and TLS together may take, milliseconds. */
  readonly connectDeadlineMs: number;
  /** How long nothing may arrive before the greeting and before each answer (`AnswerLimits`), milliseconds. */
  readonly answerDeadlineMs: number;
};

type ConnectionHandlers = {
  /** A call event, `fields` valid only during the call; `at`: Unix milliseconds at which its bytes arrived. */
  onCallEvent(event: string, fields: Fields, at: number): void;
  /** A value of this event had a line break; this event was not believed (see `createEventGuard`). */
  onLineBreak?: ((event: string) => void) | undefined;
  onRefused?: ((event: string) => void) | undefined;
  /** A frame that was too long; `wanted`: of a call event, or of a list that is being read. */
  onTooLong(event: string, wanted: boolean): void;
  /** No answer came in time to this action, which the bridge can do without. */
  onUnanswered?: ((action: string) => void) | undefined;
  /** Every whole frame as it came, valid only during the call; `at` in Unix milliseconds. */
  onFrame?: ((frame: Buffer, at: number) => void) | undefined;
  /** Called once when a logged-in connection has ended, unless `close` ended it. */
  onEnd(failure: AmiFailure): void;
};

type ConnectionTools = {
  readonly clock: Clock;
  readonly counters: AmiCounters;
  /** Aborts the attempt. */
  readonly signal?: AbortSignal | undefined;
};

type OpenedConnection =
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

/** One logged-in connection. Its promises are rejected with ConnectionEnded when it ends. */
export type Connection = Awaited<ReturnType<typeof logIn>>;

async function logIn(
  socket: Socket,
  { username, secret, answerDeadlineMs }: ConnectionOptions,
  handlers: ConnectionHandlers,
  { clock, counters, signal }: ConnectionTools,
) {
  let phase: 'opening' | 'open' | 'ended' = 'opening';
  const hasEnded = (): boolean => phase === 'ended';
  const { promise: greets, resolve: onGreeting } = Promise.withResolvers<string>();
  const limits = { deadlineMs: answerDeadlineMs, longestMs: longestAnswer(answerDeadlineMs) };
  const pending = createPendingRequests(clock, () => socket.bytesRead, fail);
  const manager = createManager(username, secret, write);
  const requests = createRequests({ manager, pending, limits, onUnanswered: handlers.onUnanswered });
  const frames = readFrames(socket, clock, {
    ...takeFrames({ manager, requests, hasEnded }, handlers, counters),
    onGreeting,
  });
  socket.on('error', (error) => fail({ kind: 'lost', detail: errorCode(error) }));
  socket.on('close', () => fail({ kind: 'lost', detail: 'closed' }));
  const giveUp = (): void => fail({ kind: 'lost', detail: 'given up' });
  signal?.addEventListener('abort', giveUp);

  const greeting = await pending.add<string>((done) => void greets.then(done), limits, saysNothing);
  if (!greeting.startsWith('Asterisk Call Manager'))
    fail({ kind: 'not-asterisk', detail: `it says ${JSON.stringify(greeting.slice(0, 60))}` });
  const refusal = await pending.add<Response | undefined>(manager.login, limits, silent('Login'));
  if (refusal !== undefined) {
    const failure = { kind: 'login-refused', detail: messageOf(refusal) } as const;
    fail(failure);
    throw new ConnectionEnded(failure);
  }
  phase = 'open';
  signal?.removeEventListener('abort', giveUp);
  const { request, list } = requests;
  const certificateEndsAt =
    socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate()?.valid_to) : undefined;
  return {
    request,
    list,
    /** When Asterisk's certificate expires, Unix ms; undefined without TLS. */
    certificateEndsAt,
    /** Ends the connection for this reason. */
    fail,
    /** Ends it with a Logoff; onEnd is not called. */
    close,
  };

  function write(text: string): void {
    if (hasEnded()) return;
    counters.bytesOut += Buffer.byteLength(text);
    socket.write(text);
  }

  function fail(failure: AmiFailure): void {
    if (hasEnded()) return;
    frames.settle();
    // The last event may have ended it.
    if (hasEnded()) return;
    const wasOpen = phase === 'open';
    end(failure);
    if (wasOpen) handlers.onEnd(failure);
  }

  function close(): void {
    if (hasEnded()) return;
    manager.send({ action: 'Logoff' }, 'pbx-bridge-logoff', () => {});
    end({ kind: 'lost', detail: 'closed by us' });
  }

  function end(failure: AmiFailure): void {
    phase = 'ended';
    signal?.removeEventListener('abort', giveUp);
    frames.stop();
    socket.destroySoon();
    pending.rejectAll(failure);
  }
}

type FrameTakers = {
  readonly manager: Manager;
  readonly requests: ReturnType<typeof createRequests>;
  hasEnded(): boolean;
};

/** Hands each frame to its reader, and counts those without one. */
function takeFrames(
  { manager, requests, hasEnded }: FrameTakers,
  { onCallEvent, onLineBreak = nothing, onRefused = nothing, onTooLong, onFrame }: ConnectionHandlers,
  counters: AmiCounters,
) {
  const { lists, isAnswer } = requests;
  const isWanted = (event: string): boolean => isCallEvent(event) || lists.has(event);
  return {
    isAnswer,
    onLineBreak,
    onRefused,
    onFrame,
    onBytes(count: number) {
      counters.bytesIn += count;
    },
    onEvent(event: string, fields: Fields, at: number) {
      if (hasEnded()) return;
      if (isCallEvent(event)) onCallEvent(event, fields, at);
      else if (!lists.take(event, fields)) countIgnored(counters, event);
    },
    onOther({ bytes, event }: { readonly bytes: Buffer; readonly event: string }) {
      if (hasEnded()) return;
      if (event === '' && isResponse(bytes)) {
        if (!manager.receive(bytes)) countIgnored(counters, 'Response');
      } else if (!isWanted(event) || !lists.take(event, readFields(bytes))) countIgnored(counters, event);
    },
    onTooLong: (event: string) => onTooLong(event, isWanted(event)),
  };
}

const nothing = (): void => {};
