import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../shared/process/clock.ts';
import { longestAnswer } from './backoff.ts';
import { isCallEvent } from './events.ts';
import { type AmiFailure, saysNothing } from './failure.ts';
import { type AmiCounters, countIgnored } from './link-log.ts';
import { type AnswerLimits, ConnectionEnded, createPendingRequests } from './pending-requests.ts';
import { createEventGuard } from './wire/event-guard.ts';
import { type Fields, fieldKey, isResponse, readFields } from './wire/frame.ts';
import { createFramer } from './wire/framer.ts';
import { type Action, assertSafe, createManager, type Response } from './wire/manager.ts';
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

type AnswerOptions = {
  /** Those of the connection when absent. */
  readonly limits?: AnswerLimits;
  /**
   * Without an answer in time the connection is failed. Other actions then count as refused, at once if this connection
   * has never answered them before: a proxy in front of Asterisk may know only some. `unless-others-come`: only if nothing
   * else arrives either, so that a link that is broken is not taken for such a proxy.
   */
  readonly needed?: boolean | 'unless-others-come';
};

type ListRequest<Item> = {
  readonly action: Action;
  /** The name of the events that are the list's items, and of the one that ends it. */
  readonly item: string;
  readonly last: string;
  /** Makes an item's result of its fields; undefined: no result. The fields are valid only during the call. */
  read(fields: Fields): Item | undefined;
};

export type List<Item> =
  /** `isPartial`: some of its items could not be read, or did not come. */
  | { readonly ok: true; readonly items: readonly Item[]; readonly isPartial: boolean }
  | { readonly ok: false; readonly message: string };

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

/** About 20 events: less than a millisecond. */
const SLICE_BYTES = 8_192;

/** One logged-in connection. Its promises are rejected with ConnectionEnded when it ends. */
export type Connection = Awaited<ReturnType<typeof logIn>>;

