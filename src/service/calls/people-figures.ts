import type { Talked } from '../../shared/api/contract/call-extras.ts';
import { isAnswered, isMissed } from './call-meaning.ts';
import { type CallRecord, talkedFor } from './call-record.ts';

/** The fields of a call that say who had to do with it. */
type WhoFacts = Pick<CallRecord, 'callerId' | 'ringingAt' | 'answeredAt' | 'completedAt' | 'missed'> &
  Partial<Pick<CallRecord, 'rang' | 'talked'>>;

/**
 * Calls that rang at the same extensions and were taken by the same ones. A user may have several of them, and has been offered
 * such a call once: only the reader of the figures knows whose they are.
 */
export type SharedCalls = {
  /** Null: not reported. */
  readonly rang: readonly string[] | null;
  /** Who talked, each with the sum of whole seconds; '' if unknown. */
  readonly talked: readonly (readonly [extension: string, seconds: number])[];
  readonly outcome: 'answered' | 'missed' | 'open';
  readonly calls: number;
};

/** Limits the memory: each call of a span may ring at other extensions. Calls beyond it are counted extension by extension. */
export const MAX_SHARED = 1000;

/** Counts calls by whose phones rang and who talked. */
export function countShared() {
  const counted = new Map<string, { shared: SharedCalls; seconds: Map<string, number>; calls: number }>();

  function add(shared: SharedCalls): void {
    const { rang, talked, outcome, calls } = shared;
    const key = JSON.stringify([rang, talked.map(([extension]) => extension), outcome]);
    const known = counted.get(key);
    if (known !== undefined) {
      known.calls += calls;
      for (const [extension, seconds] of talked)
        known.seconds.set(extension, (known.seconds.get(extension) ?? 0) + seconds);
      return;
    }
    const parts = counted.size < MAX_SHARED ? [] : byExtension(shared);
    if (parts.length > 1) parts.forEach(add);
    else counted.set(key, { shared, seconds: new Map(talked), calls });
  }

  return {
    add(call: WhoFacts): void {
      const shared = sharedOf(call);
      if (shared !== undefined) add(shared);
    },
    merge: (figures: readonly SharedCalls[]): void => figures.forEach(add),
    figures: (): SharedCalls[] =>
      [...counted.values()].map(({ shared, seconds, calls }) => ({ ...shared, talked: [...seconds], calls })),
  };
}

/** Undefined: nothing is known of who had to do with it. */
function sharedOf(call: WhoFacts): SharedCalls | undefined {
  const rang = call.rang ? [...new Set(call.rang.map(({ by }) => by))].sort() : null;
  const talked = isAnswered(call) ? talkTimes(call) : [];
  return rang === null && talked.length === 0
    ? undefined
    : { rang, talked, outcome: isAnswered(call) ? 'answered' : isMissed(call) ? 'missed' : 'open', calls: 1 };
}

/** Who talked, with whole seconds; who answered first while nothing else is reported. */
function talkTimes(call: WhoFacts): (readonly [string, number])[] {
  if (!call.talked || call.talked.length === 0)
    return [[call.callerId ?? '', wholeSeconds(talkedFor(call) ?? 0)]];
  const sums = new Map<string, number>();
  for (const one of call.talked) sums.set(one.by, (sums.get(one.by) ?? 0) + talkOf(one));
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}

const talkOf = ({ from, to }: Talked): number =>
  to === undefined ? 0 : wholeSeconds(Math.max(0, to - from));
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** The same calls for each extension by itself. */
function byExtension({ rang, talked, outcome, calls }: SharedCalls): SharedCalls[] {
  const extensions = new Set([...(rang ?? []), ...talked.map(([extension]) => extension)]);
  return [...extensions].map((extension) => ({
    rang: rang === null ? null : rang.filter((one) => one === extension),
    talked: talked.filter(([one]) => one === extension),
    outcome,
    calls,
  }));
}
