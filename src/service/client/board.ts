import { isDoubtful } from '../rules/doubtful.ts';
import { plainText } from '../rules/plain-text.ts';
import type {
  CallBacksOnScreen,
  MissedPerson,
  ScreenCall,
  ScreenChoice,
  ScreenSystem,
} from '../rules/screen-call.ts';
import { isDueFor, waitingOrder } from '../rules/waiting-order.ts';

/** The calls on a screen and their changes, as pure functions. Times are the server's, Unix milliseconds. */
export type Board = ReadonlyMap<string, ScreenCall>;
/** By person. */
export type People = ReadonlyMap<string, MissedPerson>;
/** What is new of a call, such as who calls now. */
export type News = Partial<ScreenCall> & Pick<ScreenCall, 'id'>;

/** An answered call stays this long after its end. */
const LEAVE_MS = 4000;

const order = ['ringing', 'missed', 'answered', 'ended'];

/** A missed call can still be answered: the service had closed it, and its events came later. */
const progress = (call: ScreenCall) =>
  order.indexOf(isOver(call) ? (call.missed ? 'missed' : 'ended') : call.status);

export const isOver = ({ status }: ScreenCall): boolean => status === 'completed';

export const empty: Board = new Map();

/** The board at the start of a stream, which replaces any earlier one. */
export const boardOf = (calls: readonly ScreenCall[]): Board => new Map(calls.map((call) => [call.id, call]));

/** Applies a call's new state, which only moves forward; the end of an unknown call counts only if it was missed. */
export function moved(board: Board, call: ScreenCall): Board {
  const known = board.get(call.id);
  if (known ? progress(call) <= progress(known) : isOver(call) && !call.missed) return board;
  return new Map(board).set(call.id, withAbout(call, known));
}

/** A call that moved, with what the stream has said of its caller, which it does only once. */
export const withAbout = (call: ScreenCall, known: ScreenCall | undefined): ScreenCall =>
  known?.about === undefined ? call : { about: known.about, ...call };

/** The board with more about some of its calls. */
export function withDetails(board: Board, calls: readonly News[]): Board {
  const news = new Map(calls.map((call) => [call.id, call]));
  return boardOf([...board.values()].map((call) => ({ ...call, ...news.get(call.id) })));
}

type Change = Pick<CallBacksOnScreen, 'missed'> & { readonly gone?: readonly string[] };

/** The people to call back after a change. */
export function withPeople(people: People, { missed, gone = [] }: Change): People {
  const next = new Map(people);
  for (const person of gone) next.delete(person);
  for (const one of missed) next.set(one.person, one);
  return next;
}

/** Whether a user wanted to call somebody by now. */
export const isDue = ({ due_at: due, taken_by: taker }: MissedPerson, user: string, now: number): boolean =>
  isDueFor({ due, taker }, user, now);

/** First whom the user wanted to call by now; then the highest priority, then who has waited longest. */
export function inOrder(people: Iterable<MissedPerson>, user: string, now: number): MissedPerson[] {
  const sorted = [...people].sort(waitingOrder);
  const due = sorted.filter((one) => isDue(one, user, now));
  return [...due, ...sorted.filter((one) => !due.includes(one))];
}

const callOrder = (a: ScreenCall, b: ScreenCall) =>
  waitingOrder({ ...a, since: a.started_at }, { ...b, since: b.started_at });

/** Whether it rings only because its end never came, in all likelihood. */
export const isLost = ({ status, started_at: startedAt }: ScreenCall, now: number): boolean =>
  isDoubtful({ status, startedAt }, now);

/**
 * The calls to show at `now`: ringing calls by priority, then by waiting time; then answered calls; last those whose end
 * was probably lost, the newest first. Without a live stream none is certain.
 */
export function shownAt(board: Board, now: number, live: boolean) {
  const current = live ? [...board.values()] : [];
  const ringing = current.filter(({ status }) => status === 'ringing');
  const isLeaving = (call: ScreenCall) =>
    isOver(call) && !call.missed && now - (call.completed_at ?? 0) < LEAVE_MS;
  return {
    ringing: ringing.filter((call) => !isLost(call, now)).sort(callOrder),
    others: current.filter((call) => call.status === 'answered' || isLeaving(call)).sort(callOrder),
    doubtful: ringing.filter((call) => isLost(call, now)).sort((a, b) => b.started_at - a.started_at),
  };
}

