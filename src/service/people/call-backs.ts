import { type Extensions, noExtensions } from '../accounts/extensions.ts';
import { countDurations, type Durations } from '../calls/aggregate.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallBacksOnScreen, MAX_OPEN_CALLS, type Screens, screenCall } from '../calls/screens.ts';
import type { CallerAction, CallerStore, MissedCall, MissedCaller } from './caller-store.ts';

/** A caller who was missed: to be called back, or closed. */
export type CallBack = {
  readonly number: string;
  /** The newest missed call. */
  readonly call: CallRecord;
  /** How many missed calls there are since the caller was last reached or marked as done; if closed, all known ones. */
  readonly times: number;
  /** When the first of these began, Unix ms. */
  readonly since: number;
  /** The colleague who calls back. */
  readonly taken: { readonly user: string; readonly at: number } | null;
  /** The newest note about the caller, of the last days. */
  readonly note: CallerAction | null;
  /** How it was closed: a colleague pressed Done, or the caller called again and was answered. */
  readonly closed:
    | null
    | { readonly how: 'done'; readonly at: number; readonly user: string }
    | { readonly how: 'reached'; readonly at: number; readonly by: string | null };
};

/** A number that a telephone can dial. Callers without one cannot be called back. */
export const isDialable = (number: string) => /^\+?\d{3,}$/.test(number);

/** The missed callers in the order of their last attempts, newest first. `actions` are oldest first. */
export function callBacks(missed: readonly MissedCaller[], actions: readonly CallerAction[]): CallBack[] {
  const actionsOf = Map.groupBy(actions, ({ number }) => number);
  return missed
    .filter(({ call }) => isDialable(call.number))
    .map((caller) => callBack(caller, actionsOf.get(caller.call.number) ?? []))
    .sort((a, b) => endOf(b) - endOf(a));
}

/** When the last attempt ended, Unix ms. */
export const endOf = ({ call }: CallBack): number => call.completedAt ?? 0;

function callBack(
  { call, calls, reached, answeredAt }: MissedCaller,
  actions: readonly CallerAction[],
): CallBack {
  const counted = withoutUndone(
    actions,
    calls.map(({ until }) => until),
  );
  const last = (...kinds: CallerAction['kind'][]) => counted.findLast(({ kind }) => kinds.includes(kind));
  const done = last('done');
  const open = calls.filter(({ since, until }) => since >= (answeredAt ?? 0) && until > (done?.at ?? 0));
  const listed = open.length > 0 ? open : calls;
  const caller = {
    number: call.number,
    note: last('note') ?? null,
    call,
    times: listed.length,
    since: listed.at(-1)?.since ?? call.startedAt,
  };
  if (open.length > 0) {
    const taking = last('taken', 'released', 'done');
    return { ...caller, taken: taking?.kind === 'taken' ? taking : null, closed: null };
  }
  const byUser = done !== undefined && !(reached && reached.at < done.at);
  return {
    ...caller,
    taken: null,
    closed: byUser
      ? { how: 'done', at: done.at, user: done.user }
      : reached
        ? { how: 'reached', at: reached.at, by: reached.by }
        : null,
  };
}

/**
 * A caller's actions without each Done that was undone. Undo applies to those since the last missed call before it;
 * `ends`: when the missed calls ended.
 */
function withoutUndone(actions: readonly CallerAction[], ends: readonly number[]): readonly CallerAction[] {
  let counts = Number.POSITIVE_INFINITY;
  return actions
    .toReversed()
    .filter(({ kind, at }) => {
      if (kind === 'reopened')
        counts = ends.reduce((last, end) => (end < at ? Math.max(last, end) : last), 0);
      return kind !== 'done' || at <= counts;
    })
    .toReversed();
}

/** Actions that are read in one go. */
const TOGETHER = 5_000;

/** All that was done since then, oldest first. */
export async function actionsSince(
  store: CallerStore,
  account: number,
  since: number,
): Promise<CallerAction[]> {
  const steps: CallerAction[][] = [];
  for (let until = Number.MAX_SAFE_INTEGER; ; ) {
    const step = await store.actions(account, { since, until }, TOGETHER);
    const first = step[0]?.at ?? 0;
    // The limit may have cut off actions of the same millisecond: read that one again.
    const whole = step.length < TOGETHER ? step : step.filter(({ at }) => at > first);
    steps.push(whole);
    if (step.length < TOGETHER || whole.length === 0) return steps.reverse().flat();
    until = first + 1;
  }
}

/** What became of missed callers. A caller who was missed again after being reached counts again. */
export type MissedCallers = {
  /** Neither called back nor answered later, newest first; each with the missed calls since then, oldest first. */
  readonly neverReached: readonly (readonly CallRecord[])[];
  /** From the first missed call until a colleague had called back. */
  readonly calledBack: Durations;
  /** Callers who called again and were answered before that. */
  readonly calledAgain: number;
};

