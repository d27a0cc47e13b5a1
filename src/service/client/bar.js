import htm from 'htm';
import { h, render } from 'preact';
import { ringer } from './alerts.js';
import { boardOf, empty, isChosen, nameOf, ownCall, plainText, shownAt } from './board.js';
import { card, missedCard } from './call-card.js';
import { connect } from './shared-stream.js';
import { filled, words } from './words.js';

/** @typedef {import('./board.js').Call} Call */

/**
 * The notification bar: the calls of the account, live. One line at the bottom of the window that opens, a column in a
 * wide window (bar-sizes.css), and a page of its own. The line has the first call that rings and the user's own call.
 */
const html = htm.bind(h);
const root = /** @type {HTMLElement} */ (document.getElementById('bar'));
const alone = root.closest('.alone') !== null;
/** As in bar-sizes.css. */
const column = matchMedia('(min-width: 90rem)');
const isOpen = () => alone || column.matches || localStorage.getItem('calls-open') === 'on';
const token = root.dataset.token ?? '';
/** @type {import('./board.js').Choice} */
const choice = JSON.parse(root.dataset.choice ?? 'null');
/** @type {readonly string[]} Those of the user. */
const extensions = JSON.parse(root.dataset.extensions ?? '[]');
const isFiltered = choice.mine !== null || choice.segments.length + choice.integrations.length > 0;
const { zone: timeZone, locale } = root.dataset;
const weekday = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' });
const ago = new Intl.RelativeTimeFormat(locale, { style: 'short' });
const title = document.title;
/** The count in the navigation. */
const toCallBack = document.getElementById('to-call-back');
/** Longest time to connect the stream after loading, ms; after it, something is wrong. */
const MAX_CONNECT_MS = 5000;

/** All calls, and those that the user chose to see. */
let all = empty;
let board = empty;
let live = false;
let signedOut = false;
let loaded = false;
/** @type {readonly import('./stream.js').System[]} */
let systems = [];
/** How often they have changed. */
let customers = 0;
/** The server's time at a moment of the local monotonic clock: an office PC's clock may be minutes off. */
let base = { server: Date.now(), monotonic: performance.now() };
let ticked = { wall: Date.now(), monotonic: performance.now() };
const attention = ringer(() => draw());

const now = () => base.server + performance.now() - base.monotonic;
/** Whether a phone system of the account has ever sent a request. */
const isConnected = () => all.size > 0 || systems.some(({ last_at }) => last_at !== null);

/** The number on the icon of the installed app, where there is one. @param {number} count */
function showBadge(count) {
  if (count !== badge) navigator.setAppBadge?.(count).catch(() => {});
  badge = count;
}
let badge = 0;

/** @param {import('./stream.js').State} state */
function take(state) {
  const before = { all, board };
  all = boardOf(state.calls);
  board = boardOf(state.calls.filter((call) => isChosen(call, choice)));
  base = { server: state.now, monotonic: performance.now() };
  const isBack = loaded && !live && state.live;
  if (loaded && live !== state.live && !state.live) announcement.textContent = words.lost ?? '';
  ({ live, signedOut, systems } = state);
  // Signed out elsewhere: no caller's name stays on the page.
  if (signedOut)
    location.replace(`/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`);
  for (const { id, status } of before.board.values())
    if (status === 'ringing' && board.get(id)?.status !== 'ringing') attention.quiet(id);
  for (const call of loaded ? board.values() : []) {
    if (before.all.get(call.id)?.status === call.status) continue;
    if (call.status === 'ringing') attention.ring(call);
    if (call.missed) attention.miss();
    announce(call);
  }
  const isNews = (/** @type {Call} */ call) =>
    loaded ? before.all.get(call.id)?.status !== call.status : movedAt(call) >= made;
  const isMoved = [...all.values()].some(isNews) || (loaded && missedText(before.all) !== missedText(all));
  const isRenamed = loaded && state.customers !== customers;
  customers = state.customers;
  // While the stream was away, calls may have ended that are not on it any more.
  if (isBack || isMoved || isRenamed) dispatchEvent(new Event('calls-moved')); // see live-parts.js
  if (live) loaded = true;
  drawSoon();
}

