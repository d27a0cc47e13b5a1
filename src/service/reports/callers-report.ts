import { type MissedCallers, missedCallers } from '../callers/missed-callers.ts';
import type { CallerCounts, CallerStore, CallGroup, MissedCall } from '../store/caller-store.ts';
import type { Span } from './aggregate.ts';
import type { GroupFilter, Report } from './call-report.ts';

/** Callers are read call by call, those too that a filter leaves out, so not for any number of calls. */
export const MAX_CALLS = 50_000;
const MAX_ACTIONS = 20_000;
const BUSIEST = 15;
/** A call is missed when it ends, at most this long after its start. */
const LONGEST_RING_MS = 3_600_000;

export type CallersReport = MissedCallers & { readonly busiest: readonly CallerCounts[] };

/**
 * The callers of a period, given its days and its report; null if it has too many calls. No one has answered missed
 * calls: a filter by extension leaves them out.
 */
export async function callersReport(
  store: CallerStore,
  account: number,
  days: readonly Span[],
  { groups: ofAll }: Pick<Report, 'groups'>,
  filter: GroupFilter | null,
): Promise<CallersReport | null> {
  const [since, until] = [days[0]?.since ?? 0, days.at(-1)?.until ?? 0];
  if (ofAll.integrations.reduce((sum, [, { calls }]) => sum + calls, 0) > MAX_CALLS) return null;
  const callers = new Map<string, CallerCounts>();
  const missed: MissedCall[] = [];
  const groups: (CallGroup | null)[] = filter?.names.map((name) => ({ kind: filter.kind, name })) ?? [null];
  for (const day of days) {
    const ended = { since: day.since, until: day.until === until ? until + LONGEST_RING_MS : day.until };
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
      missed.push(...(await store.missed(account, ended, MAX_CALLS, of)));
    }
  }
  const started = missed.filter(({ call }) => call.startedAt >= since && call.startedAt < until);
  return {
    ...missedCallers(started, await store.actions(account, { since }, MAX_ACTIONS)),
    busiest: [...callers.values()]
      .sort((a, b) => b.calls - a.calls || (a.number < b.number ? -1 : 1))
      .slice(0, BUSIEST),
  };
}