/** The calls in the order in which they are shown already, then the new ones: nothing moves away under a finger. */
export function inShownOrder<Call extends { readonly id: string }>(
  shown: readonly string[],
  calls: readonly Call[],
): Call[] {
  const placeOf = ({ id }: Call) => (shown.includes(id) ? shown.indexOf(id) : shown.length);
  return calls.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Whether the user chose to see a call: with only the user's extensions, it rings there, or one of them talks. Where the bridge
 * does not say at which phones a call rings, it may be the user's.
 */
export const isChosen = (
  call: Pick<ScreenCall, 'caller_id' | 'segment' | 'integration' | 'rings' | 'talks' | 'rang'>,
  { mine, segments, integrations }: ScreenChoice,
): boolean =>
  (mine === null || isOf(call, mine)) &&
  (segments.length === 0 || segments.includes(call.segment ?? '')) &&
  (integrations.length === 0 || (call.integration !== undefined && integrations.includes(call.integration)));

/** Whether one of the extensions has to do with the call now, or rang for it if it is over and nobody answered. */
function isOf(
  { caller_id, rings, talks, rang }: Pick<ScreenCall, 'caller_id' | 'rings' | 'talks' | 'rang'>,
  extensions: readonly string[],
): boolean {
  const isAny = (people: readonly { readonly by: string }[]) =>
    people.some(({ by }) => extensions.includes(by));
  if (rings !== undefined && talks !== undefined) return isAny([...rings, ...talks]);
  if (caller_id !== null) return extensions.includes(caller_id);
  return rang === undefined || isAny(rang);
}

/**
 * The call that a user with these extensions is on. Of several, the last that was answered: the others are on hold, or
 * their ends were never reported.
 */
export const ownCall = (
  calls: readonly ScreenCall[],
  extensions: readonly string[],
): ScreenCall | undefined =>
  calls
    .filter(({ status, caller_id, talks = [{ by: caller_id ?? '' }] }) => {
      return status === 'answered' && talks.some(({ by }) => extensions.includes(by));
    })
    .sort((a, b) => (b.answered_at ?? 0) - (a.answered_at ?? 0))[0];

/** Without ended calls, so that a screen that is open for a year does not grow. */
export function tidied(board: Board, now: number): Board {
  const stays = (call: ScreenCall) => !isOver(call) || now - (call.completed_at ?? 0) < LEAVE_MS;
  const calls = [...board.values()];
  return calls.every(stays) ? board : boardOf(calls.filter(stays));
}

/** Who calls, for people. */
export const nameOf = ({ customer, number_shown }: ScreenCall): string =>
  plainText(customer?.name ?? number_shown, 120);

/** What screens show. */
export type State = {
  readonly live: boolean;
  readonly signedOut: boolean;
  readonly systems: readonly ScreenSystem[];
  /** How often they have changed. */
  readonly customers: number;
  /** The server's time, Unix ms. */
  readonly now: number;
  readonly calls: readonly ScreenCall[];
  /** The first to call back, of `count`, or even `more`. */
  readonly people: readonly MissedPerson[];
  readonly count: number;
  readonly more: boolean;
};

/** What the stream said last, and what is made of it. */
export type Shown = {
  readonly stream: Omit<State, 'now'>;
  readonly all: Board;
  /** Those of `all` that the user chose to see. */
  readonly board: Board;
  /** Whether the stream was ever live. */
  readonly loaded: boolean;
  /** When the stream was lost, 0 before. */
  readonly lostAt: number;
};

export type Effect =
  | { readonly type: 'lost'; readonly at: number }
  | { readonly type: 'signed-out' }
  /** It rings no more. */
  | { readonly type: 'quiet'; readonly id: string }
  | { readonly type: 'news'; readonly call: ScreenCall }
  /** Tells the page which calls and people have moved, or that any may have: see keep-live.ts. */
  | { readonly type: 'moved'; readonly what: readonly string[] | undefined };

export const nothingShown: Shown = {
  stream: {
    live: false,
    signedOut: false,
    systems: [],
    customers: 0,
    calls: [],
    people: [],
    count: 0,
    more: false,
  },
  all: empty,
  board: empty,
  loaded: false,
  lostAt: 0,
};

/** What shows after the stream has said its state at `now`. `made`: when the page was, by the server's clock. */
export function nextShown(
  before: Shown,
  { now, ...stream }: State,
  { choice, made }: { readonly choice: ScreenChoice; readonly made: number },
): { readonly shown: Shown; readonly effects: readonly Effect[] } {
  const { loaded } = before;
  const isLostNow = loaded && before.stream.live && !stream.live;
  const board = boardOf(stream.calls.filter((call) => isChosen(call, choice)));
  const shown: Shown = {
    stream,
    all: boardOf(stream.calls),
    board,
    loaded: loaded || stream.live,
    lostAt: isLostNow ? now : before.lostAt,
  };
  const effects: Effect[] = [];
  if (isLostNow) effects.push({ type: 'lost', at: now });
  if (stream.signedOut) effects.push({ type: 'signed-out' });
  for (const { id, status } of before.board.values())
    if (status === 'ringing' && board.get(id)?.status !== 'ringing') effects.push({ type: 'quiet', id });
  // A call that rings on comes to the user, too: hunting, it rings at one phone after the other.
  const isNew = ({ id, status }: ScreenCall) =>
    before.all.get(id)?.status !== status || (status === 'ringing' && !before.board.has(id));
  for (const call of loaded ? board.values() : [])
    if (isNew(call) && !isLost(call, now)) effects.push({ type: 'news', call });
  const what = movedSince(before, shown, made);
  if (what?.length !== 0) effects.push({ type: 'moved', what });
  return { shown, effects };
}

/** The calls and people that have moved; undefined if any may have. */
function movedSince(before: Shown, { stream, all }: Shown, made: number): string[] | undefined {
  const { loaded } = before;
  // While the stream was away, calls may have ended that are not on it any more.
  const isBack = !before.stream.live && stream.live;
  if (loaded && (isBack || stream.customers !== before.stream.customers)) return undefined;
  const isNews = (call: ScreenCall) =>
    loaded ? before.all.get(call.id)?.status !== call.status : movedAt(call) >= made;
  const calls = [...all.values()].filter(isNews).map(({ id }) => id);
  return loaded ? [...calls, ...changedPeople(before.stream.people, stream.people)] : calls;
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
