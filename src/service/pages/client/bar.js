import htm from 'htm';
import { h, render } from 'preact';
import { ringer } from './alerts.js';
import { boardOf, empty, lasting, plainText, shownAt } from './board.js';
import { openStream } from './stream.js';

/** @typedef {import('./board.js').Call} Call */

/** The notification bar: all calls of the account, live. */
const html = htm.bind(h);
const root = /** @type {HTMLElement} */ (document.getElementById('bar'));
const alone = root.closest('.alone') !== null;
const token = root.dataset.token ?? '';
const timeZone = root.dataset.zone ?? 'UTC';
const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short' });
const title = document.title;
/** The count in the navigation. */
const toCallBack = document.getElementById('to-call-back');
/** Missed calls in the bar of other pages; the bar's own page shows all. */
const MAX_MISSED = 3;

let board = empty;
let live = false;
let signedOut = false;
let loaded = false;
/** Whether a phone system of the account has ever sent a request. */
let connected = true;
/** The server's time at a moment of the local monotonic clock: an office PC's clock may be minutes off. */
let base = { server: Date.now(), steady: performance.now() };
let ticked = { wall: Date.now(), steady: performance.now() };
const attention = ringer(() => draw());

const now = () => base.server + performance.now() - base.steady;

/** The number on the icon of the installed app, where there is one. @param {number} count */
function showBadge(count) {
  if (count !== badge) navigator.setAppBadge?.(count).catch(() => {});
  badge = count;
}
let badge = 0;

/** @param {import('./stream.js').State} state */
function take(state) {
  const before = board;
  board = boardOf(state.calls);
  base = { server: state.now, steady: performance.now() };
  live = state.live;
  signedOut = state.signedOut;
  // Signed out elsewhere: no caller's name stays on the page.
  if (signedOut)
    location.replace(`/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`);
  connected = board.size > 0 || state.systems.some(({ last_at }) => last_at !== null);
  for (const call of loaded ? board.values() : []) {
    const known = before.get(call.id);
    if (known?.status === call.status) continue;
    if (call.status === 'ringing') attention.ring(call);
    else attention.quiet(call.id);
    announce(call);
    dispatchEvent(new Event('calls-moved')); // see live-parts.js
  }
  if (loaded && missedText(before) !== missedText(board)) dispatchEvent(new Event('calls-moved'));
  if (live) loaded = true;
  drawSoon();
}

/** Changes when somebody calls back or a missed call is closed. @param {import('./board.js').Board} calls */
const missedText = (calls) =>
  [...calls.values()].map(({ id, missed, taken_by }) => missed && `${id} ${taken_by}`).join();

/**
 * Nothing moves during a press, so that the button under the pointer stays the same. At most this long, ms: some presses
 * end without an event.
 */
const MAX_PRESS_MS = 5000;
/** The click of a tap comes at most this long after the finger is up, ms. */
const CLICK_MS = 300;
let heldUntil = 0;
addEventListener('pointerdown', () => {
  heldUntil = performance.now() + MAX_PRESS_MS;
});
addEventListener('pointerup', () => {
  heldUntil = performance.now() + CLICK_MS;
  setTimeout(draw, CLICK_MS);
});
for (const over of ['click', 'pointercancel', 'blur', 'contextmenu'])
  addEventListener(over, () => {
    heldUntil = 0;
    setTimeout(draw); // after the click's own handler
  });

let due = false;
/** Draws once with the next frame; in a hidden window, with the next tick. */
function drawSoon() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

