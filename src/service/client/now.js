import htm from 'htm';
import { h, render } from 'preact';
import { ringer } from './alerts.js';
import {
  boardOf,
  empty,
  inOrder,
  isChosen,
  isDoubtful,
  lasting,
  nameOf,
  ownCall,
  plainText,
  shownAt,
} from './board.js';
import {
  actions,
  clock,
  doubtful as doubtfulRow,
  icon,
  later,
  mine,
  other,
  post,
  ringing as ringingRow,
} from './now-cards.js';
import { connect } from './shared-stream.js';
import { filled, words } from './words.js';

/** @typedef {import('./board.js').Call} Call */

/**
 * The calls now: one list on every page, which the stylesheet shows as a line below the page, as a column beside it, or
 * alone in a window: ringing calls, the user's own call with a note, then the others and whom to call back. The stylesheet
 * holds the own call at the end that stands still, so that no call that rings moves the field in which somebody types.
 */
const html = htm.bind(h);
const root = /** @type {HTMLElement} */ (document.getElementById('now'));
const { token = '', zone: timeZone, locale } = root.dataset;
/** @type {import('./board.js').Choice} */
const choice = JSON.parse(root.dataset.choice ?? 'null');
/** @type {readonly string[]} Those of the user. */
const extensions = JSON.parse(root.dataset.extensions ?? '[]');
const isFiltered = choice.mine !== null || choice.segments.length + choice.integrations.length > 0;
const weekday = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' });
const ago = new Intl.RelativeTimeFormat(locale, { style: 'short' });
const title = document.title;
/** The count in the navigation. */
const toCallBack = document.getElementById('to-call-back');
/** Longest time to connect the stream after loading, ms; after it, something is wrong. */
const MAX_CONNECT_MS = 5000;
/** The user's own call stays this long after its end, ms; longer while its note is not saved. */
const WHILE_MS = 60_000;

/** All calls, and those that the user chose to see. */
let all = empty;
let board = empty;
/** @type {readonly import('./board.js').Missed[]} */
let people = [];
let count = 0;
/** Whether there are even more. */
let more = false;
let live = false;
let lostAt = 0;
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
/** @type {import('./now-cards.js').Refused | undefined} */
let refused;
actions.refused = (one, why) => {
  refused = why === undefined ? undefined : { one, why };
  draw();
};

const now = () => base.server + performance.now() - base.monotonic;
/** Whether a phone system of the account has ever sent a request. */
const isConnected = () => all.size > 0 || systems.some(({ last_at }) => last_at !== null);

/**
 * The user's own calls with their notes, by id. They are kept while pages change, and what is typed is kept until it is
 * saved.
 * @type {Map<string, { call: Call, text: string, state: string }>}
 */
const own = new Map(JSON.parse(sessionStorage.getItem(`own ${token}`) ?? '[]'));
/** @param {{ call: Call }} one */
const isOver = ({ call }) => call.status === 'completed';
const keepOwn = () => sessionStorage.setItem(`own ${token}`, JSON.stringify([...own]));

function tidyOwn() {
  const talking = ownCall([...all.values()], extensions);
  if (talking && !own.has(talking.id)) own.set(talking.id, { call: talking, text: '', state: '' });
  for (const [id, one] of own) {
    const known = all.get(id);
    // A page that opens during a call is not told who spoke with them before it.
    if (known) one.call = { ...(one.call.last_with && { last_with: one.call.last_with }), ...known };
    // Gone from the board without an end: it ended while this screen was away.
    else if (live && one.call.status !== 'completed')
      one.call = { ...one.call, status: 'completed', completed_at: now() };
    const isGone = isOver(one) && now() - (one.call.completed_at ?? 0) > WHILE_MS;
    const isOnHold = one.call.status === 'answered' && talking !== undefined && talking.id !== id;
    if (one.text === '' && (isGone || isOnHold)) own.delete(id);
  }
  keepOwn();
}

/** @param {{ call: Call, text: string, state: string }} one */
const noteOf = (one) => ({
  text: one.text,
  state: one.state,
  type(/** @type {string} */ text) {
    Object.assign(one, { text, state: '' });
    keepOwn();
  },
  async save() {
    const { text } = one;
    if (text.trim() === '') return;
    const why = await post('/call-back', { number: one.call.number, kind: 'note', text });
    if (why === undefined && one.text === text) one.text = '';
    one.state = why ?? words.saved ?? '';
    draw();
    document.getElementById(`note-${one.call.id}`)?.focus();
  },
});

/** The number on the icon of the installed app, where there is one. @param {number} shown */
function showBadge(shown) {
  if (shown !== badge) navigator.setAppBadge?.(shown).catch(() => {});
  badge = shown;
}
let badge = 0;

