import { QUARTER_MS, type Span } from '../kit/calendar.ts';
import { isAnswered, isMissed, type MissedFacts, placeOf, SHORT_SECONDS, waitedFor } from './call-meaning.ts';
import { type CallRecord, rangFor, talkedFor } from './call-record.ts';
import { countShared, type SharedCalls } from './people-figures.ts';

/** The fields of a call that reports use. */
export type CallFacts = Pick<
  CallRecord,
  'status' | 'segment' | 'callerId' | 'startedAt' | 'ringingAt' | 'answeredAt' | 'completedAt' | 'missed'
> &
  MissedFacts &
  Partial<Pick<CallRecord, 'rang' | 'talked'>> & {
    readonly integration: number;
    readonly numberCalled?: string | null;
  };

/** Totals of a group of calls. Calls that are neither answered nor missed are still ringing. */
export type Group = {
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  /** From the first ring to the answer, where both were reported. */
  readonly waited: Durations;
  /** From the first ring to the end of missed calls, by the bridge's clock where it was reported. */
  readonly gaveUp: Durations;
  readonly talked: Durations;
  /** Sum of the whole seconds of each call. */
  readonly talkedSeconds: number;
};

/** Figures of some of the calls that started in a span. */
export type Figures = {
  /** For each quarter of an hour with calls: its number from the span's start, its calls, answered and missed ones. */
  readonly quarters: readonly number[];
  readonly all: Group;
};

/** Figures by name, unordered. */
type NamedFigures = readonly (readonly [name: string, figures: Figures])[];

/** Figures of all calls that started in a span, and of groups of them. */
export type SpanFigures = Figures & {
  /** Answered calls by who answered; '' if unknown. */
  readonly extensions: NamedFigures;
  /** By the customer's segment; '' for none. */
  readonly segments: NamedFigures;
  /** By the integration's id. */
  readonly integrations: NamedFigures;
  /** By the number called, of calls for which it was reported. */
  readonly numbersCalled: NamedFigures;
  /** Missed calls by where they ended, '' if the bridge does not know; of those for which the bridge reported their end. */
  readonly places: NamedFigures;
  /** Calls by whose phones rang and who talked. */
  readonly shared: readonly SharedCalls[];
};

export const groupKinds = ['extensions', 'segments', 'integrations', 'numbersCalled', 'places'] as const;
export type GroupKind = (typeof groupKinds)[number];

/** Something for each kind of groups. */
export const byKind = <T>(make: (kind: GroupKind) => T) =>
  Object.fromEntries(groupKinds.map((kind) => [kind, make(kind)])) as Record<GroupKind, T>;

/** Limits the memory when a client sends a new name with every call. */
export const MAX_GROUPS = 1000;
/** The group of all names beyond the limit; names from clients have no control characters. */
export const OTHERS = '\0';

/** Counts calls of one span, or figures of several parts of it. */
export function countCalls({ since }: Pick<Span, 'since'> & Partial<Span>) {
  const all = countFigures();
  const groups = byKind(countGroups);
  const shared = countShared();
  return {
    add(call: CallFacts): void {
      const quarter = Math.floor((call.startedAt - since) / QUARTER_MS);
      all.add(call, quarter);
      groups.segments.get(call.segment ?? '').add(call, quarter);
      groups.integrations.get(String(call.integration)).add(call, quarter);
      if (call.numberCalled != null) groups.numbersCalled.get(call.numberCalled).add(call, quarter);
      const place = isMissed(call) ? placeOf(call) : null;
      if (place !== null) groups.places.get(place).add(call, quarter);
      if (isAnswered(call)) groups.extensions.get(call.callerId ?? '').add(call, quarter);
      shared.add(call);
    },
    /** Adds figures of a part of this span, which starts at `from`. */
    merge(figures: SpanFigures, from = since): void {
      const quarter = (from - since) / QUARTER_MS;
      all.merge(figures, quarter);
      for (const kind of groupKinds)
        for (const [name, part] of figures[kind]) groups[kind].get(name).merge(part, quarter);
      shared.merge(figures.shared);
    },
    figures: (): SpanFigures => ({
      ...all.figures(),
      ...byKind((kind) => groups[kind].entries()),
      shared: shared.figures(),
    }),
  };
}

function countGroups() {
  const groups = new Map<string, ReturnType<typeof countFigures>>();
  return {
    get(name: string) {
      const key = groups.has(name) || groups.size < MAX_GROUPS ? name : OTHERS;
      const group = groups.get(key) ?? countFigures();
      groups.set(key, group);
      return group;
    },
    entries: (): NamedFigures => [...groups].map(([name, group]) => [name, group.figures()]),
  };
}

