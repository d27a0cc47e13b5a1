import { countDurations, type Durations } from '../calls/aggregate.ts';
import { isDialable } from '../calls/call-cells.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { filterWithPauses, pieces, sortWithPauses } from '../kit/event-loop-pauses.ts';
import { isDueFor, rankOf, waitingOrder } from '../rules/waiting-order.ts';
import type { CallerAction } from './caller-action-store.ts';
import type { MissedCall } from './caller-call-store.ts';
import type { CallerStore } from './caller-store.ts';
import type { MissedCaller } from './missed-caller-store.ts';

/** A person who was missed, by whichever number: to be called back, or closed. */
export type CallBack = {
  /** See `personOf`. */
  readonly person: string;
  /** Those that were missed, the last one first. */
  readonly numbers: readonly string[];
  /** The newest missed call. */
  readonly call: CallRecord;
  /** How many missed calls there are since the person was last reached or marked as done; if closed, all known ones. */
  readonly times: number;
  /** When the first of these began, Unix ms. */
  readonly since: number;
  /** The colleague who calls back. */
  readonly taken: { readonly user: string; readonly at: number } | null;
  /** When the colleague wants to be reminded, or tries again, Unix ms. */
  readonly due: number | null;
  /** The newest note about the caller, of the last days. */
  readonly note: CallerAction | null;
  /**
   * How often somebody called and did not reach the person since then; the last time, and by whom: a user who said so, or an
   * extension that a bridge has seen.
   */
  readonly tried: {
    readonly times: number;
    readonly at: number;
    readonly by: string | null;
    readonly saidBy: 'user' | 'bridge';
  } | null;
  /**
   * How it was closed: a colleague pressed Done, a bridge has seen that an extension called and talked, or the caller called again
   * and was answered.
   */
  readonly closed:
    | null
    | { readonly how: 'done'; readonly at: number; readonly user: string }
    | { readonly how: 'talked'; readonly at: number; readonly by: string | null; readonly seconds: number }
    | { readonly how: 'reached'; readonly at: number; readonly by: string | null };
};

/** Whom a call is from: its customer, who may have several numbers, or the stranger with its number. */
export const personOf = ({
  customer,
  number,
}: {
  readonly customer: { readonly reference: string } | null;
  readonly number: string;
}): string => (customer === null ? number : `customer ${customer.reference}`);

/**
 * The missed people, in order. `actions` are oldest first. `isUser`: by name; a user who has left the account no longer
 * holds anyone. What has a later time than `now` was stored while the clock was ahead: it closes no call of before that time,
 * which may have come later.
 */
export async function callBacks(
  missed: readonly MissedCaller[],
  actions: readonly CallerAction[],
  isUser: (name: string) => boolean = () => true,
  now = Number.POSITIVE_INFINITY,
): Promise<CallBack[]> {
  const dialable = missed.filter(({ call }) => isDialable(call.number));
  const people = await grouped(dialable, ({ call }) => personOf(call));
  const personWith = new Map(dialable.map(({ call }) => [call.number, personOf(call)]));
  const actionsOf = await grouped(actions, ({ number }) => personWith.get(number) ?? null);
  const all: CallBack[] = [];
  for await (const some of pieces(people))
    for (const [person, callers] of some) {
      const newestFirst = callers.toSorted((a, b) => endOf(b) - endOf(a));
      all.push(await callBack(person, newestFirst, actionsOf.get(person) ?? [], isUser, now));
    }
  return all.sort(inOrder);
}

/** In the order of the list, for `sort`. */
export const inOrder = (a: CallBack, b: CallBack): number => waitingOrder(placeOf(a), placeOf(b));

const placeOf = ({ call: { priority }, since }: CallBack) => ({ priority, since });

/** Whether it is time for a user to call, as the user wanted to be reminded. */
export const isDue = ({ due, taken }: CallBack, user: string, now: number): boolean =>
  isDueFor({ due, taker: taken?.user ?? null }, user, now);

/** In the order of a user's page: first what the user wanted to be reminded of now. */
export const orderFor = (user: string, now: number) => (a: CallBack, b: CallBack) =>
  waitingOrder(
    { priority: rankFor(a, user, now), since: a.since },
    { priority: rankFor(b, user, now), since: b.since },
  );

export const rankFor = (one: CallBack, user: string, now: number): number =>
  isDue(one, user, now) ? Number.POSITIVE_INFINITY : rankOf(one.call.priority);

/** When the last attempt ended, Unix ms. */
export const endOf = ({ call }: { readonly call: CallRecord }): number => call.completedAt ?? 0;

