import type { Span } from '../kit/calendar.ts';
import { actionsSince, type MissedCallers, missedCallers } from '../people/call-backs.ts';
import type { CallerCounts, CallerStore, CallGroup, MissedCall } from '../people/caller-store.ts';
import type { GroupFilter, Report } from './call-report.ts';

/** Limit of calls: callers are read call by call, including calls that a filter leaves out. */
export const MAX_CALLS = 50_000;
/** Calls that are read in one go. */
const TOGETHER = 5_000;
const BUSIEST = 15;
/** A call is missed when it ends, at most this long after its start. */
const LONGEST_RING_MS = 3_600_000;

export type CallersReport = MissedCallers & {
  /** A customer once: with that of their numbers which called most, and how many of them called. */
  readonly busiest: readonly (CallerCounts & { readonly numbers: number })[];
};

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
    for (const group of groups) {
      for (const { number, ...counts } of await store.counts(account, day, group)) {
        const sum = callers.get(number) ?? { number, customer: null, name: null, calls: 0, missed: 0 };
        callers.set(number, {
          number,
          customer: counts.customer ?? sum.customer,
          name: counts.name ?? sum.name,
          calls: sum.calls + counts.calls,
          missed: sum.missed + counts.missed,
        });
      }
      const those = await store.missed(account, ended, MAX_CALLS, group);
      missed.push(...those.filter(({ call }) => call.startedAt >= day.since && call.startedAt < day.until));
    }
  }
  return {
    ...missedCallers(missed, await actionsSince(store, account, days[0]?.since ?? 0)),
    busiest: byCustomer([...callers.values()].sort(mostCalls))
      .sort(mostCalls)
      .slice(0, BUSIEST),
  };
}

const mostCalls = (a: CallerCounts, b: CallerCounts) => b.calls - a.calls || (a.number < b.number ? -1 : 1);

const byCustomer = (numbers: readonly CallerCounts[]) =>
  [
    ...Map.groupBy(numbers, ({ customer, number }) => (customer === null ? number : ` ${customer}`)).values(),
  ].map((counts) => ({
    ...(counts[0] as CallerCounts),
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    missed: counts.reduce((sum, { missed }) => sum + missed, 0),
    numbers: counts.length,
  }));

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