/** Both lists are oldest first. */
export function missedCallers(
  missed: readonly MissedCall[],
  actions: readonly CallerAction[],
): MissedCallers {
  const actionsOf = Map.groupBy(actions, ({ number }) => number);
  const neverReached: CallRecord[][] = [];
  const calledBack = countDurations();
  let calledAgain = 0;
  for (const [number, calls] of Map.groupBy(missed, ({ call }) => call.number)) {
    if (!isDialable(number)) continue;
    const counted = withoutUndone(
      actionsOf.get(number) ?? [],
      calls.map(({ call }) => call.completedAt ?? 0),
    );
    const done = counted.flatMap(({ kind, at }) => (kind === 'done' ? at : []));
    const endOf = ({ call, reached }: MissedCall) => {
      const doneAfter = done.find((at) => at >= (call.completedAt ?? 0)) ?? Number.POSITIVE_INFINITY;
      return { at: Math.min(doneAfter, reached?.at ?? Number.POSITIVE_INFINITY), doneAfter };
    };
    for (const [at, group] of Map.groupBy(calls, (one) => endOf(one).at)) {
      const [first] = group as [MissedCall];
      if (at === Number.POSITIVE_INFINITY) neverReached.push(group.map(({ call }) => call));
      else if (at === endOf(first).doneAfter) calledBack.add(at - (first.call.completedAt ?? at));
      else calledAgain += 1;
    }
  }
  const lastOf = (calls: readonly CallRecord[]) => calls.at(-1)?.startedAt ?? 0;
  return {
    neverReached: neverReached.sort((a, b) => lastOf(b) - lastOf(a)),
    calledBack: calledBack.durations(),
    calledAgain,
  };
}

/** How long a missed caller is listed: a week, so that nobody is forgotten over a weekend. */
const LISTED_MS = 7 * 24 * 3_600_000;
/** So often a list is read that calls overtake: busy accounts get the last one. */
const MAX_TRIES = 3;
/** Callers on a screen. */
const MAX_ON_SCREEN = 50;

/** An account's missed callers, shared by all its users. `extensions`: those of an account. */
export function makeCallBackList(
  callers: CallerStore,
  screens: Screens,
  clock: () => number,
  extensions: (account: number) => Extensions = () => noExtensions,
) {
  /** All of them, newest first, or the one with this number. */
  async function read(account: number, number?: string): Promise<CallBack[]> {
    const since = clock() - LISTED_MS;
    return callBacks(
      ...(await Promise.all([
        callers.missedCallers(account, since, number),
        actionsSince(callers, account, since),
      ])),
    );
  }
  /** Those who are to be called back, as screens get them. */
  async function onScreen(account: number): Promise<CallBacksOnScreen> {
    const open = (await read(account)).filter(({ closed }) => closed === null);
    const shown = ({ times, taken }: CallBack) => ({ times, taken_by: taken?.user ?? null });
    return {
      missed: open
        .slice(0, MAX_ON_SCREEN)
        .map((one) => ({ ...screenCall(one.call, extensions(account)), ...shown(one) })),
      others: open
        .slice(MAX_ON_SCREEN)
        .map((one) => ({ id: one.call.id, number: one.number, ...shown(one) })),
    };
  }
  /** Sends the list to the account's screens at this process. */
  async function publish(account: number): Promise<void> {
    // The list replaces what screens show of missed calls: it is read again if a call has moved meanwhile.
    for (let tries = 1; ; tries++) {
      const moves = screens.moves(account);
      const list = await onScreen(account);
      if (moves !== screens.moves(account) && tries < MAX_TRIES) continue;
      return screens.callBacks(account, list);
    }
  }
  /** Stores what a user did and sends the new list to the account's screens. */
  async function act(account: number, action: CallerAction): Promise<void> {
    await callers.act(account, action);
    await publish(account);
  }
  return { read, onScreen, act, publish };
}

export type CallBackList = ReturnType<typeof makeCallBackList>;

/** An import changes customers many times a second: the screens get the last state of this time. */
const TOGETHER_MS = 50;

/**
 * Returns what is called with an account when its customers have changed: sends its screens who calls now, in open calls
 * and in those to be called back.
 */
export function sendWhoCalls(
  { openCalls }: { openCalls(account: number, max: number): Promise<CallRecord[]> },
  screens: Screens,
  callBackList: CallBackList,
): (account: number) => void {
  /** One at a time for each account: what changes while one is read is sent by the next. */
  const states = new Map<number, 'waiting' | 'reading' | 'changed'>();
  async function read(account: number): Promise<void> {
    states.set(account, 'reading');
    screens.whoCalls(account, await openCalls(account, MAX_OPEN_CALLS));
    await callBackList.publish(account);
  }
  function start(account: number): void {
    states.set(account, 'waiting');
    setTimeout(async () => {
      await read(account).catch(() => {});
      if (states.get(account) === 'changed') start(account);
      else states.delete(account);
    }, TOGETHER_MS);
  }
  return (account) => {
    if (!screens.watched(account)) return;
    const state = states.get(account);
    if (state === undefined) start(account);
    else if (state === 'reading') states.set(account, 'changed');
  };
}
