import { boardOf, empty, moved, tidied, told, withPeople } from './board.js';

/**
 * Keeps the service's stream of calls open. Reconnects by itself, also after silence or a jump of the clock (the PC was
 * asleep), when the browser may not have noticed that the connection is dead.
 *
 * @typedef {{ live: boolean, signedOut: boolean, systems: readonly System[], customers: number, now: number, calls: readonly import('./board.js').Call[], people: readonly import('./board.js').Missed[], count: number, more: boolean }} State `customers`: how often they have changed; `people`: the first to call back, of `count`, or even `more`
 * @typedef {{ name: string, last_at: number | null, unusual: boolean }} System a phone system; `last_at` in Unix ms, null: never
 */

/** The service sends a heartbeat every 4 seconds: a dead connection is shown within 10. */
const MAX_SILENCE_MS = 9_000;
const CHECK_MS = 1000;
/** A difference between the two clocks that a busy machine does not make. */
const JUMP_MS = 5000;
const RECONNECT_MS = 3000;

/** Calls `listener` with every new state. @param {(state: State) => void} listener @returns {{ check(): void, report(): void }} */
export function openStream(listener) {
  let board = empty;
  let live = false;
  let signedOut = false;
  /** @type {readonly System[]} */
  let systems = [];
  let customers = 0;
  /** @type {import('./board.js').People} */
  let people = new Map();
  let [count, more] = [0, false];
  /** @type {EventSource | undefined} */
  let source;
  /** The server's time at a moment of the local monotonic clock. */
  let base = { server: Date.now(), monotonic: performance.now() };
  let lastMessage = moment();
  let checked = moment();

  const now = () => base.server + performance.now() - base.monotonic;
  const report = () => {
    board = tidied(board, now());
    listener({
      live,
      signedOut,
      systems,
      customers,
      now: now(),
      calls: [...board.values()],
      people: [...people.values()],
      count,
      more,
    });
  };

  function connect() {
    source?.close();
    live = false;
    const opened = new EventSource('/events');
    source = opened;
    lastMessage = moment();
    /** @param {string} event @param {(data: any) => void} take */
    const on = (event, take) =>
      opened.addEventListener(event, ({ data }) => {
        lastMessage = moment();
        take(JSON.parse(data));
      });
    on('calls', (first) => {
      systems = first.systems;
      setClock(first.now);
      board = boardOf(first.calls);
      people = withPeople(new Map(), first);
      ({ count, more } = first);
      live = true;
      signedOut = false;
      report();
    });
    on('call', (call) => {
      board = moved(board, call);
      report();
    });
    on('customers', ({ calls }) => {
      board = told(board, calls);
      customers += 1;
      report();
    });
    on('last-with', ({ calls }) => {
      board = told(board, calls);
      report();
    });
    on('missed', (change) => {
      people = withPeople(people, change);
      ({ count, more } = change);
      report();
    });
    on('beat', ({ now, systems: known }) => {
      systems = known;
      setClock(now);
      report();
    });
    opened.addEventListener('error', () => {
      live = false;
      report();
      if (opened.readyState === EventSource.CLOSED) void reconnect(opened);
    });
  }

  /** The browser gives up after a response that is not a stream: signed out, or an error of a proxy. */
  async function reconnect(/** @type {EventSource} */ failed) {
    const stop = new AbortController();
    const answer = await fetch('/events', { signal: stop.signal }).catch(() => undefined);
    signedOut = answer?.status === 401;
    stop.abort();
    report();
    setTimeout(() => {
      if (source === failed) connect();
    }, RECONNECT_MS);
  }

  function setClock(/** @type {number} */ server) {
    base = { server, monotonic: performance.now() };
  }

  /** Reconnects after too long a silence or a jump of the clock. */
  function check() {
    const before = checked;
    checked = moment();
    const jumped = Math.abs(checked.wall - before.wall - (checked.monotonic - before.monotonic)) > JUMP_MS;
    const silent =
      Math.max(checked.wall - lastMessage.wall, checked.monotonic - lastMessage.monotonic) > MAX_SILENCE_MS;
    if (!jumped && !silent) return;
    connect();
    report();
  }

  setInterval(check, CHECK_MS);
  connect();
  return { check, report };
}

/** Both clocks: the monotonic one may stop while the PC sleeps, the other one can be set. */
function moment() {
  return { wall: Date.now(), monotonic: performance.now() };
}
