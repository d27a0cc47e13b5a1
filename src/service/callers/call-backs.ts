import type { CallRecord } from '../calls/call-record.ts';
import type { CallerAction, MissedCall } from '../store/caller-store.ts';

/** A caller who was missed: to be called back, or closed. */
export type CallBack = {
  readonly number: string;
  /** The missed calls since the caller was last reached or marked as done, newest first; if closed, all known ones. */
  readonly calls: readonly CallRecord[];
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

/** Each missed caller once, in the order of their last attempts, newest first. Both lists are oldest first. */
export function callBacks(missed: readonly MissedCall[], actions: readonly CallerAction[]): CallBack[] {
  const actionsOf = Map.groupBy(actions, ({ number }) => number);
  const callers = Map.groupBy(missed.toReversed(), ({ call }) => call.number);
  return [...callers]
    .filter(([number]) => isDialable(number))
    .map(([number, attempts]) => callBack(number, attempts, actionsOf.get(number) ?? []));
}

function callBack(
  number: string,
  attempts: readonly MissedCall[],
  actions: readonly CallerAction[],
): CallBack {
  const counted = withoutUndone(actions, attempts);
  const last = (...kinds: CallerAction['kind'][]) => counted.findLast(({ kind }) => kinds.includes(kind));
  const done = last('done');
  const note = last('note') ?? null;
  const open = attempts.filter(
    ({ call, reached }) => reached === null && (call.completedAt ?? 0) > (done?.at ?? 0),
  );
  const calls = (missed: readonly MissedCall[]) => missed.map(({ call }) => call);
  if (open.length > 0) {
    const taking = last('taken', 'released', 'done');
    return {
      number,
      note,
      calls: calls(open),
      taken: taking?.kind === 'taken' ? taking : null,
      closed: null,
    };
  }
  const reached = attempts[0]?.reached;
  const byUser = done !== undefined && !(reached && reached.at < done.at);
  return {
    number,
    note,
    calls: calls(attempts),
    taken: null,
    closed: byUser
      ? { how: 'done', at: done.at, user: done.user }
      : reached
        ? { how: 'reached', at: reached.at, by: reached.by }
        : null,
  };
}

/** A caller's actions without each Done that was undone. Undo applies to those since the last missed call before it. */
export function withoutUndone(
  actions: readonly CallerAction[],
  missed: readonly MissedCall[],
): readonly CallerAction[] {
  let counts = Number.POSITIVE_INFINITY;
  return actions
    .toReversed()
    .filter(({ kind, at }) => {
      if (kind === 'reopened')
        counts = Math.max(0, ...missed.map(({ call }) => call.completedAt ?? 0).filter((end) => end < at));
      return kind !== 'done' || at <= counts;
    })
    .toReversed();
}