/** When the page was made, by the server's clock: what has changed since is not on it. */
const made = Number(root.dataset.made);
/** @param {Call} call */
const movedAt = ({ started_at, answered_at, completed_at }) => completed_at ?? answered_at ?? started_at;

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
  const { ringing, others, missed: chosen } = shownAt(board, now(), live);
  const missed = chosen.filter(([newest]) => !newest?.unlisted);
  attention.keepRinging(ringing.length > 0);
  const open = isOpen();
  root.classList.toggle('open', open);
  const toCall = shownAt(all, now(), live).missed.length;
  document.title =
    ringing.length > 0
      ? `(${ringing.length}) ${title}`
      : toCall > 0
        ? `${filled(words.titleCallBack, { count: toCall })} · ${title}`
        : title;
  showBadge(ringing.length + toCall);
  if (toCallBack) toCallBack.textContent = toCall > 0 ? String(toCall) : '';
  const ringtone = attention.ringtone();
  const own = ownCall(others, extensions);
  const [first, ...alsoRinging] = ringing;
  const line =
    !open &&
    (first ?? own) &&
    html`<ul class="calls line" aria-label=${words.callsInProgress}>
      ${first && card(first, now())}
      ${alsoRinging.length > 0 && html`<li class="also" title=${filled(words.ringing, { count: ringing.length })}>+${alsoRinging.length}</li>`}
      ${own && card(own, now(), true)}
    </ul>`;
  const silent = live && systems.find(({ unusual }) => unusual);
  const head = html`<div class="bar-head">
    ${state(ringing.length, others.filter(({ status }) => status === 'answered').length)}
    ${silent && html`<p class="link lost" role="alert">${systemText(silent)}</p>`}
    ${line}
    ${!open && toCall > 0 && html`<a class="wide" href="/call-back">${filled(words.toCallBack, { count: toCall })}</a>`}
    <div class="bar-buttons">
      ${button(ringtone)}
      ${
        alone
          ? html`<a href="/">${words.backToDashboard}</a>`
          : html`<button type="button" class="toggle" aria-expanded=${String(open)} aria-controls="bar" onClick=${toggle}>${open ? words.close : words.open}</button>`
      }
    </div>
  </div>`;
  const body =
    open &&
    html`
      ${
        ringing.length + others.length > 0 &&
        html`<ul class="calls" aria-label=${words.callsInProgress}>${[...ringing, ...others].map((call) => card(call, now(), call === own))}</ul>`
      }
      ${
        missed.length > 0 &&
        html`<div class="missed">
          <ul aria-label=${words.missedCalls}>${missed.map((calls) => missedCard(calls, now()))}</ul>
          <div class="missed-all">
            <a href="/call-back">${filled(words.toCallBack, { count: toCall })}</a>
          </div>
        </div>`
      }
      ${more()}
    `;
  // On other pages the line is at the edge, and the bar grows upwards.
  const isHeadFirst = alone || column.matches;
  render(html`${isHeadFirst && head}${body}${!isHeadFirst && head}`, root);
  keepRoom();
}

function toggle() {
  localStorage.setItem('calls-open', isOpen() ? 'off' : 'on');
  draw();
}

/** @param {import('./alerts.js').Button} button */
const button = ({ label, on, press, blocked }) =>
  html`<button type="button" class=${blocked && 'blocked'} aria-pressed=${String(on)} onClick=${press}>${label}</button>`;

/** The state of the phone systems, and settings that are rarely changed. */
const more =
  () => html`<details class="bar-more" onToggle=${(/** @type {Event} */ { target }) => /** @type {HTMLElement} */ (target).scrollIntoView({ block: 'nearest' })}>
  <summary>${words.more}</summary>
  <ul aria-label=${words.phoneSystems}>
    ${systems.map((system) => html`<li class=${`system ${system.unusual ? 'silent' : system.last_at === null ? '' : 'live'}`}>${systemText(system)}</li>`)}
  </ul>
  <div class="bar-buttons">
    ${attention.choices().map(button)}
    <label>${words.volume} <input type="range" min="5" max="100" step="5" value=${attention.volume()} onChange=${(/** @type {Event} */ { target }) => attention.setVolume(Number(/** @type {HTMLInputElement} */ (target).value))} /></label>
    <a href="/bar/settings">${words.choose}</a>
    ${!alone && html`<a class="wide" href="/bar" target="calls">${words.ownWindow}</a>`}
  </div>
</details>`;

