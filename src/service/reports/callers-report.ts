import { type MissedCallers, missedCallers } from '../callers/missed-callers.ts';
import type {
  CallerAction,
  CallerCounts,
  CallerStore,
  CallGroup,
  MissedCall,
} from '../store/caller-store.ts';
import type { Span } from './aggregate.ts';
import type { GroupFilter, Report } from './call-report.ts';

/** Callers are read call by call, those too that a filter leaves out, so not for any number of calls. */
export const MAX_CALLS = 50_000;
/** Calls, and actions, that are read in one go. */
const TOGETHER = 5_000;
const BUSIEST = 15;
/** A call is missed when it ends, at most this long after its start. */
const LONGEST_RING_MS = 3_600_000;

export type CallersReport = MissedCallers & { readonly busiest: readonly CallerCounts[] };

/**
 * The callers of a period, given its days (or parts of them, whose calls are not counted one by one: `perDay` is empty)
 * and its report; null if it has too many calls. No one has answered missed calls: a filter by extension leaves them out.
 */
export async function callersReport(
  store: CallerStore,
  account: number,
  days: readonly Span[],
  { groups: ofAll, perDay }: Pick<Report, 'groups' | 'perDay'>,
  filter: GroupFilter | null,
): Promise<CallersReport | null> {
  if (ofAll.integrations.reduce((sum, [, { calls }]) => sum + calls, 0) > MAX_CALLS) return null;
  const callers = new Map<string, CallerCounts>();
  const missed: MissedCall[] = [];
  const groups: (CallGroup | null)[] = filter?.names.map((name) => ({ kind: filter.kind, name })) ?? [null];
  for (const day of together(days, perDay)) {
    const ended = { since: day.since, until: day.until + LONGEST_RING_MS };
    for (const of of groups) {
      for (const { number, ...counts } of await store.counts(account, day, of)) {
        const sum = callers.get(number) ?? { number, name: null, calls: 0, missed: 0 };
        callers.set(number, {
          number,
          name: counts.name ?? sum.name,
          calls: sum.calls + counts.calls,
          missed: sum.missed + counts.missed,
        });
      }
      const those = await store.missed(account, ended, MAX_CALLS, of);
      missed.push(...those.filter(({ call }) => call.startedAt >= day.since && call.startedAt < day.until));
    }
  }
  return {
    ...missedCallers(missed, await actionsSince(store, account, days[0]?.since ?? 0)),
    busiest: [...callers.values()]
      .sort((a, b) => b.calls - a.calls || (a.number < b.number ? -1 : 1))
      .slice(0, BUSIEST),
  };
}

/** Days that are beside each other as one span, while they have few calls; parts of days stay as they are. */
function together(days: readonly Span[], perDay: readonly number[]): Span[] {
  const spans: { since: number; until: number; calls: number }[] = [];
  for (const [at, { since, until }] of days.entries()) {
    const calls = perDay[at] ?? 0;
    const last = spans.at(-1);
    if (last?.until === since && last.calls + calls <= TOGETHER) {
      last.until = until;
      last.calls += calls;
    } else spans.push({ since, until, calls });
  }
  return spans;
}

/** All that was done since then, oldest first. */
async function actionsSince(store: CallerStore, account: number, since: number): Promise<CallerAction[]> {
  const steps: CallerAction[][] = [];
  for (let until = Number.MAX_SAFE_INTEGER; ; ) {
    const step = await store.actions(account, { since, until }, TOGETHER);
    const first = step[0]?.at ?? 0;
    // Others of the same millisecond may have been left out: that one is read again.
    const whole = step.length < TOGETHER ? step : step.filter(({ at }) => at > first);
    steps.push(whole);
    if (step.length < TOGETHER || whole.length === 0) return steps.reverse().flat();
    until = first + 1;
  }
}
