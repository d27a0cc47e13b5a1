import type { CallRecord } from '../calls/call-record.ts';
import type { CallerAction, MissedCaller } from './caller-store.ts';

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
export function withoutUndone(
  actions: readonly CallerAction[],
  ends: readonly number[],
): readonly CallerAction[] {
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