/** Counts some calls of a span. */
export function countFigures() {
  const quarters = new Map<number, readonly number[]>();
  const all = countGroup();
  const addQuarter = (quarter: number, added: readonly number[]) => {
    const before = quarters.get(quarter);
    quarters.set(quarter, before ? before.map((count, at) => count + (added[at] as number)) : added);
  };
  return {
    /** `quarter`: that in which the call started. */
    add(call: CallFacts, quarter: number): void {
      addQuarter(quarter, [1, Number(isAnswered(call)), Number(isMissed(call))]);
      all.add(call);
    },
    /** Adds figures of a part that starts with the quarter `first`. */
    merge(figures: Figures, first = 0): void {
      for (let at = 0; at < figures.quarters.length; at += 4)
        addQuarter(first + (figures.quarters[at] as number), figures.quarters.slice(at + 1, at + 4));
      all.merge(figures.all);
    },
    figures: (): Figures => ({
      quarters: [...quarters].sort(([a], [b]) => a - b).flat(2),
      all: all.group(),
    }),
  };
}

/** Counts calls of one kind, or groups of them. */
export function countGroup() {
  let [calls, answered, missed, talkedSeconds] = [0, 0, 0, 0];
  const [waited, gaveUp, talked] = [countDurations(), countDurations(), countDurations()];
  return {
    add(call: CallFacts): void {
      calls += 1;
      if (isAnswered(call)) answered += 1;
      if (isMissed(call)) missed += 1;
      if (call.answeredAt !== null) waited.add(rangFor(call));
      if (isMissed(call)) gaveUp.add(waitedFor(call));
      talked.add(talkedFor(call));
      talkedSeconds += Math.floor((talkedFor(call) ?? 0) / 1000);
    },
    merge(group: Group): void {
      calls += group.calls;
      answered += group.answered;
      missed += group.missed;
      waited.addAll(group.waited);
      gaveUp.addAll(group.gaveUp);
      talked.addAll(group.talked);
      talkedSeconds += group.talkedSeconds;
    },
    group: (): Group => ({
      calls,
      answered,
      missed,
      waited: waited.durations(),
      gaveUp: gaveUp.durations(),
      talked: talked.durations(),
      talkedSeconds,
    }),
  };
}

export interface ReportStore {
  /**
   * The figures of the calls that began in each of the spans, in order. The figures of a span are kept, and counted
   * again only after one of its calls has moved. Of a span that is not over at `now` (Unix ms), only the last hours are
   * counted again.
   */
  figures(account: number, spans: readonly Span[], now: number): AsyncIterable<SpanFigures>;
}

/** A histogram in whole seconds (truncated), ascending: value, count, value, count. */
export type Durations = readonly number[];

/** Builds a histogram of durations. */
export function countDurations() {
  const counts = new Map<number, number>();
  const add = (seconds: number, count: number) => counts.set(seconds, (counts.get(seconds) ?? 0) + count);
  return {
    /** `ms`: null is not counted. */
    add(ms: number | null): void {
      if (ms !== null) add(Math.floor(ms / 1000), 1);
    },
    addAll(durations: Durations): void {
      for (let at = 0; at < durations.length; at += 2)
        add(durations[at] as number, durations[at + 1] as number);
    },
    durations: (): Durations => [...counts].sort(([a], [b]) => a - b).flat(),
  };
}

/**
 * The quantile by nearest rank, in seconds: a `share` of 0.5 gives the median. Null without durations. Truncation keeps
 * the order, so this is the exact quantile, truncated to whole seconds.
 */
export function quantile(durations: Durations, share: number): number | null {
  let total = 0;
  for (let at = 1; at < durations.length; at += 2) total += durations[at] as number;
  let left = Math.max(1, Math.ceil(total * share));
  for (let at = 0; at < durations.length; at += 2) {
    left -= durations[at + 1] as number;
    if (left <= 0) return durations[at] as number;
  }
  return null;
}

export const countOf = (durations: Durations): number => countWithin(durations, Number.POSITIVE_INFINITY);

/** How many durations are at most this many whole seconds. */
function countWithin(durations: Durations, seconds: number): number {
  let count = 0;
  for (let at = 0; at < durations.length && (durations[at] as number) <= seconds; at += 2)
    count += durations[at + 1] as number;
  return count;
}

const shortAbandons = ({ gaveUp }: Pick<Group, 'gaveUp'>): number => countWithin(gaveUp, SHORT_SECONDS);

/**
 * The share of calls answered within `seconds`, among those answered or missed, without short abandons; null if there are
 * none. Calls for which a time is unknown are left out.
 */
export function serviceLevel(
  { waited, gaveUp }: Pick<Group, 'waited' | 'gaveUp'>,
  seconds: number,
): number | null {
  const calls = countOf(waited) + countOf(gaveUp) - shortAbandons({ gaveUp });
  return calls === 0 ? null : countWithin(waited, seconds) / calls;
}
