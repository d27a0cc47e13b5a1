import { duration } from '../rules/duration.ts';
import { filled } from '../rules/filled.ts';
import { plainText } from '../rules/plain-text.ts';
import type { MissedPerson, ScreenCall } from '../rules/screen-call.ts';
import { boardOf, empty, inOrder, isChosen, isLost, nameOf, shownAt } from './board.ts';
import { connectStream } from './connect-stream.ts';
import { holdPresses } from './hold-presses.ts';
import { html } from './html.ts';
import { makeRoom } from './keep-room.ts';
import { render } from './libraries/preact.mjs';
import { icon, makeCards, type Refused } from './now-cards.ts';
import { closeMenus, nowMenu, systemText } from './now-menu.ts';
import type { State } from './open-stream.ts';
import { makeOwnCalls } from './own-calls.ts';
import { makeRinger } from './ringer.ts';
import { screenOf } from './screen.ts';
import { makeJumpWatch, makeServerClock } from './server-clock.ts';

/** Longest time to connect the stream after loading, ms; after it, something is wrong. */
const MAX_CONNECT_MS = 5000;
const TICK_MS = 500;

/**
 * The calls now: one list on every page, which the stylesheet shows as a line below the page, as a column beside it, or
 * alone in a window: ringing calls, the user's own call with a note, then the others and whom to call back. The stylesheet
 * holds the own call at the end that stands still, so that no call that rings moves the field in which somebody types.
 */
export function showCallsNow(): void {
  const root = document.getElementById('now');
  if (root !== null) show(root);
}

