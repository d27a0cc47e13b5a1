import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log, LogFields } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import { within } from '../../shared/process/within.ts';
import type { ApplicationAsked, VariableAsked } from '../calls/effect.ts';
import type { Input } from '../calls/input.ts';
import type { DialplanPart } from '../calls/place.ts';
import { longestUniqueid, type RecordOptions, usualRecords } from '../cdr/cdr-source.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import { readExtension } from './dialplan-line.ts';
import {
  type ChannelStatus,
  hasLinkedid,
  isCallEvent,
  presentationVariableList,
  toInput,
  toStatus,
} from './events.ts';
import type { AmiFailure } from './failure.ts';
import { readGuestContext } from './guest-context.ts';
import { type KeepAliveOptions, keepAlive } from './keep-alive.ts';
import { type AmiCounters, remindMs } from './link-log.ts';
import { ConnectionEnded, missingWithout } from './pending-requests.ts';
import { readRecordOptions } from './record-options.ts';
import { readChannels, readContexts, readDevices, readSnapshot, readVariable } from './snapshot.ts';
import type { Fields } from './wire/frame.ts';
import { isSafeValue } from './wire/manager.ts';

/** Questions about a channel. None is answered if the link is down or goes down. */
export type Questions = {
  /** Whether the number of the caller on this channel may be shown; the answer is a `presentation` input. */
  presentation(uniqueid: string, channel: string): void;
  /**
   * What the dialplan does at a place, and the lines of other extensions; the answer is an `application` input. Needs only
   * `write = reporting`.
   */
  application(question: ApplicationAsked): void;
  /** A variable of a channel; the answer is a `variable` input. */
  variable(question: VariableAsked): void;
  /** All channels and bridges, to find events that never came; the answer is a `channels-listed` input, if it is complete. */
  channels(): void;
};

/** What a PBX says of itself, as far as it does. */
export type PbxFacts = {
  /** Asterisk's; '' when unknown. */
  readonly version: string;
  readonly records: RecordOptions;
};

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

/** The least time between two snapshots that replace events that were too long or refused, ms. */
const resyncMs = 10_000;
/**
 * Inputs held while a snapshot is read, 20 MB: two times 5 s of 3,000 events/s, more than any PBX makes; two times 20 s,
 * as long as the first attempt waits for answers behind others, of 1,250.
 */
export const maxHeld = 50_000;

/** How long the first snapshot waits for what the bridge can do without, ms: events are held back until then. */
const OPTIONAL_WAIT_MS = 2_000;

/** How many of them are handed on in a turn of the event loop: priority lookups wait for it. */
const HELD_SLICE = 500;

/** Applications that end a call. */
const ending = /^(?:Hangup|Busy|Congestion)$/i;

/** The channel's Status; undefined when it is gone, refused or not answered, or when another has got its name. */
async function readStatus(
  connection: Connection,
  uniqueid: string,
  channel: string,
): Promise<ChannelStatus | undefined> {
  const answer = await connection.list(
    {
      action: { action: 'Status', channel, variables: presentationVariableList },
      item: 'Status',
      last: 'StatusComplete',
      read: toStatus,
    },
    { needed: 'unless-others-come' },
  );
  return answer.ok ? answer.items.find((item) => item.uniqueid === uniqueid) : undefined;
}