/** `callers`: the numbers of one person, the one that was missed last first. `actions` are oldest first. */
async function callBack(
  person: string,
  callers: readonly MissedCaller[],
  actions: readonly CallerAction[],
  isUser: (name: string) => boolean,
  now: number,
): Promise<CallBack> {
  const [{ call }] = callers as [MissedCaller];
  const calls = callers.flatMap((caller) => caller.calls).sort((a, b) => b.until - a.until);
  const answered = callers
    .flatMap((caller) => caller.answered ?? [])
    .reduce<MissedCaller['answered']>((last, one) => (one.began > (last?.began ?? 0) ? one : last), null);
  const ends = calls.map(({ until }) => until);
  const counted = (await filterWithPauses(actions.toReversed(), undoneFilter(ends))).reverse();
  const closing = await filterWithPauses(counted, isClosing);
  const done = closing.at(-1);
  const lastCalled = (of: readonly CallerAction[]) =>
    of.reduce((last, one) => Math.max(last, calledBackAt(one)), 0);
  const calledAt = lastCalled(closing.filter(({ at }) => at <= now));
  const calledAhead = lastCalled(closing);
  const reachedAt = answered?.began ?? 0;
  const open = calls.filter(
    ({ since, until }) =>
      (since >= reachedAt || (reachedAt > now && since <= now)) &&
      until > (until > now ? calledAhead : calledAt),
  );
  const listed = open.length > 0 ? open : calls;
  const common = {
    person,
    numbers: callers.map(({ call: { number } }) => number),
    note: counted.findLast(({ kind }) => kind === 'note') ?? null,
    call,
    times: listed.reduce((sum, { count }) => sum + count, 0),
    since: listed.at(-1)?.since ?? call.startedAt,
  };
  if (open.length > 0) {
    const { taken, due } = await heldAfter(counted);
    const isHeld = taken !== null && isUser(taken.user);
    const tries = await filterWithPauses(counted, ({ kind, at }) => kind === 'tried' && at > calledAt);
    return { ...common, tried: await triedIn(tries), ...(isHeld ? { taken, due } : free), closed: null };
  }
  const reached = answered !== null && answered.began > call.startedAt ? answered : null;
  const byUser = done !== undefined && !(reached && reached.at < done.at);
  return {
    ...common,
    ...free,
    tried: null,
    closed: byUser ? closedBy(done) : reached ? { how: 'reached', at: reached.at, by: reached.by } : null,
  };
}

const closedBy = ({ kind, at, user, seconds = 0 }: CallerAction): CallBack['closed'] =>
  kind === 'talked' ? { how: 'talked', at, by: user || null, seconds } : { how: 'done', at, user };

/** Who calls a person back, and when they want to be reminded. */
type Held = Pick<CallBack, 'taken' | 'due'>;

const free: Held = { taken: null, due: null };

/** Whether it says that its user calls back. */
export const isHolding = ({ kind, due }: Pick<CallerAction, 'kind'> & { due?: number | null }): boolean =>
  kind === 'taken' || kind === 'remind' || (kind === 'tried' && typeof due === 'number');

/** Who calls back after actions about a person that waits, oldest first and without those that were undone. */
async function heldAfter(actions: readonly CallerAction[]): Promise<Held> {
  let held = free;
  for await (const some of pieces(actions))
    for (const { kind, user, at, due = null } of some)
      if (kind === 'taken') held = { taken: { user, at }, due: held.taken?.user === user ? held.due : null };
      else if (isHolding({ kind, due }))
        held = { taken: held.taken?.user === user ? held.taken : { user, at }, due };
      else if (kind === 'tried') held = held.due !== null && at >= held.due ? { ...held, due: null } : held;
      else if (kind !== 'note' && kind !== 'reopened') held = free;
  return held;
}

/** A bridge sees a call, and its user says that nobody was reached: within this time it is one try. */
const ONE_TRY_MS = 5 * 60_000;

/** `tries` are oldest first. */
async function triedIn(tries: readonly CallerAction[]): Promise<CallBack['tried']> {
  const seen = (await filterWithPauses(tries, ({ due }) => due === undefined)).map(({ at }) => at);
  const isSeen = ({ at }: CallerAction) => firstFrom(seen, at - ONE_TRY_MS) <= at + ONE_TRY_MS;
  const counted = await filterWithPauses(tries, (one) => one.due === undefined || !isSeen(one));
  const last = counted.at(-1);
  if (last === undefined) return null;
  const { at, user, due } = last;
  return { times: counted.length, at, by: user || null, saidBy: due === undefined ? 'bridge' : 'user' };
}

/** The kinds after which nobody waits any more. */
const isClosing = ({ kind }: Pick<CallerAction, 'kind'>): boolean => kind === 'done' || kind === 'talked';

/** When a colleague called back. Of a call that a bridge has seen, its beginning: who was missed meanwhile waits. */
export const calledBackAt = ({
  kind,
  at,
  seconds = 0,
}: Pick<CallerAction, 'kind' | 'at' | 'seconds'>): number => (kind === 'talked' ? at - seconds * 1_000 : at);

/**
 * A caller's actions without each that closed and was undone: Done, or a call that a bridge has seen (a mailbox may have answered).
 * Undo applies to those since the last missed call before it; `ends`: when the missed calls ended.
 */
export function withoutUndone<Action extends CallerAction>(
  actions: readonly Action[],
  ends: readonly number[],
): readonly Action[] {
  if (!actions.some(({ kind }) => kind === 'reopened')) return actions;
  return actions.toReversed().filter(undoneFilter(ends)).toReversed();
}

