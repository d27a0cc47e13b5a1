import { boardOf, empty, moved, tidied, without } from './board.js';

/**
 * The service's stream of calls, kept open: connects again by itself, and takes silence, or a clock that jumps (the PC
 * was asleep), for a connection that is dead, whatever the browser believes.
 *
 * @typedef {{ live: boolean, signedOut: boolean, now: number, calls: readonly import('./board.js').Call[] }} State
 */

/** The service says something every 15 seconds. */
const SILENCE_MS = 35_000;
const LOOK_MS = 5000;
const AGAIN_MS = 3000;

/** @param {(state: State) => void} tell @returns {{ check(): void, tell(): void }} */
export function openStream(tell) {
  let board = empty;
  let live = false;
  let signedOut = false;
  /** @type {EventSource | undefined} */
  let source;
  /** The server's clock at a moment of our steady one. */
  let base = { server: Date.now(), steady: performance.now() };
  let heard = moment();
  let looked = moment();

  const now = () => base.server + performance.now() - base.steady;
  const state = () => {
    board = tidied(board, now());
    tell({ live, signedOut, now: now(), calls: [...board.values()] });
  };

  function connect() {
    source?.close();
    live = false;
    const mine = new EventSource('/events');
    source = mine;
    heard = moment();
    /** @param {string} event @param {(data: any) => void} take */
    const on = (event, take) =>
      mine.addEventListener(event, ({ data }) => {
        heard = moment();
        take(JSON.parse(data));
      });
    on('calls', ({ now, calls, missed }) => {
      setClock(now);
      board = boardOf([...missed, ...calls]);
      live = true;
      signedOut = false;
      state();
    });
    on('call', (call) => {
      board = moved(board, call);
      state();
    });
    on('dismissed', ({ calls }) => {
      board = without(board, calls);
      state();
    });
    on('beat', ({ now }) => setClock(now));
    mine.addEventListener('error', () => {
      live = false;
      state();
      if (mine.readyState === EventSource.CLOSED) void again(mine);
    });
  }

  /** The browser gives up after an answer that is no stream: signed out, or a proxy whose service is restarted. */
  async function again(/** @type {EventSource} */ failed) {
    const stop = new AbortController();
    const answer = await fetch('/events', { signal: stop.signal }).catch(() => undefined);
    signedOut = answer?.status === 401;
    stop.abort();
    state();
    setTimeout(() => {
      if (source === failed) connect();
    }, AGAIN_MS);
  }

  function setClock(/** @type {number} */ server) {
    base = { server, steady: performance.now() };
  }

  /** Connects anew if nothing was heard for too long, or time jumped. */
  function check() {
    const before = looked;
    looked = moment();
    const jumped = Math.abs(looked.wall - before.wall - (looked.steady - before.steady)) > LOOK_MS;
    const silent = Math.max(looked.wall - heard.wall, looked.steady - heard.steady) > SILENCE_MS;
    if (!jumped && !silent) return;
    connect();
    state();
  }

  setInterval(check, LOOK_MS);
  connect();
  return { check, tell: state };
}

/** The steady clock may stand still while the PC sleeps; the other one can be set. Together they tell. */
function moment() {
  return { wall: Date.now(), steady: performance.now() };
}