/** `Headquarters: last event 2 min ago` @param {import('./stream.js').System} system */
function systemText({ name: system, last_at, unusual }) {
  const minutes = Math.max(1, Math.round((now() - (last_at ?? 0)) / 60_000));
  const [unit, length] =
    /** @type {const} */ ([
      ['day', 1440],
      ['hour', 60],
      ['minute', 1],
    ]).find(([, size]) => minutes >= 2 * size) ?? /** @type {const} */ (['minute', 1]);
  const count = Math.round(minutes / length);
  const span = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
  const text = last_at === null ? words.systemNever : unusual ? words.systemSilent : words.systemLastEvent;
  return filled(text, {
    name: plainText(system, 40),
    ago: ago.format(-count, unit),
    span,
    weekday: weekday.format(now()),
  });
}

/** The height of the bar now, and the most that it was on this page, in pixels. */
let height = 0;
let room = 0;
/** The space at the end of a page never shrinks: a page scrolled to its end would jump when calls end. */
function keepRoom() {
  const high = column.matches ? 0 : root.offsetHeight;
  if (alone || high === height) return;
  height = high;
  room = high && Math.max(room, height);
  document.documentElement.style.setProperty('--bar', `${height}px`);
  document.documentElement.style.setProperty('--room', `${room}px`);
  // Keeps the focused field visible above the bar.
  const field = document.activeElement;
  if (!field?.matches('main :is(input, select, textarea)')) return;
  if (field.getBoundingClientRect().bottom > root.getBoundingClientRect().top)
    field.scrollIntoView({ block: 'nearest' });
}

/** What is happening, or why that cannot be seen. @param {number} ringing @param {number} talking */
function state(ringing, talking) {
  if (signedOut)
    return html`<p class="link lost">${words.signedOut} <a href="/sign-in">${words.signIn}</a></p>`;
  if (!live) {
    const lost = loaded || performance.now() > MAX_CONNECT_MS;
    return html`<p class=${lost ? 'link lost' : 'link'}>${lost ? words.lost : words.connecting}</p>`;
  }
  const waiting = ringing > 0 ? filled(words.ringing, { count: ringing }) : words.noneWaiting;
  const calls =
    ringing + talking === 0
      ? isConnected()
        ? words.noCalls
        : words.neverConnected
      : talking > 0
        ? `${waiting}, ${filled(words.talking, { count: talking })}`
        : waiting;
  return html`<p class=${isConnected() ? 'link live' : 'link live unused'}>${calls}${isFiltered && html` · <a href="/bar/settings">${words.filtered}</a>`}</p>`;
}

/** For screen readers: new and missed calls, never the seconds. @param {Call} call */
function announce(call) {
  const text = call.missed
    ? words.saysMissed
    : { ringing: words.saysRinging, answered: words.saysAnswered, completed: words.saysEnded }[call.status];
  const also = call.status === 'ringing' && call.segment ? `, ${plainText(call.segment)}` : '';
  announcement.textContent = filled(text, { name: `${nameOf(call)}${also}` });
}

const announcement = document.createElement('p');
announcement.className = 'unseen';
announcement.setAttribute('role', 'status');
root.after(announcement);

const stream = connect(take, `calls ${token.slice(0, 16)}`);
column.addEventListener('change', draw);
// On a phone the links at the top scroll sideways.
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
draw();

setInterval(() => {
  const before = ticked;
  ticked = { wall: Date.now(), monotonic: performance.now() };
  // The PC slept or its clock was set: calls are uncertain until the stream reports.
  if (Math.abs(ticked.wall - before.wall - (ticked.monotonic - before.monotonic)) > 5000) {
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