function show(root: HTMLElement): void {
  const screen = screenOf(root);
  const { words, choice, made } = screen;
  const isFiltered = choice.mine !== null || choice.segments.length + choice.integrations.length > 0;
  const title = document.title;
  /** The count in the navigation. */
  const toCallBack = document.getElementById('to-call-back');
  const announce = makeAnnouncement(root);

  let state: Omit<State, 'now'> = {
    ...{ live: false, signedOut: false, systems: [], customers: 0 },
    ...{ calls: [], people: [], count: 0, more: false },
  };
  /** All calls, and those that the user chose to see. */
  let all = empty;
  let board = empty;
  let lostAt = 0;
  let loaded = false;
  let badge = 0;
  let due = false;
  let refused: Refused | undefined;
  const { now, set: setClock } = makeServerClock();
  const hasJumped = makeJumpWatch();
  const isPressed = holdPresses(draw);
  const room = makeRoom(root);
  const ringer = makeRinger(screen, draw);
  const own = makeOwnCalls(screen, draw);
  const cards = makeCards(screen, (one, why) => {
    refused = why === undefined ? undefined : { one, why };
    draw();
  });

  function take({ now: serverNow, ...next }: State): void {
    const before = { all, board, state };
    setClock(serverNow);
    all = boardOf(next.calls);
    board = boardOf(next.calls.filter((call) => isChosen(call, choice)));
    if (loaded && state.live && !next.live) {
      lostAt = now();
      announce(filled(words.lost, { time: screen.clock(lostAt, lostAt) }));
    }
    state = next;
    // Signed out elsewhere: no caller's name stays on the page.
    if (state.signedOut)
      location.replace(`/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`);
    for (const { id, status } of before.board.values())
      if (status === 'ringing' && board.get(id)?.status !== 'ringing') ringer.quiet(id);
    for (const call of loaded ? board.values() : []) {
      if (before.all.get(call.id)?.status === call.status || isLost(call, now())) continue;
      announce(saysOf(call));
      if (call.status === 'ringing') ringer.ring(call);
      if (call.missed) ringer.miss();
    }
    sayMoved(before);
    if (state.live) loaded = true;
    drawSoon();
  }

  /** Tells the page what has moved: see keep-live.ts. */
  function sayMoved(before: { readonly all: typeof all; readonly state: typeof state }): void {
    const isNews = (call: ScreenCall) =>
      loaded ? before.all.get(call.id)?.status !== call.status : movedAt(call) >= made;
    const calls = [...all.values()].filter(isNews).map(({ id }) => id);
    const people = loaded ? changedPeople(before.state.people, state.people) : [];
    // While the stream was away, calls may have ended that are not on it any more.
    const isBack = loaded && !before.state.live && state.live;
    const isRenamed = loaded && state.customers !== before.state.customers;
    if (isBack || isRenamed) dispatchEvent(new CustomEvent('calls-moved'));
    else if (calls.length + people.length > 0)
      dispatchEvent(new CustomEvent('calls-moved', { detail: [...calls, ...people] }));
  }

  /** For screen readers: new and missed calls, never the seconds. */
  function saysOf(call: ScreenCall): string {
    const text = call.missed
      ? words.saysMissed
      : { ringing: words.saysRinging, answered: words.saysAnswered, completed: words.saysEnded }[call.status];
    const also = call.status === 'ringing' && call.segment ? `, ${plainText(call.segment)}` : '';
    return filled(text, { name: `${nameOf(call)}${also}` });
  }

  /** Draws once with the next frame; in a hidden window, with the next tick. */
  function drawSoon(): void {
    if (due) return;
    due = true;
    requestAnimationFrame(draw);
  }

  function draw(): void {
    due = false;
    if (isPressed()) return;
    const at = now();
    const { live, count } = state;
    const shown = shownAt(board, at, live);
    ringer.keepRinging(shown.ringing.length > 0);
    for (const { id } of shown.doubtful) ringer.quiet(id);
    root.setAttribute('aria-busy', String(!live));
    own.tidy(all, at, live);
    const counted = state.more ? `${count}+` : String(count);
    document.title = titleOf(shown.ringing.length, counted);
    showBadge(shown.ringing.length + count);
    if (toCallBack) toCallBack.textContent = count > 0 ? counted : '';
    room.hold();
    render(content(shown, counted, at), root);
    // Calls in a list of the page.
    for (const node of document.querySelectorAll<HTMLElement>('[data-since]'))
      node.textContent = live ? duration(at - Number(node.dataset.since)) : '';
    room.keep();
  }

  function titleOf(ringing: number, counted: string): string {
    if (ringing > 0) return `(${ringing}) ${title}`;
    return state.count > 0 ? `${filled(words.titleCallBack, { count: counted })} · ${title}` : title;
  }

  /** The number on the icon of the installed app, where there is one. */
  function showBadge(shown: number): void {
    if (shown !== badge) navigator.setAppBadge?.(shown).catch(() => {});
    badge = shown;
  }

  function content({ ringing, others, doubtful }: ReturnType<typeof shownAt>, counted: string, at: number) {
    const { live, signedOut, systems, people } = state;
    const isLate = loaded || performance.now() > MAX_CONNECT_MS;
    const isCutOff = signedOut || (!live && isLate);
    const silent = live && systems.find(({ unusual }) => unusual);
    return html`
      ${screen.isAlone && html`<h1 class="unseen">${words.title}</h1>`}
      <div class="now-head"><span>${isCutOff ? '' : headline(ringing.length)}</span>${isFiltered && html`<a class="small quiet" href="/account/calls">${words.filtered}</a>`}${nowMenu(screen, ringer, systems, at)}</div>
      ${silent && html`<p class="silent" role="alert">${systemText(screen, silent, at)}</p>`}
      ${isCutOff && html`<p class="lost" role="alert">${icon(screen, 'wifi-off')}<span>${signedOut ? words.signedOut : filled(words.lost, { time: screen.clock(lostAt || made, at) })}</span></p>`}
      <ol class="calls-now" aria-label=${words.title}>
        ${ringing.map((call) => cards.ringing(call, at))}
        ${own.shown(live).map(({ call, note }) => cards.mine(call, at, note))}
        ${others.filter(({ id }) => !own.has(id)).map((call) => cards.other(call, at))}
        ${doubtful.map((call) => cards.doubtful(call, at, refused))}
      </ol>
      ${
        people.length > 0 &&
        html`<section class="later">
          <h2><a href="/call-back">${words.toCallBack}</a><span class="count">${counted}</span></h2>
          <ol>${inOrder(people).map((person) => cards.later(person, at, refused))}</ol>
        </section>`
      }
    `;
  }

  /** What is happening. */
  function headline(ringing: number): string {
    if (!state.live) return words.connecting;
    // Whether a phone system of the account has ever sent a request.
    const isConnected = all.size > 0 || state.systems.some(({ last_at }) => last_at !== null);
    if (!isConnected) return words.neverConnected;
    return ringing + own.size() > 0 ? words.title : words.nobody;
  }

  const stream = connectStream(take, screen.worker, `calls ${screen.token.slice(0, 16)}`);
  draw();

  setInterval(() => {
    // The PC slept or its clock was set: calls are uncertain until the stream reports.
    if (hasJumped()) {
      state = { ...state, live: false };
      stream.check();
    }
    draw();
  }, TICK_MS);
  addEventListener('visibilitychange', () => stream.check());
  addEventListener('online', () => stream.check());
  addEventListener('pagehide', () => stream.end());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  // Following the fragment would scroll the page to its end.
  document.querySelector('a[href="#now"]')?.addEventListener('click', (event) => {
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  closeMenus();
}

/** When it came to its state. */
const movedAt = ({ started_at, answered_at, completed_at }: ScreenCall) =>
  completed_at ?? answered_at ?? started_at;

/** Who came, went or changed. */
function changedPeople(before: readonly MissedPerson[], after: readonly MissedPerson[]): string[] {
  const [was, is] = [before, after].map(
    (people) => new Map(people.map((one) => [one.person, JSON.stringify(one)])),
  );
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].filter(
    (person) => was?.get(person) !== is?.get(person),
  );
}

/** A line after the calls that only screen readers read; gives what says something there. */
function makeAnnouncement(root: HTMLElement): (text: string) => void {
  const line = document.createElement('p');
  line.className = 'unseen';
  line.setAttribute('role', 'status');
  root.after(line);
  return (text) => {
    line.textContent = text;
  };
}
