import htm from 'htm';
import { h, render } from 'preact';
import { ringer } from './alerts.js';
import { boardOf, empty, lasting, plain, shownAt, without } from './board.js';
import { openStream } from './stream.js';

/** @typedef {import('./board.js').Call} Call */

/** The notification bar: every call of the account as it moves. */
const html = htm.bind(h);
const root = /** @type {HTMLElement} */ (document.getElementById('bar'));
const alone = root.closest('.alone') !== null;
const token = root.dataset.token ?? '';
const timeZone = root.dataset.zone ?? 'UTC';
const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short' });
const title = document.title;
/** Missed calls that a page shows beside its own content; the others are on the bar's own page. */
const FEW = 3;

let board = empty;
let live = false;
let signedOut = false;
let begun = false;
/** The server's clock at a moment of our steady one: an office PC's clock may be minutes off. */
let base = { server: Date.now(), steady: performance.now() };
let ticked = { wall: Date.now(), steady: performance.now() };
const attention = ringer(() => draw());

const now = () => base.server + performance.now() - base.steady;

/** @param {import('./stream.js').State} state */
function take(state) {
  const before = board;
  board = boardOf(state.calls);
  base = { server: state.now, steady: performance.now() };
  live = state.live;
  signedOut = state.signedOut;
  for (const call of begun ? board.values() : []) {
    const known = before.get(call.id);
    if (known?.status === call.status) continue;
    if (call.status === 'ringing') attention.ring(call);
    else attention.quiet(call.id);
    say(call);
    dispatchEvent(new Event('calls-moved')); // for the page around (see live-parts.js)
  }
  if (live) begun = true;
  drawSoon();
}

/**
 * Nothing moves under a finger: what is pressed is what it was when the press began, in the bar or beside it. For so
 * long at most, ms: of some presses nobody hears the end.
 */
const HELD_MS = 5000;
/** A tap's click comes so long after the finger is up, at most, ms. */
const CLICK_MS = 300;
let heldUntil = 0;
addEventListener('pointerdown', () => {
  heldUntil = performance.now() + HELD_MS;
});
addEventListener('pointerup', () => {
  heldUntil = performance.now() + CLICK_MS;
  setTimeout(draw, CLICK_MS);
});
for (const over of ['click', 'pointercancel', 'blur', 'contextmenu'])
  addEventListener(over, () => {
    heldUntil = 0;
    setTimeout(draw); // after what the click does
  });

let due = false;
/** With the next frame, however many calls move until then; in a window that nobody sees, with the next tick. */
function drawSoon() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

function draw() {
  due = false;
  if (performance.now() < heldUntil) return;
  const { ringing, others, missed } = shownAt(board, now(), live);
  const few = alone ? missed : missed.slice(0, FEW);
  document.title = ringing.length > 0 ? `(${ringing.length}) ${title}` : title;
  const head = html`<div class="bar-head">
    <p class=${live ? 'link live' : 'link lost'}>${summary(ringing.length, others.filter(({ status }) => status === 'answered').length)}</p>
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
  // What comes and goes stands at the edge that moves: below on other pages, where the bar grows upwards.
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
            ${few.length < missed.length && html`<a href="/bar">${missed.length - few.length} more missed calls</a>`}
            ${missed.length > 1 && html`<button type="button" onClick=${() => dismiss(missed.flat())}>Dismiss all</button>`}
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
/** What a page keeps free at its end is never less again: who has scrolled there would see the page jump as calls end. */
function keepRoom() {
  if (alone || root.offsetHeight === height) return;
  height = root.offsetHeight;
  room = Math.max(room, height);
  document.documentElement.style.setProperty('--bar', `${height}px`);
  document.documentElement.style.setProperty('--room', `${room}px`);
  // Nobody types into a field that the bar has grown over.
  const field = document.activeElement;
  if (!field?.matches('main :is(input, select, textarea)')) return;
  if (field.getBoundingClientRect().bottom > root.getBoundingClientRect().top)
    field.scrollIntoView({ block: 'nearest' });
}

/** @param {number} ringing @param {number} talking */
function summary(ringing, talking) {
  if (signedOut) return html`Signed out. <a href="/sign-in">Sign in</a>`;
  if (!live) return begun ? 'Connection lost, reconnecting …' : 'Connecting …';
  if (ringing + talking === 0) return 'No active calls';
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
    <button type="button" onClick=${() => dismiss(calls)} aria-label=${`Dismiss missed call from ${name(call)}`}>Dismiss</button>
  </li>`;
}

/** @param {Call} call */
const name = (call) => plain(call.customer?.name ?? call.number_shown);

/** @param {Call} call */
function who(call) {
  const number = html`<bdi class="number">${plain(call.number_shown)}</bdi>`;
  if (!call.customer) return html`<strong>${number}</strong>`;
  const to = `/customers/edit?${new URLSearchParams({ reference: call.customer.reference })}`;
  return html`<strong><a href=${to}><bdi>${name(call)}</bdi></a></strong> ${number}`;
}

/** @param {Call} call */
const by = (call) => (call.caller_id ? html` by <bdi>${plain(call.caller_id, 24)}</bdi>,` : ',');

/** @param {Call} call */
const segment = (call) =>
  call.segment &&
  html`<span class="chip" title="Segment and priority"><bdi>${plain(call.segment, 24)}</bdi> ${call.priority}</span>`;

/** @param {readonly Call[]} calls */
function dismiss(calls) {
  const ids = calls.map(({ id }) => id);
  board = without(board, ids);
  draw();
  const body = new URLSearchParams([['token', token], ...ids.map((id) => ['call', id])]);
  void fetch('/bar/dismiss', { method: 'POST', body });
}

/** To who cannot see the bar: what begins and what is missed; never the seconds. @param {Call} call */
function say(call) {
  const what = call.missed
    ? 'Missed call from'
    : { ringing: 'Ringing:', answered: 'Answered:', completed: 'Ended:' }[call.status];
  spoken.textContent = `${what} ${name(call)}${call.status === 'ringing' && call.segment ? `, ${plain(call.segment)}` : ''}`;
}

const spoken = document.createElement('p');
spoken.className = 'unseen';
spoken.setAttribute('role', 'status');
root.after(spoken);

/** One stream for all tabs where the browser can share one. */
function connect() {
  if (typeof SharedWorker === 'undefined') {
    const stream = openStream(take);
    return {
      check() {
        stream.check();
        stream.tell();
      },
      end() {},
    };
  }
  // A worker of its own for each session: another user's calls are another worker's.
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
  // The PC slept, or its clock was set: nothing here is certain until the stream says so.
  if (Math.abs(ticked.wall - before.wall - (ticked.steady - before.steady)) > 5000) {
    live = false;
    stream.check();
  }
  draw();
}, 500);
addEventListener('visibilitychange', () => stream.check());
addEventListener('online', () => stream.check());
// As a fragment, it would scroll the page to its end.
document.querySelector('a[href="#bar"]')?.addEventListener('click', (event) => {
  event.preventDefault();
  root.focus({ preventScroll: true });
});
addEventListener('pagehide', () => stream.end());
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
