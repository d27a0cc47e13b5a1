import type { Span } from '../kit/calendar.ts';
import { createPause, pieces } from '../kit/event-loop-pauses.ts';
import { actionsSince, type MissedCallers, missedCallers } from '../people/call-backs.ts';
import type { CallerCounts, CallGroup, MissedCall } from '../people/caller-call-store.ts';
import type { CallerStore } from '../people/caller-store.ts';
import type { GroupFilter, Report } from './call-report.ts';

/** Limit of calls: callers are read call by call, including calls that a filter leaves out. */
export const MAX_CALLS = 50_000;
/** Calls that are read in one go. */
const TOGETHER = 5_000;
/** Missed calls that are read in one go: they arrive in one turn of the event loop. */
const MISSED = 500;
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
  now: number,
): Promise<CallersReport | null> {
  if (ofAll.integrations.reduce((sum, [, { calls }]) => sum + calls, 0) > MAX_CALLS) return null;
  const callers = new Map<string, CallerCounts>();
  const missed: MissedCall[] = [];
  const groups: (CallGroup | null)[] = filter?.names.map((name) => ({ kind: filter.kind, name })) ?? [null];
  for (const day of together(days, perDay)) {
    const ended = { since: day.since, until: day.until + LONGEST_RING_MS };
    for (const group of groups) {
      for await (const some of pieces(await store.counts(account, day, group)))
        for (const { number, ...counts } of some) {
          const sum = callers.get(number) ?? { number, customer: null, name: null, calls: 0, missed: 0 };
          callers.set(number, {
            number,
            customer: counts.customer ?? sum.customer,
            name: counts.name ?? sum.name,
            calls: sum.calls + counts.calls,
            missed: sum.missed + counts.missed,
          });
        }
      const those: MissedCall[][] = [];
      for await (const some of missedIn(store, account, ended, group))
        those.push(some.filter(({ call }) => call.startedAt >= day.since && call.startedAt < day.until));
      for (const some of those.reverse()) missed.push(...some);
    }
  }
  return {
    ...(await missedCallers(missed, await actionsSince(store, account, days[0]?.since ?? 0), now)),
    busiest: await busiestOf(callers.values()),
  };
}

/** The missed calls that ended in a span: each piece is older than the one before, and has its oldest call first. */
async function* missedIn(
  store: CallerStore,
  account: number,
  { since, until }: Span,
  group: CallGroup | null,
): AsyncGenerator<MissedCall[]> {
  const pause = createPause();
  for (let end = until, limit = MISSED; ; ) {
    const some = await store.missed(account, { since, until: end }, limit, group);
    await pause();
    const first = some[0]?.call.completedAt ?? since;
    if (some.length < limit) return yield some;
    // The limit may have cut off calls of the same millisecond: read that one again.
    const whole = some.filter(({ call }) => (call.completedAt ?? 0) > first);
    yield whole;
    if (whole.length === 0) limit *= 2;
    else [end, limit] = [first + 1, MISSED];
  }
}

const mostCalls = (a: CallerCounts, b: CallerCounts) => b.calls - a.calls || (a.number < b.number ? -1 : 1);

/** A customer's numbers as one. */
async function busiestOf(numbers: Iterable<CallerCounts>): Promise<CallersReport['busiest']> {
  type Person = CallerCounts & { readonly most: CallerCounts; readonly numbers: number };
  const people = new Map<string, Person>();
  for await (const some of pieces(numbers))
    for (const one of some) {
      const person = one.customer === null ? one.number : ` ${one.customer}`;
      const known = people.get(person);
      const most = known === undefined || mostCalls(one, known.most) < 0 ? one : known.most;
      people.set(person, {
        ...most,
        most,
        numbers: (known?.numbers ?? 0) + 1,
        calls: (known?.calls ?? 0) + one.calls,
        missed: (known?.missed ?? 0) + one.missed,
      });
    }
  let busiest: Person[] = [];
  for await (const some of pieces(people.values()))
    busiest = [...busiest, ...some].sort(mostCalls).slice(0, BUSIEST);
  return busiest;
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
