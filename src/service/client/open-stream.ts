import { MAX_SILENCE_MS } from '../rules/limits.ts';
import type { CallBacksOnScreen, ScreenCall, ScreenSystem } from '../rules/screen-call.ts';
import {
  boardOf,
  empty,
  moved,
  type News,
  type People,
  type State,
  tidied,
  told,
  withPeople,
} from './board.ts';
import { makeJumpWatch, makeServerClock, moment } from './server-clock.ts';

/** The events of the stream, and what comes with each. */
type Events = {
  readonly calls: Beat & CallBacksOnScreen & { readonly calls: readonly ScreenCall[] };
  readonly call: ScreenCall;
  readonly customers: { readonly calls: readonly News[] };
  readonly 'last-with': { readonly calls: readonly News[] };
  readonly missed: CallBacksOnScreen & { readonly gone: readonly string[] };
  readonly beat: Beat;
};
type Beat = { readonly now: number; readonly systems: readonly ScreenSystem[] };

const CHECK_MS = 1000;
const RECONNECT_MS = 3000;

/**
 * Keeps the service's stream of calls open, and calls `listener` with every new state. Reconnects by itself, also after
 * silence or a jump of the clock (the PC was asleep), when the browser may not have noticed that the connection is dead.
 */
export function openStream(listener: (state: State) => void) {
  let board = empty;
  let live = false;
  let signedOut = false;
  let systems: readonly ScreenSystem[] = [];
  let customers = 0;
  let people: People = new Map();
  let [count, more] = [0, false];
  let source: EventSource | undefined;
  let lastMessage = moment();
  const clock = makeServerClock();
  const hasJumped = makeJumpWatch();

  const report = (): void => {
    const now = clock.now();
    board = tidied(board, now);
    const calls = [...board.values()];
    listener({ live, signedOut, systems, customers, now, calls, people: [...people.values()], count, more });
  };

  function connect(): void {
    source?.close();
    live = false;
    const opened = new EventSource('/events');
    source = opened;
    lastMessage = moment();
    const on = <Name extends keyof Events>(event: Name, take: (data: Events[Name]) => void) =>
      opened.addEventListener(event, ({ data }) => {
        lastMessage = moment();
        take(JSON.parse(data));
        report();
      });
    on('calls', (first) => {
      systems = first.systems;
      clock.set(first.now);
      board = boardOf(first.calls);
      people = withPeople(new Map(), first);
      ({ count, more } = first);
      live = true;
      signedOut = false;
    });
    on('call', (call) => {
      board = moved(board, call);
    });
    on('customers', ({ calls }) => {
      board = told(board, calls);
      customers += 1;
    });
    on('last-with', ({ calls }) => {
      board = told(board, calls);
    });
    on('missed', (change) => {
      people = withPeople(people, change);
      ({ count, more } = change);
    });
    on('beat', (beat) => {
      systems = beat.systems;
      clock.set(beat.now);
    });
    opened.addEventListener('error', () => {
      live = false;
      report();
      if (opened.readyState === EventSource.CLOSED) void reconnect(opened);
    });
  }

  /** The browser gives up after a response that is not a stream: signed out, or an error of a proxy. */
  async function reconnect(failed: EventSource): Promise<void> {
    const stop = new AbortController();
    const answer = await fetch('/events', { signal: stop.signal }).catch(() => undefined);
    signedOut = answer?.status === 401;
    stop.abort();
    report();
    setTimeout(() => {
      if (source === failed) connect();
    }, RECONNECT_MS);
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
