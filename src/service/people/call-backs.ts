import { countDurations, type Durations } from '../calls/aggregate.ts';
import { isDialable } from '../calls/call-cells.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { pieces, sortWithPauses } from '../kit/event-loop-pauses.ts';
import { waitingOrder } from '../rules/waiting-order.ts';
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
  /** The newest note about the caller, of the last days. */
  readonly note: CallerAction | null;
  /** How it was closed: a colleague pressed Done, or the caller called again and was answered. */
  readonly closed:
    | null
    | { readonly how: 'done'; readonly at: number; readonly user: string }
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
 * holds anyone.
 */
export function callBacks(
  missed: readonly MissedCaller[],
  actions: readonly CallerAction[],
  isUser: (name: string) => boolean = () => true,
): CallBack[] {
  const actionsOf = Map.groupBy(actions, ({ number }) => number);
  const people = Map.groupBy(
    missed.filter(({ call }) => isDialable(call.number)),
    ({ call }) => personOf(call),
  );
  return Array.from(people, ([person, callers]) =>
    callBack(
      person,
      callers.toSorted((a, b) => endOf(b) - endOf(a)),
      callers.flatMap(({ call }) => actionsOf.get(call.number) ?? []).sort((a, b) => a.at - b.at),
      isUser,
    ),
  ).sort(inOrder);
}

/** In the order of the list, for `sort`. */
export const inOrder = (a: CallBack, b: CallBack): number => waitingOrder(placeOf(a), placeOf(b));

const placeOf = ({ call: { priority }, since }: CallBack) => ({ priority, since });

/** When the last attempt ended, Unix ms. */
export const endOf = ({ call }: { readonly call: CallRecord }): number => call.completedAt ?? 0;

/** `callers`: the numbers of one person, the one that was missed last first. */
function callBack(
  person: string,
  callers: readonly MissedCaller[],
  actions: readonly CallerAction[],
  isUser: (name: string) => boolean,
): CallBack {
  const [{ call }] = callers as [MissedCaller];
  const calls = callers.flatMap((caller) => caller.calls).sort((a, b) => b.until - a.until);
  const answered = callers
    .flatMap((caller) => caller.answered ?? [])
    .reduce<MissedCaller['answered']>((last, one) => (one.began > (last?.began ?? 0) ? one : last), null);
  const counted = withoutUndone(
    actions,
    calls.map(({ until }) => until),
  );
  const last = (...kinds: CallerAction['kind'][]) => counted.findLast(({ kind }) => kinds.includes(kind));
  const done = last('done');
  const open = calls.filter(({ since, until }) => since >= (answered?.began ?? 0) && until > (done?.at ?? 0));
  const listed = open.length > 0 ? open : calls;
  const common = {
    person,
    numbers: callers.map(({ call: { number } }) => number),
    note: last('note') ?? null,
    call,
    times: listed.reduce((sum, { count }) => sum + count, 0),
    since: listed.at(-1)?.since ?? call.startedAt,
  };
  if (open.length > 0) {
    const taking = last('taken', 'released', 'done');
    return {
      ...common,
      taken: taking?.kind === 'taken' && isUser(taking.user) ? taking : null,
      closed: null,
    };
  }
  const reached = answered !== null && answered.began > call.startedAt ? answered : null;
  const byUser = done !== undefined && !(reached && reached.at < done.at);
  return {
    ...common,
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
export function withoutUndone<Action extends CallerAction>(
  actions: readonly Action[],
  ends: readonly number[],
): readonly Action[] {
  if (!actions.some(({ kind }) => kind === 'reopened')) return actions;
  const newestFirst = ends.toSorted((a, b) => b - a);
  let place = 0;
  let counts = Number.POSITIVE_INFINITY;
  return actions
    .toReversed()
    .filter(({ kind, at }) => {
      if (kind === 'reopened') {
        while ((newestFirst[place] ?? 0) >= at && place < newestFirst.length) place += 1;
        counts = newestFirst[place] ?? 0;
      }
      return kind !== 'done' || at <= counts;
    })
    .toReversed();
}

/** Actions that are read in one go. */
export const TOGETHER = 5_000;

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

/** What became of missed people, by whichever number. Who was missed again after being reached counts again. */
export type MissedCallers = {
  /** Neither called back nor answered later, newest first; each with the missed calls since then, oldest first. */
  readonly neverReached: readonly (readonly CallRecord[])[];
  /** From the first missed call until a colleague had called back. */
  readonly calledBack: Durations;
};

/** Both lists are oldest first. */
export async function missedCallers(
  missed: readonly MissedCall[],
  actions: readonly CallerAction[],
): Promise<MissedCallers> {
  const actionsOf = await grouped(actions, ({ customer = null, number }) =>
    personOf({ customer: customer === null ? null : { reference: customer }, number }),
  );
  const neverReached: CallRecord[][] = [];
  const calledBack = countDurations();
  const people = await grouped(missed, ({ call }) => (isDialable(call.number) ? personOf(call) : null));
  for await (const some of pieces(people))
    for (const [person, calls] of some) {
      const counted = withoutUndone(
        actionsOf.get(person) ?? [],
        calls.map(({ call }) => call.completedAt ?? 0),
      );
      const done = counted.flatMap(({ kind, at }) => (kind === 'done' ? at : []));
      const endOf = ({ call, reached }: MissedCall) => {
        const doneAfter = firstFrom(done, call.completedAt ?? 0);
        return { at: Math.min(doneAfter, reached?.at ?? Number.POSITIVE_INFINITY), doneAfter };
      };
      for (const [at, group] of Map.groupBy(calls, (one) => endOf(one).at)) {
        const [first] = group as [MissedCall];
        if (at === Number.POSITIVE_INFINITY) neverReached.push(group.map(({ call }) => call));
        else if (at === endOf(first).doneAfter) calledBack.add(at - (first.call.completedAt ?? at));
      }
    }
  return {
    neverReached: await sortWithPauses(neverReached, (calls) => -(calls.at(-1)?.startedAt ?? 0)),
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