/** @param {import('./stream.js').State} state */
function take(state) {
  const before = { all, board, people };
  all = boardOf(state.calls);
  board = boardOf(state.calls.filter((call) => isChosen(call, choice)));
  base = { server: state.now, monotonic: performance.now() };
  const isBack = loaded && !live && state.live;
  if (loaded && live && !state.live) {
    lostAt = now();
    announcement.textContent = filled(words.lost, { time: clock(lostAt, lostAt) });
  }
  ({ live, signedOut, systems, people, count, more } = state);
  // Signed out elsewhere: no caller's name stays on the page.
  if (signedOut)
    location.replace(`/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`);
  for (const { id, status } of before.board.values())
    if (status === 'ringing' && board.get(id)?.status !== 'ringing') attention.quiet(id);
  for (const call of loaded ? board.values() : []) {
    if (before.all.get(call.id)?.status === call.status || isDoubtful(call, now())) continue;
    announce(call);
    if (call.status === 'ringing') attention.ring(call);
    if (call.missed) attention.miss();
  }
  const isNews = (/** @type {Call} */ call) =>
    loaded ? before.all.get(call.id)?.status !== call.status : movedAt(call) >= made;
  const wasPerson = new Map(before.people.map((one) => [one.person, JSON.stringify(one)]));
  const isPerson = new Map(people.map((one) => [one.person, JSON.stringify(one)]));
  const changed = loaded
    ? [...wasPerson.keys(), ...isPerson.keys()].filter((key) => wasPerson.get(key) !== isPerson.get(key))
    : [];
  const movedCalls = [...all.values()].filter(isNews).map(({ id }) => id);
  const isRenamed = loaded && state.customers !== customers;
  customers = state.customers;
  // While the stream was away, calls may have ended that are not on it any more: see live.js.
  if (isBack || isRenamed) dispatchEvent(new CustomEvent('calls-moved'));
  else if (movedCalls.length + changed.length > 0)
    dispatchEvent(new CustomEvent('calls-moved', { detail: [...movedCalls, ...new Set(changed)] }));
  if (live) loaded = true;
  drawSoon();
}

/** When the page was made, by the server's clock: what has changed since is not on it. */
const made = Number(root.dataset.made);
/** @param {Call} call */
const movedAt = ({ started_at, answered_at, completed_at }) => completed_at ?? answered_at ?? started_at;

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
  const { ringing, others, doubtful } = shownAt(board, now(), live);
  attention.keepRinging(ringing.length > 0);
  for (const { id } of doubtful) attention.quiet(id);
  root.setAttribute('aria-busy', String(!live));
  tidyOwn();
  const called = inOrder(new Map(people.map((one) => [one.person, one])));
  const counted = more ? `${count}+` : String(count);
  document.title =
    ringing.length > 0
      ? `(${ringing.length}) ${title}`
      : count > 0
        ? `${filled(words.titleCallBack, { count: counted })} · ${title}`
        : title;
  showBadge(ringing.length + count);
  if (toCallBack) toCallBack.textContent = count > 0 ? counted : '';
  const isLost = signedOut || (!live && (loaded || performance.now() > MAX_CONNECT_MS));
  // While the line is measured, nothing may become shorter.
  if (page && room > 0) page.style.marginBlockEnd = `${room}px`;
  const silent = live && systems.find(({ unusual }) => unusual);
  render(
    html`
      ${root.dataset.alone && html`<h1 class="unseen">${words.title}</h1>`}
      <div class="now-head"><span>${isLost ? '' : state(ringing.length)}</span>${isFiltered && html`<a class="small quiet" href="/account/calls">${words.filtered}</a>`}${menu()}</div>
      ${silent && html`<p class="silent" role="alert">${systemText(silent)}</p>`}
      ${isLost && html`<p class="lost" role="alert">${icon('wifi-off')}<span>${signedOut ? html`${words.signedOut} <a href="/sign-in">${words.signIn}</a>` : filled(words.lost, { time: clock(lostAt || made, now()) })}</span></p>`}
      <ol class="calls-now" aria-label=${words.title}>
        ${ringing.map((call) => ringingRow(call, now()))}
        ${[...own.values()]
          .filter((one) => live || one.text !== '')
          .sort((a, b) => Number(isOver(a)) - Number(isOver(b)))
          .map((one) => mine(one.call, now(), noteOf(one)))}
        ${others.filter(({ id }) => !own.has(id)).map((call) => other(call, now()))}
        ${doubtful.map((call) => doubtfulRow(call, now(), refused))}
      </ol>
      ${
        called.length > 0 &&
        html`<section class="later">
          <h2><a href="/call-back">${words.toCallBack}</a><span class="count">${counted}</span></h2>
          <ol>${called.map((person) => later(person, now(), refused))}</ol>
        </section>`
      }
    `,
    root,
  );
  // Calls in a list of the page.
  for (const node of document.querySelectorAll('[data-since]'))
    node.textContent = live ? lasting(now() - Number(/** @type {HTMLElement} */ (node).dataset.since)) : '';
  keepRoom();
}

