import { type CallRecord, rangFor, talkedFor } from '../calls/call-record.ts';
import { countDurations, type Durations } from './durations.ts';

/** A stretch of time, Unix ms: from `since` until before `until`. */
export type Span = { readonly since: number; readonly until: number };

/** The fields of a call that reports use. */
export type CallFacts = Pick<
  CallRecord,
  'status' | 'segment' | 'callerId' | 'startedAt' | 'ringingAt' | 'answeredAt' | 'completedAt' | 'missed'
>;

/** Totals of a group of calls. Calls that are neither answered nor missed are still ringing. */
export type Group = {
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  /** From the first ring to the answer, where both were reported. */
  readonly waited: Durations;
  /** From the first ring to the end of missed calls. */
  readonly gaveUp: Durations;
  readonly talked: Durations;
  /** Sum of the whole seconds of each call. */
  readonly talkedSeconds: number;
};

/** Figures of the calls that started in a span; groups by name, unordered. */
export type SpanFigures = {
  /** Calls, answered and missed per quarter of an hour from the span's start: three numbers each. */
  readonly quarters: readonly number[];
  readonly all: Group;
  /** Answered calls by who answered; '' if unknown. */
  readonly extensions: readonly (readonly [string, Group])[];
  /** By the customer's segment; '' for none. */
  readonly segments: readonly (readonly [string, Group])[];
};

/** Every time zone's offset is a multiple of it, so that hours and days of any zone consist of whole quarters. */
export const QUARTER_MS = 900_000;

/** Limits the memory when a client sends a new name with every call. */
export const MAX_GROUPS = 1000;
/** The group of all names beyond the limit; names from clients have no control characters. */
export const OTHERS = '\0';

/** 1 or 0 each; both 0 while the call is ringing. */
export function outcomeOf({ answeredAt, missed }: Pick<CallFacts, 'answeredAt' | 'missed'>) {
  return { answered: answeredAt !== null || missed === false ? 1 : 0, missed: missed === true ? 1 : 0 };
}

/** Counts calls of one span, or figures of several parts of it. */
export function countCalls({ since }: Pick<Span, 'since'> & Partial<Span>) {
  const quarters: number[] = [];
  const all = countGroup();
  const extensions = countGroups();
  const segments = countGroups();
  const addQuarter = (index: number, added: readonly number[]) => {
    while (quarters.length < index * 3 + 3) quarters.push(0);
    for (const [offset, count] of added.entries()) (quarters[index * 3 + offset] as number) += count;
  };
  return {
    add(call: CallFacts): void {
      const { answered, missed } = outcomeOf(call);
      addQuarter(Math.floor((call.startedAt - since) / QUARTER_MS), [1, answered, missed]);
      all.add(call);
      segments.of(call.segment ?? '').add(call);
      if (answered) extensions.of(call.callerId ?? '').add(call);
    },
    /** Adds figures of a part of this span, which starts at `from`. */
    merge(figures: SpanFigures, from = since): void {
      const first = (from - since) / QUARTER_MS;
      for (let at = 0; at < figures.quarters.length; at += 3)
        addQuarter(first + at / 3, figures.quarters.slice(at, at + 3));
      all.merge(figures.all);
      for (const [name, group] of figures.extensions) extensions.of(name).merge(group);
      for (const [name, group] of figures.segments) segments.of(name).merge(group);
    },
    figures: (): SpanFigures => ({
      quarters: [...quarters],
      all: all.group(),
      extensions: extensions.entries(),
      segments: segments.entries(),
    }),
  };
}

function countGroups() {
  const groups = new Map<string, ReturnType<typeof countGroup>>();
  return {
    of(name: string) {
      const key = groups.has(name) || groups.size < MAX_GROUPS ? name : OTHERS;
      const group = groups.get(key) ?? countGroup();
      groups.set(key, group);
      return group;
    },
    entries: () => [...groups].map(([name, group]) => [name, group.group()] as const),
  };
}

/** Counts calls of one kind, or groups of them. */
export function countGroup() {
  let [calls, answered, missed, talkedSeconds] = [0, 0, 0, 0];
  const [waited, gaveUp, talked] = [countDurations(), countDurations(), countDurations()];
  return {
    add(call: CallFacts): void {
      const counts = outcomeOf(call);
      calls += 1;
      answered += counts.answered;
      missed += counts.missed;
      if (call.answeredAt !== null) waited.add(rangFor(call));
      if (counts.missed) gaveUp.add(rangFor(call));
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
