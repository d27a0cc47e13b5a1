import { duration } from '../rules/duration.ts';
import { filled } from '../rules/filled.ts';
import { plainText } from '../rules/plain-text.ts';
import type { MissedPerson, ScreenCall } from '../rules/screen-call.ts';
import { LONG_WAIT_MS, waitText } from '../rules/span.ts';
import {
  type Effect,
  inOrder,
  inShownOrder,
  isDue,
  nameOf,
  nextShown,
  nothingShown,
  type Shown,
  type State,
  shownAt,
} from './board.ts';
import { connectStream } from './connect-stream.ts';
import { keepDrafts, signInPath } from './drafts.ts';
import { holdAims, holdPresses } from './hold-presses.ts';
import { html } from './html.ts';
import { render } from './libraries/preact.mjs';
import { createCards, icon, type Refused } from './now-cards.ts';
import { closeMenus, nowMenu, systemText } from './now-menu.ts';
import { createOwnCalls } from './own-calls.ts';
import { createRinger, type Ringer } from './ringer.ts';
import { createRoomKeeper } from './room-keeper.ts';
import { type Screen, screenOf } from './screen.ts';
import { createJumpWatch, createServerClock } from './server-clock.ts';

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
  if (root === null) return;
  show(root);
  focusByLink(root);
  closeMenus();
}

function show(root: HTMLElement): void {
  let shown = nothingShown;
  let refused: Refused | undefined;
  let isDue = false;
  const screen = screenOf(root);
  keepDrafts(screen);
  const announce = createAnnouncement(root);
  const { now, set: setClock } = createServerClock();
  const isPressed = holdPresses(draw);
  const isAimedAt = holdAims(root);
  let drawn: readonly string[] = [];
  const room = createRoomKeeper(root);
  const showCounts = createCounts(screen);
  const ringer = createRinger(screen, draw);
  const own = createOwnCalls(screen, draw);
  const cards = createCards(screen, (one, why) => {
    refused = why === undefined ? undefined : { one, why };
    draw();
  });
  const content = createContent(screen, ringer, own, cards);
  const remind = createReminder(screen, (person) => {
    announce(filled(screen.words.saysDue, { name: nameOf(person) }));
    ringer.remind(person);
    dispatchEvent(new CustomEvent('calls-moved', { detail: undefined }));
  });

  function take(state: State): void {
    setClock(state.now);
    const { effects, ...after } = nextShown(shown, state, screen);
    shown = after.shown;
    for (const effect of effects) carryOut(effect);
    // Draws once with the next frame; in a hidden window, with the next tick.
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  }

  function carryOut(effect: Effect): void {
    if (effect.type === 'lost') announce(lostText(screen, effect.at, effect.at));
    // No caller's name stays on the page.
    if (effect.type === 'signed-out') location.replace(signInPath());
    if (effect.type === 'quiet') ringer.quiet(effect.id);
    if (effect.type === 'moved') dispatchEvent(new CustomEvent('calls-moved', { detail: effect.what }));
    if (effect.type !== 'news') return;
    announce(saysOf(effect.call, screen));
    ringer.tell(effect.call);
  }

  function draw(): void {
    isDue = false;
    if (isPressed()) return;
    const [at, { live }] = [now(), shown.stream];
    const calls = shownAt(shown.board, at, live);
    const ringing = isAimedAt() ? inShownOrder(drawn, calls.ringing) : calls.ringing;
    drawn = ringing.map(({ id }) => id);
    ringer.keepRinging(ringing.length > 0);
    for (const { id } of calls.doubtful) ringer.quiet(id);
    root.setAttribute('aria-busy', String(!live));
    own.tidy(shown.all, at, live);
    showCounts(ringing.length, shown.stream);
    room.hold();
    render(content({ ...shown, ...calls, ringing, refused }, at), root);
    showDurations(at, live);
    showWaits(at, screen);
    if (live) remind(shown.stream.people, at);
    room.keep();
  }

  const stream = connectStream(take, screen.worker, `calls ${screen.token.slice(0, 16)}`);
  draw();
  followPage(stream, draw, () => {
    shown = { ...shown, stream: { ...shown.stream, live: false } };
  });
}

/** How long calls in a list of the page last. */
function showDurations(at: number, live: boolean): void {
  for (const node of document.querySelectorAll<HTMLElement>('[data-since]'))
    node.textContent = live ? duration(at - Number(node.dataset.since)) : '';
}

/** Tells the user once whom to call now; what was due before the page was opened is only shown. */
function createReminder({ user = '' }: Screen, tell: (person: MissedPerson) => void) {
  let known: ReadonlySet<string> | undefined;
  return (people: readonly MissedPerson[], at: number): void => {
    const due = people.filter((one) => isDue(one, user, at));
    const before = known;
    known = new Set(due.map(({ person, due_at }) => `${due_at} ${person}`));
    if (before === undefined) return;
    for (const one of due) if (!before.has(`${one.due_at} ${one.person}`)) tell(one);
  };
}