/** Whether an action is left by `withoutUndone`. To be asked about the newest first. */
function undoneFilter(ends: readonly number[]): (action: CallerAction) => boolean {
  const newestFirst = ends.toSorted((a, b) => b - a);
  let place = 0;
  let counts = Number.POSITIVE_INFINITY;
  return (action) => {
    const { kind, at } = action;
    if (kind === 'reopened') {
      while ((newestFirst[place] ?? 0) >= at && place < newestFirst.length) place += 1;
      counts = newestFirst[place] ?? 0;
    }
    return !isClosing(action) || at <= counts;
  };
}

/** Who has promised to call a caller back, and has not released it, after actions about the caller, oldest first. */
export function promisedBy(
  actions: readonly (Pick<CallerAction, 'kind' | 'user'> & { readonly due?: number | null })[],
): string | undefined {
  let taker: string | undefined;
  let undone: string | undefined;
  for (const action of actions) {
    const { kind, user } = action;
    if (isClosing(action)) undone = taker;
    if (isHolding(action)) taker = user;
    else if (kind === 'reopened') taker = undone;
    else if (kind === 'released' || isClosing(action)) taker = undefined;
  }
  return taker;
}

/** Actions that are read in one go. */
export const TOGETHER = 5_000;

/** All that was done in a span, about some numbers or all, oldest first, without notes: there may be very many. */
export async function actionsSince(
  store: Pick<CallerStore, 'actions'>,
  account: number,
  since: number,
  numbers?: readonly string[],
): Promise<CallerAction[]> {
  const steps: CallerAction[][] = [];
  for (let until = Number.MAX_SAFE_INTEGER, max = TOGETHER; ; ) {
    const step = await store.actions(account, { numbers, since, until, texts: false }, max);
    const first = step[0]?.at ?? 0;
    // The limit may have cut off actions of the same millisecond: read that one again.
    const whole = step.length < max ? step : step.filter(({ at }) => at > first);
    steps.push(whole.filter(({ kind }) => kind !== 'note'));
    if (step.length < max) return steps.reverse().flat();
    if (whole.length === 0) max *= 2;
    else [until, max] = [first + 1, TOGETHER];
  }
}

/** What became of missed people, by whichever number. Who was missed again after being reached counts again. */
export type MissedCallers = {
  /** Neither called back nor answered later, for a day, newest first; each with the missed calls since then, oldest first. */
  readonly neverReached: readonly (readonly CallRecord[])[];
  /** How many have waited for less than a day. */
  readonly stillWaiting: number;
  /** From the first missed call until a colleague had called back. */
  readonly calledBack: Durations;
};

/** Who is not called back this long is never reached. */
const NEVER_MS = 24 * 3_600_000;

/** Both lists are oldest first. */
export async function missedCallers(
  missed: readonly MissedCall[],
  actions: readonly CallerAction[],
  now: number,
): Promise<MissedCallers> {
  const actionsOf = await grouped(actions, ({ customer = null, number }) =>
    personOf({ customer: customer === null ? null : { reference: customer }, number }),
  );
  const neverReached: CallRecord[][] = [];
  let stillWaiting = 0;
  const calledBack = countDurations();
  const people = await grouped(missed, ({ call }) => (isDialable(call.number) ? personOf(call) : null));
  for await (const some of pieces(people))
    for (const [person, calls] of some) {
      const counted = withoutUndone(
        actionsOf.get(person) ?? [],
        calls.map(({ call }) => call.completedAt ?? 0),
      );
      const done = counted.flatMap((one) => (isClosing(one) ? calledBackAt(one) : [])).sort((a, b) => a - b);
      const endOf = ({ call, reached }: MissedCall) => {
        const doneAfter = firstFrom(done, call.completedAt ?? 0);
        return { at: Math.min(doneAfter, reached?.at ?? Number.POSITIVE_INFINITY), doneAfter };
      };
      for (const [at, group] of Map.groupBy(calls, (one) => endOf(one).at)) {
        const [first] = group as [MissedCall];
        const hasNobody = at === Number.POSITIVE_INFINITY;
        if (hasNobody && now - (first.call.completedAt ?? 0) < NEVER_MS) stillWaiting += 1;
        else if (hasNobody) neverReached.push(group.map(({ call }) => call));
        else if (at === endOf(first).doneAfter) calledBack.add(at - (first.call.completedAt ?? at));
      }
    }
  return {
    neverReached: await sortWithPauses(neverReached, (calls) => -(calls.at(-1)?.startedAt ?? 0)),
    stillWaiting,
    calledBack: calledBack.durations(),
  };
}

/** `Map.groupBy` in turns, without those of which the key is null. */
async function grouped<T>(all: readonly T[], keyOf: (one: T) => string | null): Promise<Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  for await (const some of pieces(all))
    for (const one of some) {
      const key = keyOf(one);
      if (key === null) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [one]);
      else group.push(one);
    }
  return groups;
}

/** The first of these ascending times that is not before `at`; infinite if there is none. */
function firstFrom(times: readonly number[], at: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle] as number) < at) from = middle + 1;
    else to = middle;
  }
  return times[from] ?? Number.POSITIVE_INFINITY;
}