function draw() {
  due = false;
  if (performance.now() < heldUntil) return;
  const { ringing, others, missed } = shownAt(board, now(), live);
  attention.keepRinging(ringing.length > 0);
  const few = alone ? missed : missed.slice(0, MAX_MISSED);
  document.title =
    ringing.length > 0
      ? `(${ringing.length}) ${title}`
      : missed.length > 0
        ? `${missed.length} to call back · ${title}`
        : title;
  showBadge(ringing.length + missed.length);
  if (toCallBack) toCallBack.textContent = missed.length > 0 ? String(missed.length) : '';
  const head = html`<div class="bar-head">
    <p class=${live ? (connected ? 'link live' : 'link live unused') : 'link lost'}>${summary(ringing.length, others.filter(({ status }) => status === 'answered').length)}</p>
    <div class="bar-buttons">
      ${attention
        .buttons()
        .map(
          ({ label, on, press }) =>
            html`<button type="button" aria-pressed=${String(on)} onClick=${press}>${label}</button>`,
        )}
      ${alone ? html`<a href="/">Back to dashboard</a>` : html`<a class="wide" href="/bar" target="calls">Open in separate window</a>`}
    </div>
  </div>`;
  // Cards are at the edge that moves: on other pages the bar grows upwards.
  render(
    html`
      ${alone && head}
      ${
        ringing.length + others.length > 0 &&
        html`<ul class="calls" aria-label="Calls in progress">${[...ringing, ...others].map(card)}</ul>`
      }
      ${
        missed.length > 0 &&
        html`<div class="missed">
          <ul aria-label="Missed calls">${few.map(missedCard)}</ul>
          <div class="missed-all">
            <a href="/call-back">To call back: ${missed.length}</a>
          </div>
        </div>`
      }
      ${!alone && head}
    `,
    root,
  );
  keepRoom();
}

/** How high the bar is, and was on this page, in pixels. */
let height = 0;
let room = 0;
/** The space at the end of a page never shrinks: a page scrolled to its end would jump when calls end. */
function keepRoom() {
  if (alone || root.offsetHeight === height) return;
  height = root.offsetHeight;
  room = Math.max(room, height);
  document.documentElement.style.setProperty('--bar', `${height}px`);
  document.documentElement.style.setProperty('--room', `${room}px`);
  // Keeps the focused field visible above the bar.
  const field = document.activeElement;
  if (!field?.matches('main :is(input, select, textarea)')) return;
  if (field.getBoundingClientRect().bottom > root.getBoundingClientRect().top)
    field.scrollIntoView({ block: 'nearest' });
}

/** @param {number} ringing @param {number} talking */
function summary(ringing, talking) {
  if (signedOut) return html`Signed out. <a href="/sign-in">Sign in</a>`;
  if (!live) return loaded ? 'Connection lost, reconnecting …' : 'Connecting …';
  if (ringing + talking === 0) return connected ? 'No active calls' : 'No phone system has connected yet';
  const waiting = ringing > 0 ? `${ringing} ringing` : 'No one waiting';
  return talking > 0 ? `${waiting}, ${talking} on a call` : waiting;
}

/** @param {Call} call */
function card(call) {
  const ringing = call.status === 'ringing';
  const what = ringing
    ? html`ringing <b>${lasting(now() - call.started_at)}</b>`
    : call.status === 'answered'
      ? html`answered${by(call)} <b>${lasting(now() - (call.answered_at ?? now()))}</b>`
      : html`ended${call.answered_at && call.completed_at ? html` after <b>${lasting(call.completed_at - call.answered_at)}</b>` : ''}`;
  return html`<li key=${call.id} class=${`call ${call.status}`} data-call=${call.id}>
    <span class="dot" aria-hidden="true"></span>
    <div class="caller">${who(call)}</div>
    ${segment(call)}
    <div class="what">${what}</div>
  </li>`;
}