/** How long people in a list of the page have waited. */
function showWaits(at: number, { locale }: Screen): void {
  for (const node of document.querySelectorAll<HTMLElement>('[data-waits]')) {
    const waited = at - Number(node.dataset.waits);
    const text = waitText(waited, locale);
    // Written only if it is another: a selection in it stays.
    if (node.textContent !== text) node.textContent = text;
    node.classList.toggle('long-wait', waited >= LONG_WAIT_MS);
  }
}

const lostText = ({ words, clock }: Screen, since: number, now: number): string =>
  filled(words.lost, { time: clock(since, now) });

/** For screen readers: new and missed calls, never the seconds. */
function saysOf(call: ScreenCall, { words }: Screen): string {
  const text = call.missed
    ? words.saysMissed
    : { ringing: words.saysRinging, answered: words.saysAnswered, completed: words.saysEnded }[call.status];
  const also = call.status === 'ringing' && call.segment ? `, ${plainText(call.segment)}` : '';
  return filled(text, { name: `${nameOf(call)}${also}` });
}

/** How many are to be called back, at least. */
const countText = ({ count, more }: Pick<State, 'count' | 'more'>) => (more ? `${count}+` : String(count));

/** Shows how many calls ring and wait in the title, in the navigation and on the icon of the installed app. */
function createCounts({ words }: Screen) {
  const title = document.title;
  const toCallBack = document.getElementById('to-call-back');
  let badge = 0;
  return (ringing: number, stream: Shown['stream']): void => {
    const { count } = stream;
    const counted = countText(stream);
    const toCall = count > 0 ? `${filled(words.titleCallBack, { count: counted })} · ${title}` : title;
    document.title = ringing > 0 ? `(${ringing}) ${title}` : toCall;
    if (ringing + count !== badge) navigator.setAppBadge?.(ringing + count).catch(() => {});
    badge = ringing + count;
    if (toCallBack) toCallBack.textContent = count > 0 ? counted : '';
  };
}

type View = Shown & ReturnType<typeof shownAt> & { readonly refused: Refused | undefined };

function createContent(
  screen: Screen,
  ringer: Ringer,
  own: ReturnType<typeof createOwnCalls>,
  cards: ReturnType<typeof createCards>,
) {
  const { words, choice, made } = screen;
  const isFiltered = choice.mine !== null || choice.segments.length + choice.integrations.length > 0;

  /** What is happening. */
  function headline({ stream, all, ringing }: View): string {
    if (!stream.live) return words.connecting;
    // Whether a phone system of the account has ever sent a request.
    const isConnected = all.size > 0 || stream.systems.some(({ last_at }) => last_at !== null);
    if (!isConnected) return words.neverConnected;
    return ringing.length + own.size() > 0 ? words.title : words.nobody;
  }

  return (view: View, at: number) => {
    const { stream, ringing, others, doubtful, refused } = view;
    const { live, signedOut, systems, people } = stream;
    const isLate = view.loaded || performance.now() > MAX_CONNECT_MS;
    const isCutOff = signedOut || (!live && isLate);
    const silent = live && systems.find(({ unusual }) => unusual);
    return html`
      ${screen.isAlone && html`<h1 class="unseen">${words.title}</h1>`}
      <div class="now-head"><span>${isCutOff ? '' : headline(view)}</span>${isFiltered && html`<a class="small quiet" href="/account/calls">${words.filtered}</a>`}${nowMenu(screen, ringer, systems, at)}</div>
      ${silent && html`<p class="silent" role="alert">${systemText(screen, silent, at)}</p>`}
      ${isCutOff && html`<p class="lost" role="alert">${icon(screen, 'wifi-off')}<span>${signedOut ? words.signedOut : lostText(screen, view.lostAt || made, at)}</span></p>`}
      <ol class="calls-now" aria-label=${words.title}>
        ${ringing.map((call, place) => cards.ringing(call, at, place))}
        ${own.shown(live).map(({ call, note }) => cards.mine(call, at, note))}
        ${others.filter(({ id }) => !own.has(id)).map((call) => cards.other(call, at))}
        ${doubtful.map((call) => cards.doubtful(call, at, refused))}
      </ol>
      ${
        people.length > 0 &&
        html`<section class="later">
          <h2><a href="/call-back">${words.toCallBack}</a><span class="count">${countText(stream)}</span></h2>
          <ol>${inOrder(people, screen.user ?? '', at).map((person) => cards.later(person, at, refused))}</ol>
        </section>`
      }
    `;
  };
}

/** `jumped`: the PC slept or its clock was set, so calls are uncertain until the stream reports. */
function followPage(stream: ReturnType<typeof connectStream>, draw: () => void, jumped: () => void): void {
  const hasJumped = createJumpWatch();
  setInterval(() => {
    if (hasJumped()) {
      jumped();
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
}

/** Following the fragment would scroll the page to its end. */
function focusByLink(root: HTMLElement): void {
  document.querySelector('a[href="#now"]')?.addEventListener('click', (event) => {
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
}

/** A line after the calls that only screen readers read; gives what says something there. */
function createAnnouncement(root: HTMLElement): (text: string) => void {
  const line = document.createElement('p');
  line.className = 'unseen';
  line.setAttribute('role', 'status');
  root.after(line);
  return (text) => {
    line.textContent = text;
  };
}
