import type { Log, LogFields } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import type { Input } from '../calls/input.ts';
import { watchCallClass } from './call-class.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import { hasLinkedid, isCallEvent, toInput } from './events.ts';
import type { AmiFailure } from './failure.ts';
import { createInputFeed, type InputFeed } from './input-feed.ts';
import { type KeepAliveOptions, keepAlive } from './keep-alive.ts';
import { type AmiCounters, remindMs } from './link-log.ts';
import { askFacts, type PbxFacts } from './pbx-facts.ts';
import { ConnectionEnded, missingWithout } from './pending-requests.ts';
import { createQuestions, type Questions } from './questions.ts';
import { readChannels, readSnapshot } from './snapshot.ts';
import type { Fields } from './wire/frame.ts';

export type PbxUp = PbxFacts & {
  readonly channels: number;
  /** When Asterisk's certificate expires, Unix ms; undefined without TLS. */
  readonly certificateEndsAt: number | undefined;
};

type SessionHandlers = {
  /** The connection is logged in, and can be asked from now on. Called before the first input. */
  onOpen(ask: Questions): void;
  /**
   * Called with, in this order: the configuration of endpoints if it can be read, a snapshot, the events that came
   * while it was read, and all later events.
   */
  onInput(input: Input): void;
  /** The first snapshot has been handed on. */
  onUp(up: PbxUp): void;
  /** The PBX has answered later what it is. */
  onFacts(facts: PbxFacts): void;
  /** Whether a Newchannel event says which call it belongs to, as they do from Asterisk 13 on: called with each. */
  onLinkedid(has: boolean): void;
  onPong(at: number): void;
  onFrame?: ((frame: Buffer, at: number) => void) | undefined;
};

type SessionTools = {
  readonly clock: Clock;
  readonly counters: AmiCounters;
  readonly log: Log;
  /** Ends the session. */
  readonly signal: AbortSignal;
};

type SessionOptions = ConnectionOptions & { readonly ping: KeepAliveOptions };

/** The life of one connection, from the attempt to its end. Returns why it ended. */
export async function runSession(
  options: SessionOptions,
  handlers: SessionHandlers,
  tools: SessionTools,
): Promise<AmiFailure> {
  const { clock, signal } = tools;
  const { promise: ended, resolve } = Promise.withResolvers<AmiFailure>();
  const feed = createInputFeed({
    clock,
    readSnapshot: () => readSnapshot(connection, clock.now),
    onInput: handlers.onInput,
    onOverflow: () =>
      connection.fail({ kind: 'lost', detail: 'too many events while the channels were read' }),
    onError,
  });
  const onEnd = (failure: AmiFailure): void => {
    feed.end();
    resolve(failure);
  };
  const events = createEventTaker(feed, handlers, tools);
  const opened = await openConnection(options, { ...events, onEnd, onFrame: handlers.onFrame }, tools);
  if (!opened.ok) {
    feed.end();
    return opened.failure;
  }
  const { connection } = opened;
  const stop = (): void => {
    connection.close();
    onEnd({ kind: 'lost', detail: 'closed by us' });
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  handlers.onOpen(createQuestions(connection, tools, feed.take, onError));
  let stopKeepAlive = (): void => {};
  goUp(connection, feed, handlers, tools, onError)
    .then(({ channels, answersPing }) => {
      const onPong = createPongTaker(connection, channels, events.count, handlers.onPong);
      stopKeepAlive = keepAlive(connection, { ...options.ping, answersPing }, clock, onPong, onError);
    })
    .catch(onError);
  const failure = await ended;
  signal.removeEventListener('abort', stop);
  stopKeepAlive();
  return failure;

  function onError(error: unknown): void {
    if (error instanceof ConnectionEnded) return;
    connection.fail({ kind: 'lost', detail: messageOf(error) });
  }
}

/** Asks what the PBX is, then starts the inputs. Never resolves if the session ends first. */
async function goUp(
  connection: Connection,
  feed: InputFeed,
  { onInput, onUp, onFacts }: SessionHandlers,
  { clock, counters }: SessionTools,
  onError: (error: unknown) => void,
) {
  let isUp = false;
  const { facts, answersPing } = await askFacts(connection, {
    onFacts: (learnt) => isUp && onFacts(learnt),
    onContexts(contexts, guestContext) {
      const input = { type: 'endpoints', at: clock.now(), contexts, guestContext } as const;
      // The snapshot is read with them, if they are known by then.
      if (isUp) feed.take(input);
      else onInput(input);
    },
    onError,
  });
  const channels = (await feed.start()).channels.map(({ uniqueid }) => uniqueid);
  counters.connects++;
  isUp = true;
  const { certificateEndsAt } = connection;
  onUp({ ...facts(), channels: channels.length, certificateEndsAt });
  return { channels, answersPing };
}

/** Called after each Pong: fails the connection once it is known that no call event comes. */
function createPongTaker(
  connection: Connection,
  channels: readonly string[],
  callEvents: () => number,
  onPong: (at: number) => void,
) {
  const callClass = watchCallClass(channels);
  return async (at: number): Promise<void> => {
    onPong(at);
    if (callEvents() > 0) return;
    const { items } = await readChannels(connection);
    const now = items.map(({ uniqueid }) => uniqueid);
    if (callClass.lacksCallClass(now, callEvents())) connection.fail({ kind: 'no-call-class' });
  };
}

/** Takes what a connection says of events: makes inputs of them, counts and logs. */
function createEventTaker(
  feed: InputFeed,
  { onLinkedid }: SessionHandlers,
  { clock, counters, log }: SessionTools,
) {
  let callEvents = 0;

  /** Logs what anybody who calls can cause, at most every few minutes. */
  function sayOften(code: 'ami.line-break' | 'ami.bad-event', fields: LogFields): void {
    const now = clock.now();
    if (now - (counters.saidAt.get(code) ?? Number.NEGATIVE_INFINITY) < remindMs) return;
    counters.saidAt.set(code, now);
    log.say(code, fields);
  }

  function onRefused(event: string): void {
    counters.bad++;
    sayOften('ami.bad-event', { event, count: counters.bad });
    // What it said of a channel is in a snapshot.
    feed.lose('refused', isCallEvent(event));
  }

  return {
    /** Call events of this connection. */
    count: () => callEvents,
    onRefused,
    onCallEvent(event: string, fields: Fields, at: number): void {
      callEvents++;
      if (event === 'Newchannel') onLinkedid(hasLinkedid(fields));
      const input = toInput(event, fields, at);
      if (input === undefined) {
        onRefused(event);
        return;
      }
      counters.events++;
      feed.take(input);
    },
    onLineBreak(event: string): void {
      counters.lineBreaks++;
      sayOften('ami.line-break', { event, count: counters.lineBreaks });
    },
    onTooLong(event: string, wanted: boolean): void {
      if (counters.tooLong++ === 0) log.say('ami.frame-lost', { event });
      feed.lose('too-long', wanted);
    },
    onUnanswered(action: string): void {
      if (counters.unanswered.has(action)) return;
      counters.unanswered.add(action);
      log.say('ami.unanswered', { action, missing: missingWithout(action) });
    },
  };
}