async function logIn(
  socket: Socket,
  { username, secret, answerDeadlineMs }: ConnectionOptions,
  {
    onCallEvent,
    onLineBreak = nothing,
    onRefused = nothing,
    onTooLong,
    onUnanswered,
    onFrame,
    onEnd,
  }: ConnectionHandlers,
  { clock, counters, signal }: ConnectionTools,
) {
  let ended = false;
  let loggedIn = false;
  let actions = 0;
  let arrivedAt = clock.now();
  let onGreeting: (line: string) => void = () => {};
  /** The lists that are being read, by ActionID, and how many of them have events with this name. */
  const lists = new Map<string, OpenList>();
  const listEvents = new Map<string, number>();
  /** Actions by name: those that were answered, and those that were not and are not sent any more. */
  const answered = new Set<string>();
  const unanswered = new Set<string>();
  const limits = { deadlineMs: answerDeadlineMs, longestMs: longestAnswer(answerDeadlineMs) };
  const pending = createPendingRequests(clock, () => socket.bytesRead, fail);
  const manager = createManager(username, secret, write);
  /** Callers know the number of an action, and must not be able to write its answer. */
  const actionPrefix = `pbx-bridge-${randomBytes(6).toString('hex')}-`;
  const guard = createEventGuard({
    onEvent(event, fields, at) {
      if (ended) return;
      if (isCallEvent(event)) onCallEvent(event, fields, at);
      else if (!readItem(event, fields)) countIgnored(counters, event);
    },
    onOther({ bytes, event }) {
      if (ended) return;
      if (event === '' && isResponse(bytes)) {
        if (!manager.receive(bytes)) countIgnored(counters, 'Response');
      } else if (!isWanted(event) || !readItem(event, readFields(bytes))) countIgnored(counters, event);
    },
    isAnswer: (bytes) => bytes.includes(`\nActionID: ${actionPrefix}`, 0, 'latin1'),
    onLineBreak,
    onRefused,
  });
  const framer = createFramer({
    onGreeting: (line) => onGreeting(line),
    onFrame(bytes, event) {
      onFrame?.(bytes, arrivedAt);
      guard.push({ bytes, event, at: arrivedAt });
    },
    onTooLong(event) {
      guard.end();
      onTooLong(event, isWanted(event));
    },
  });
  let settling: NodeJS.Immediate | undefined;
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    arrivedAt = clock.now();
    counters.bytesIn += chunk.length;
    takeSlice(chunk);
  });
  socket.on('error', (error) => fail({ kind: 'lost', detail: errorCode(error) }));
  socket.on('close', () => fail({ kind: 'lost', detail: 'closed' }));
  const giveUp = (): void => fail({ kind: 'lost', detail: 'given up' });
  signal?.addEventListener('abort', giveUp);

  const greeting = await pending.add<string>(
    (done) => {
      onGreeting = done;
    },
    limits,
    saysNothing,
  );
  if (!greeting.startsWith('Asterisk Call Manager')) {
    fail({ kind: 'not-asterisk', detail: `it says ${JSON.stringify(greeting.slice(0, 60))}` });
  }
  const refusal = await pending.add<Response | undefined>(manager.login, limits, silent('Login'));
  if (refusal !== undefined) {
    const failure = { kind: 'login-refused', detail: messageOf(refusal) } as const;
    fail(failure);
    throw new ConnectionEnded(failure);
  }
  loggedIn = true;
  signal?.removeEventListener('abort', giveUp);
  return {
    /** Sends an action and returns its response, `Success` or `Error`. */
    request: (action: Action, own?: AnswerOptions): Promise<Response> =>
      ask(action.action, (done) => send(action, done), own, noResponse),
    /** Sends an action that is answered by a list of events. */
    list: <Item>(request: ListRequest<Item>, own?: AnswerOptions) =>
      ask<List<Item>>(request.action.action, (done) => sendForList(request, done), own, noList),
    /** When Asterisk's certificate expires, Unix ms; undefined without TLS. */
    certificateEndsAt:
      socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate()?.valid_to) : undefined,
    /** Ends the connection for this reason. */
    fail,
    /** Ends it with a Logoff; onEnd is not called. */
    close,
  };

  /**
   * Reads so much in a turn of the event loop, and the rest in the next ones. Node would read megabytes in a row, and priority
   * lookups and timers would wait for all of it.
   */
  function takeSlice(chunk: Buffer): void {
    framer.push(chunk.subarray(0, SLICE_BYTES));
    const rest = chunk.subarray(SLICE_BYTES);
    clearImmediate(settling);
    setImmediate(() => {
      if (rest.length > 0) {
        takeSlice(rest);
        return;
      }
      socket.resume();
      // Runs after what has come in the meantime was read.
      if (!framer.hasPart()) settling = setImmediate(guard.settle);
    });
  }

  function write(text: string): void {
    if (ended) return;
    counters.bytesOut += Buffer.byteLength(text);
    socket.write(text);
  }

  function ask<Value>(
    name: string,
    start: (done: (value: Value) => void) => void,
    { limits: own = limits, needed = false }: AnswerOptions = {},
    refusal: Value,
  ): Promise<Value> {
    const giveUpAsking = (isSilent: boolean): { value: Value } | AmiFailure => {
      if (isSilent && needed === 'unless-others-come') return silent(name);
      if (!answered.has(name)) unanswered.add(name);
      onUnanswered?.(name);
      return { value: refusal };
    };
    return pending.add(
      (done) => {
        if (unanswered.has(name)) return done(refusal);
        start((value) => {
          answered.add(name);
          // It was late.
          unanswered.delete(name);
          done(value);
        });
      },
      own,
      needed === true ? silent(name) : giveUpAsking,
    );
  }

  function send(action: Action, done: (response: Response) => void): string {
    assertSafe(action);
    const actionId = `${actionPrefix}${++actions}`;
    manager.send(action, actionId, done);
    return actionId;
  }

  function sendForList<Item>(
    { action, item, last, read }: ListRequest<Item>,
    done: (list: List<Item>) => void,
  ) {
    const items: Item[] = [];
    let came = 0;
    const actionId = send(action, (response) => {
      if (response.response !== 'Error') return;
      closeList(actionId);
      done({ ok: false, message: messageOf(response) });
    });
    lists.set(actionId, {
      item,
      last,
      add(fields) {
        came += 1;
        const item = read(fields);
        if (item !== undefined) items.push(item);
      },
      end(fields) {
        const announced = Number(fields(listItemsKey) ?? came);
        done({ ok: true, items, isPartial: announced !== came || items.length !== came });
      },
    });
    for (const event of [item, last]) listEvents.set(event, (listEvents.get(event) ?? 0) + 1);
  }

  function closeList(actionId: string): void {
    const list = lists.get(actionId);
    if (!lists.delete(actionId) || list === undefined) return;
    for (const event of [list.item, list.last]) listEvents.set(event, (listEvents.get(event) ?? 0) - 1);
  }

  /** Asked for every event: it must not depend on how many lists are being read. */
  function isWanted(event: string): boolean {
    return isCallEvent(event) || (listEvents.get(event) ?? 0) > 0;
  }

  /** False if the event belongs to no list. */
  function readItem(event: string, fields: Fields): boolean {
    const actionId = fields(actionIdKey) ?? '';
    const list = lists.get(actionId);
    if (event === list?.item) list.add(fields);
    else if (event === list?.last) {
      closeList(actionId);
      list.end(fields);
    } else return false;
    return true;
  }

  function fail(failure: AmiFailure): void {
    if (ended) return;
    guard.settle();
    end(failure);
    if (loggedIn) onEnd(failure);
  }

  function close(): void {
    if (ended) return;
    manager.send({ action: 'Logoff' }, 'pbx-bridge-logoff', () => {});
    end({ kind: 'lost', detail: 'closed by us' });
  }

  function end(failure: AmiFailure): void {
    ended = true;
    signal?.removeEventListener('abort', giveUp);
    framer.stop();
    socket.destroySoon();
    pending.rejectAll(failure);
  }
}

type OpenList = {
  readonly item: string;
  readonly last: string;
  add(fields: Fields): void;
  end(fields: Fields): void;
};

const actionIdKey = fieldKey('ActionID');
const listItemsKey = fieldKey('ListItems');
const nothing = (): void => {};

function messageOf({ fields }: Response): string {
  return fields.get('Message') ?? 'without a reason';
}

/** What an action without an answer comes to: Asterisk's refusals are these, too. */
const noResponse: Response = { response: 'Error', actionid: '', fields: new Map() };
const noList: List<never> = { ok: false, message: 'no answer' };

function silent(action: string): AmiFailure {
  return { kind: 'silent', detail: action };
}