/** What is happening. @param {number} ringing */
function state(ringing) {
  if (!live) return words.connecting;
  if (!isConnected()) return words.neverConnected;
  return ringing + own.size > 0 ? words.title : words.nobody;
}

/** The ringtone, and settings that are rarely changed. */
function menu() {
  const ringtone = attention.ringtone();
  const button = (/** @type {import('./alerts.js').Button} */ { label, on, press }) =>
    html`<button type="button" aria-pressed=${String(on)} onClick=${press}>${label}</button>`;
  return html`<details class="menu">
    <summary class=${ringtone.blocked ? 'button bare is-missed' : 'button bare'} aria-label=${ringtone.label} title=${ringtone.label}>${icon(ringtone.on && !ringtone.blocked ? 'bell-ring' : 'bell-off')}</summary>
    <div>
      ${[ringtone, ...attention.choices()].map(button)}
      <label>${words.volume}<input type="range" min="5" max="100" step="5" value=${attention.volume()} onChange=${(/** @type {Event} */ { target }) => attention.setVolume(Number(/** @type {HTMLInputElement} */ (target).value))} /></label>
      <a href="/account/calls">${words.choose}</a>
      ${!root.dataset.alone && html`<a href="/calls/window" target="calls">${words.ownWindow}</a>`}
      ${systems.map((system) => html`<p class="small quiet">${systemText(system)}</p>`)}
    </div>
  </details>`;
}

/** `Headquarters: last event 2 min ago` @param {import('./stream.js').System} system */
function systemText({ name: system, last_at, unusual }) {
  const minutes = Math.max(1, Math.round((now() - (last_at ?? 0)) / 60_000));
  const [unit, length] =
    /** @type {const} */ ([
      ['day', 1440],
      ['hour', 60],
      ['minute', 1],
    ]).find(([, size]) => minutes >= 2 * size) ?? /** @type {const} */ (['minute', 1]);
  const units = Math.round(minutes / length);
  const span = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(units);
  const text = last_at === null ? words.systemNever : unusual ? words.systemSilent : words.systemLastEvent;
  return filled(text, {
    name: plainText(system, 40),
    ago: ago.format(-units, unit),
    span,
    weekday: weekday.format(now()),
  });
}

/** The height of the entries at the bottom of a phone, and the space around what has the focus. */
const NAV_PX = 72;
let height = 0;
let room = 0;
const page = document.querySelector('main');
/**
 * The end of a page keeps the room of the highest line: a page scrolled to its end would move when calls end. A field that
 * has the focus stays visible above the line when that grows.
 */
function keepRoom() {
  const { height: high, width } = root.getBoundingClientRect();
  const isLine = width === document.documentElement.clientWidth;
  if (!page) return;
  room = isLine ? Math.max(room, high) : 0;
  page.style.marginBlockEnd = isLine ? `${room - high}px` : '';
  if (high === height) return;
  height = high;
  // What gets the focus stays above the line, and above the entries below it on a phone.
  document.documentElement.style.scrollPaddingBlockEnd = isLine ? `${high + NAV_PX}px` : '';
  const field = document.activeElement;
  if (!isLine || !field?.matches('main :is(input, select, textarea)')) return;
  if (field.getBoundingClientRect().bottom > root.getBoundingClientRect().top)
    field.scrollIntoView({ block: 'nearest' });
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
document.querySelector('a[href="#now"]')?.addEventListener('click', (event) => {
  event.preventDefault();
  root.focus({ preventScroll: true });
});
addEventListener('pagehide', () => stream.end());
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
// A menu closes when something else is pressed, or with Escape.
const closeMenus = (/** @type {EventTarget | null} */ target) => {
  for (const open of document.querySelectorAll('details.menu[open]'))
    if (!(target instanceof Node && open.contains(target))) open.removeAttribute('open');
};
addEventListener('click', ({ target }) => closeMenus(target));
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  /** @type {HTMLElement | null} */ (
    document.activeElement?.closest('details.menu[open]')?.querySelector('summary') ?? null
  )?.focus();
  closeMenus(null);
});