/** The life of one connection, from the attempt to its end. Returns why it ended. */
export async function runSession(
  options: ConnectionOptions & { readonly ping: KeepAliveOptions },
  handlers: SessionHandlers,
  { clock, counters, log, signal }: SessionTools,
): Promise<AmiFailure> {
  /** Inputs that wait until the snapshot that is being read has been handed on. */
  let held: Input[] | undefined = [];
  let isHandingOn = false;
  let callEvents = 0;
  let cancelResync: (() => void) | undefined;
  let stopKeepAlive = (): void => {};
  let onEnd: (failure: AmiFailure) => void = () => {};
  const ended = new Promise<AmiFailure>((resolve) => {
    onEnd = resolve;
  });

  const opened = await openConnection(
    options,
    { onCallEvent, onLineBreak, onRefused, onEnd, onTooLong, onUnanswered, onFrame: handlers.onFrame },
    { clock, counters, signal },
  );
  if (!opened.ok) return opened.failure;
  const { connection } = opened;
  const stop = (): void => {
    connection.close();
    onEnd({ kind: 'lost', detail: 'closed by us' });
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  handlers.onOpen({
    presentation(uniqueid, channel) {
      askPresentation(uniqueid, channel).catch(onError);
    },
    application(question) {
      askApplication(question).catch(onError);
    },
    variable(question) {
      askVariable(question).catch(onError);
    },
    channels() {
      askChannels().catch(onError);
    },
  });
  live(connection).catch(onError);
  const failure = await ended;
  // Or they would come after the snapshot of the next connection.
  if (isHandingOn) for (const input of takeHeld()) handlers.onInput(input);
  signal.removeEventListener('abort', stop);
  stopKeepAlive();
  cancelResync?.();
  return failure;

  async function live(connection: Connection): Promise<void> {
    let facts: PbxFacts = { version: '', records: usualRecords };
    let isUp = false;
    const learn = (version: Partial<PbxFacts>, records: Partial<RecordOptions> = {}): void => {
      facts = { ...facts, ...version, records: { ...facts.records, ...records } };
      if (isUp) handlers.onFacts(facts);
    };
    let answersPing = false;
    const asked = [
      connection.request({ action: 'Ping' }).then(({ response }) => {
        answersPing = response === 'Success';
      }),
      connection.request({ action: 'CoreSettings' }).then(({ fields }) => {
        // Debian's is followed by what it is made of: `22.10.1+dfsg+~cs6.17.60671434-1`.
        const version = (fields.get('AsteriskVersion') ?? '').replace(/[+~].*/, '');
        learn({ version }, { uniqueidLength: longestUniqueid(fields.get('SystemName') ?? '') });
      }),
      readRecordOptions(connection).then((records) => learn({}, records)),
      Promise.all([
        readDevices(connection).then((devices) => readContexts(connection, devices)),
        readGuestContext(connection),
      ]).then(([contexts, guestContext]) => {
        const input = { type: 'endpoints', at: clock.now(), contexts, guestContext } as const;
        // The snapshot is read with them, if they are known by then.
        if (contexts.length > 0 && isUp) hand(input);
        else if (contexts.length > 0) handlers.onInput(input);
      }),
    ];
    for (const question of asked) question.catch(onError);
    await within(OPTIONAL_WAIT_MS, Promise.all(asked));
    const channels = await sync();
    // The consumer may have stopped the link when it got the snapshot.
    if (signal.aborted) return;
    counters.connects++;
    isUp = true;
    const { certificateEndsAt } = connection;
    handlers.onUp({ ...facts, channels: channels.length, certificateEndsAt });
    const callClass = watchCallClass(channels);
    stopKeepAlive = keepAlive(
      connection,
      { ...options.ping, answersPing: () => answersPing },
      clock,
      onPong,
      onError,
    );

    async function onPong(at: number): Promise<void> {
      handlers.onPong(at);
      if (callEvents > 0) return;
      const { items } = await readChannels(connection);
      const now = items.map(({ uniqueid }) => uniqueid);
      if (callClass.lacksCallClass(now, callEvents)) connection.fail({ kind: 'no-call-class' });
    }
  }

  /**
   * Hands on a snapshot, then the events held meanwhile. Returns the Uniqueids of its channels.
   * @param isAgain the channels are known already: a snapshot in which some are missing would end their calls.
   */
  async function sync(isAgain = false): Promise<string[]> {
    held ??= [];
    const { tooLong, bad } = counters;
    let read = await readSnapshot(connection, clock.now);
    // A channel that is missing because its frame was too long would end its call.
    if (counters.tooLong > tooLong) read = await readSnapshot(connection, clock.now);
    const { isPartial, ...snapshot } = read;
    if (isAgain && (isPartial || counters.bad > bad)) cancelResync ??= clock.setTimer(resync, resyncMs);
    else handlers.onInput(snapshot);
    await handOnHeld();
    return snapshot.channels.map(({ uniqueid }) => uniqueid);
  }

  /** Hands on what was held, and what comes in the meantime behind it. */
  async function handOnHeld(): Promise<void> {
    isHandingOn = true;
    while (held !== undefined && held.length > 0) {
      for (const input of held.splice(0, HELD_SLICE)) handlers.onInput(input);
      await nextTurn();
    }
    takeHeld();
  }

  /** Nothing is held any more. */
  function takeHeld(): readonly Input[] {
    const rest = held ?? [];
    held = undefined;
    isHandingOn = false;
    return rest;
  }

  function onCallEvent(event: string, fields: Fields, at: number): void {
    callEvents++;
    if (event === 'Newchannel') handlers.onLinkedid(hasLinkedid(fields));
    const input = toInput(event, fields, at);
    if (input === undefined) {
      onRefused(event);
      return;
    }
    counters.events++;
    hand(input);
  }

  function hand(input: Input): void {
    if (held === undefined) handlers.onInput(input);
    else if (held.length < maxHeld) held.push(input);
    else connection.fail({ kind: 'lost', detail: 'too many events while the channels were read' });
  }

  async function askPresentation(uniqueid: string, channel: string): Promise<void> {
    // A name with a line break cannot be sent, so it cannot be asked about.
    const status = isSafeValue(channel) ? await readStatus(connection, uniqueid, channel) : undefined;
    const { presentation = 'unknown', dnid, presented } = status ?? {};
    hand({ type: 'presentation', at: clock.now(), uniqueid, presentation, dnid, presented });
  }

  async function askApplication({ uniqueid, place, others = [] }: ApplicationAsked): Promise<void> {
    const read = async (part: DialplanPart) =>
      isSafeValue(`${part.context}${part.exten ?? ''}`) ? await readExtension(connection, part) : [];
    const [lines = [], ...more] = await Promise.all([
      place === undefined ? [] : read(place),
      ...others.map(read),
    ]);
    const found = lines.find(({ priority }) => priority === place?.priority);
    // If the line ends the call, what the caller heard is in the line before.
    const before = ending.test(found?.application ?? '')
      ? lines.find(({ priority }) => Number(priority) === Number(place?.priority) - 1)
      : undefined;
    const { application = '', data = '' } = before ?? found ?? {};
    hand({ type: 'application', at: clock.now(), uniqueid, application, data, others: more.flat() });
  }

  async function askVariable({ uniqueid, channel, variable }: VariableAsked): Promise<void> {
    const value = isSafeValue(channel) ? await readVariable(connection, variable, channel) : '';
    hand({ type: 'variable', at: clock.now(), uniqueid, variable, value: value ?? '' });
  }

  async function askChannels(): Promise<void> {
    const askedAt = clock.now();
    const { tooLong, bad } = counters;
    const snapshot = await readSnapshot(connection, clock.now);
    // A channel that is not in it because it could not be read would end its call.
    if (snapshot.isPartial || counters.tooLong > tooLong || counters.bad > bad) return;
    const { at, channels, bridges } = snapshot;
    hand({ type: 'channels-listed', at, askedAt, channels, bridges });
  }

  function onUnanswered(action: string): void {
    if (counters.unanswered.has(action)) return;
    counters.unanswered.add(action);
    log.say('ami.unanswered', { action, missing: missingWithout(action) });
  }

  function onLineBreak(event: string): void {
    counters.lineBreaks++;
    sayOften('ami.line-break', { event, count: counters.lineBreaks });
  }

  function onRefused(event: string): void {
    counters.bad++;
    sayOften('ami.bad-event', { event, count: counters.bad });
    // What it said of a channel is in a snapshot.
    if (isCallEvent(event)) cancelResync ??= clock.setTimer(resync, resyncMs);
  }

  /** Logs what anybody who calls can cause, at most every few minutes. */
  function sayOften(code: 'ami.line-break' | 'ami.bad-event', fields: LogFields): void {
    const now = clock.now();
    if (now - (counters.saidAt.get(code) ?? Number.NEGATIVE_INFINITY) < remindMs) return;
    counters.saidAt.set(code, now);
    log.say(code, fields);
  }

  function onTooLong(event: string, wanted: boolean): void {
    if (counters.tooLong++ === 0) log.say('ami.frame-lost', { event });
    if (wanted) cancelResync ??= clock.setTimer(resync, resyncMs);
  }

  function resync(): void {
    // One that is being read already may be older than the loss.
    cancelResync = held === undefined ? undefined : clock.setTimer(resync, resyncMs);
    if (held === undefined) sync(true).catch(onError);
  }

  function onError(error: unknown): void {
    if (error instanceof ConnectionEnded) return;
    connection.fail({ kind: 'lost', detail: messageOf(error) });
  }
}

/**
 * Detects that the manager user lacks read class `call`. Asterisk does not report it: the login and the Events action
 * succeed without it, and no action of class `reporting` causes a call event. So the class is taken as missing when
 * channels appear or disappear without any event. A quiet PBX delays the detection, but then no call was missed.
 */
function watchCallClass(atFirst: readonly string[]) {
  const first = new Set(atFirst);
  let suspected = false;

  /**
   * Called every few seconds. True once the class is known to be missing.
   * @param channels the Uniqueids of the channels now.
   * @param callEvents how many came since the connection began.
   */
  function lacksCallClass(channels: readonly string[], callEvents: number): boolean {
    if (callEvents > 0) return false;
    // An event may still be on its way: the next call decides.
    if (suspected) return true;
    suspected = channels.length !== first.size || channels.some((uniqueid) => !first.has(uniqueid));
    return false;
  }

  return { lacksCallClass };
}
