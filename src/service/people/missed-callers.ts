import type { CallRecord } from '../calls/call-record.ts';
import { countDurations, type Durations } from '../calls/durations.ts';
import { isDialable, withoutUndone } from './call-backs.ts';
import type { CallerAction, MissedCall } from './caller-store.ts';

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
