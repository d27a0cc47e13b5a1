import { MAX_SILENCE_MS } from '../rules/limits.ts';
import type { CallBacksOnScreen, ScreenCall, ScreenSystem } from '../rules/screen-call.ts';
import {
  type Board,
  boardOf,
  empty,
  moved,
  type News,
  type People,
  type State,
  tidied,
  withDetails,
  withPeople,
} from './board.ts';
import { createJumpWatch, createServerClock, moment } from './server-clock.ts';

/** The events of the stream, and what comes with each. */
type Events = {
  readonly calls: Beat & CallBacksOnScreen & { readonly calls: readonly ScreenCall[] };
  readonly call: ScreenCall;
  readonly customers: { readonly calls: readonly News[] };
  readonly about: { readonly calls: readonly News[] };
  readonly who: { readonly calls: readonly News[] };
  readonly missed: CallBacksOnScreen & { readonly gone: readonly string[] };
  readonly beat: Beat;
};
type Beat = { readonly now: number; readonly systems: readonly ScreenSystem[] };

/** What is known from the stream. */
type Known = Omit<State, 'now' | 'calls' | 'people'> & { readonly board: Board; readonly people: People };
type StreamEvent =
  | { [Name in keyof Events]: { readonly type: Name; readonly data: Events[Name] } }[keyof Events]
  | { readonly type: 'lost' }
  /** The service answered a request for the stream, or nothing did. */
  | { readonly type: 'asked'; readonly status: number | undefined };

const CHECK_MS = 1000;
const RECONNECT_MS = 3000;

export const nothingKnown: Known = {
  board: empty,
  live: false,
  signedOut: false,
  systems: [],
  customers: 0,
  people: new Map(),
  count: 0,
  more: false,
};

/** What is known after an event. */
export function next(known: Known, event: StreamEvent): Known {
  switch (event.type) {
    case 'calls': {
      const { calls, systems, count, more } = event.data;
      const people = withPeople(new Map(), event.data);
      return { ...known, board: boardOf(calls), systems, people, count, more, live: true, signedOut: false };
    }
    case 'call':
      return { ...known, board: moved(known.board, event.data) };
    case 'customers':
      return { ...known, board: withDetails(known.board, event.data.calls), customers: known.customers + 1 };
    case 'about':
    case 'who':
      return { ...known, board: withDetails(known.board, event.data.calls) };
    case 'missed': {
      const { count, more } = event.data;
      return { ...known, people: withPeople(known.people, event.data), count, more };
    }
    case 'beat':
      return { ...known, systems: event.data.systems };
    case 'lost':
      return { ...known, live: false };
    case 'asked':
      return { ...known, signedOut: event.status === 401 };
  }
}

/**
 * Keeps the service's stream of calls open, and calls `listener` with every new state. Reconnects by itself, also after
 * silence or a jump of the clock (the PC was asleep), when the browser may not have noticed that the connection is dead.
 */
export function openStream(listener: (state: State) => void) {
  let known = nothingKnown;
  let source: EventSource | undefined;
  let lastMessage = moment();
  const clock = createServerClock();
  const hasJumped = createJumpWatch();

  function report(): void {
    const now = clock.now();
    known = { ...known, board: tidied(known.board, now) };
    const { board, people, ...others } = known;
    listener({ ...others, now, calls: [...board.values()], people: [...people.values()] });
  }

  function take(event: StreamEvent): void {
    if (event.type === 'calls' || event.type === 'beat') clock.set(event.data.now);
    known = next(known, event);
    report();
  }

  function connect(): void {
    source?.close();
    known = next(known, { type: 'lost' });
    const opened = new EventSource('/events');
    source = opened;
    lastMessage = moment();
    for (const type of ['calls', 'call', 'customers', 'about', 'who', 'missed', 'beat'] as const)
      opened.addEventListener(type, ({ data }) => {
        lastMessage = moment();
        take({ type, data: JSON.parse(data) });
      });
    opened.addEventListener('error', () => {
      take({ type: 'lost' });
      if (opened.readyState === EventSource.CLOSED) void reconnect(opened);
    });
  }

  /** The browser gives up after a response that is not a stream: signed out, or an error of a proxy. */
  async function reconnect(failed: EventSource): Promise<void> {
    const stop = new AbortController();
    const answer = await fetch('/events', { signal: stop.signal }).catch(() => undefined);
    stop.abort();
    take({ type: 'asked', status: answer?.status });
    setTimeout(() => source === failed && connect(), RECONNECT_MS);
  }

  /** Reconnects after too long a silence or a jump of the clock. */
  function check(): void {
    const now = moment();
    const silence = Math.max(now.wall - lastMessage.wall, now.monotonic - lastMessage.monotonic);
    if (!hasJumped() && silence <= MAX_SILENCE_MS) return;
    connect();
    report();
  }

  setInterval(check, CHECK_MS);
  connect();
  return { check, report };
}