/** @param {readonly Call[]} calls of one caller, newest first */
function missedCard(calls) {
  const [call] = calls;
  if (call === undefined) return null;
  const taker = calls.find(({ taken_by }) => taken_by)?.taken_by;
  const at = call.completed_at ?? 0;
  const when =
    day.format(at) === day.format(now()) ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
  const times =
    calls.length > 1 && html` <span aria-label=${`${calls.length} missed calls`}>×${calls.length}</span>`;
  return html`<li key=${call.id} class="call missed-call" data-call=${call.id}>
    <span class="dot" aria-hidden="true"></span>
    <div class="caller">${who(call)}</div>
    ${segment(call)}
    <div class="what">missed <b>${when}</b>${times}</div>
    <div class="actions">
      ${
        taker
          ? html`<span><bdi>${plainText(taker, 24)}</bdi> calls back</span>`
          : html`<button type="button" class="take" onClick=${() => act(call, 'taken')} aria-label=${`I’ll call ${name(call)} back`}>I’ll call</button>`
      }
      <button type="button" onClick=${() => act(call, 'done')} aria-label=${`Done: ${name(call)}`}>Done</button>
    </div>
  </li>`;
}

/** @param {Call} call */
const name = (call) => plainText(call.customer?.name ?? call.number_shown);

/** @param {Call} call */
function who(call) {
  const shown = html`<bdi class="number">${plainText(call.number_shown)}</bdi>`;
  const number = call.missed ? html`<a href=${`tel:${call.number}`}>${shown}</a>` : shown;
  const to = `/callers?${new URLSearchParams({ number: call.number })}`;
  return call.customer
    ? html`<strong><a href=${to}><bdi>${name(call)}</bdi></a></strong> ${number}`
    : html`<strong>${call.missed ? number : html`<a href=${to}>${shown}</a>`}</strong>`;
}

/** @param {Call} call */
const by = (call) => (call.caller_id ? html` by <bdi>${plainText(call.caller_id, 24)}</bdi>,` : ',');

/** @param {Call} call */
const segment = (call) =>
  call.segment &&
  html`<span class="chip" title="Segment and priority"><bdi>${plainText(call.segment, 24)}</bdi> ${call.priority}</span>`;

/** Takes or closes a missed caller, for all users. @param {Call} call @param {'taken' | 'done'} kind */
function act({ number }, kind) {
  const body = new URLSearchParams({ token, number, kind, from: 'bar' });
  void fetch('/call-back', { method: 'POST', body });
}

/** For screen readers: new and missed calls, never the seconds. @param {Call} call */
function announce(call) {
  const what = call.missed
    ? 'Missed call from'
    : { ringing: 'Ringing:', answered: 'Answered:', completed: 'Ended:' }[call.status];
  announcement.textContent = `${what} ${name(call)}${call.status === 'ringing' && call.segment ? `, ${plainText(call.segment)}` : ''}`;
}

const announcement = document.createElement('p');
announcement.className = 'unseen';
announcement.setAttribute('role', 'status');
root.after(announcement);

/** One stream for all tabs where the browser can share one. */
function connect() {
  if (typeof SharedWorker === 'undefined') {
    const stream = openStream(take);
    return {
      check() {
        stream.check();
        stream.report();
      },
      end() {},
    };
  }
  // One worker per session, so that another user's calls never show.
  const worker = new SharedWorker(new URL('./stream-worker.js', import.meta.url), {
    type: 'module',
    name: `calls ${token.slice(0, 16)}`,
  });
  worker.port.onmessage = ({ data }) => take(data);
  return {
    check: () => worker.port.postMessage('check'),
    end: () => worker.port.postMessage('bye'),
  };
}

const stream = connect();
draw();

setInterval(() => {
  const before = ticked;
  ticked = { wall: Date.now(), steady: performance.now() };
  // The PC slept or its clock was set: calls are uncertain until the stream reports.
  if (Math.abs(ticked.wall - before.wall - (ticked.steady - before.steady)) > 5000) {
    live = false;
    stream.check();
  }
  draw();
}, 500);
addEventListener('visibilitychange', () => stream.check());
addEventListener('online', () => stream.check());
// Following the fragment would scroll the page to its end.
document.querySelector('a[href="#bar"]')?.addEventListener('click', (event) => {
  event.preventDefault();
  root.focus({ preventScroll: true });
});
addEventListener('pagehide', () => stream.end());
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
