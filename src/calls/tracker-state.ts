import type { Bridge, Channel } from './channel.ts';
import type { Effect, JournalEntry, Note } from './effect.ts';
import type { OpenCall } from './open-call.ts';
import type { Rules } from './rules.ts';
import type { Trunk } from './trunk.ts';

/**
 * All that the tracker knows, and the input that it is working on. Only the tracker's own functions change it.
 * Keys: channels and calls by Uniqueid, Local halves by channel name, bridges by BridgeUniqueid.
 */
export type TrackerState = {
  rules: Rules;
  readonly channels: Map<string, Channel>;
  /** Each half of a Local pair, by its name. */
  readonly locals: Map<string, Channel>;
  readonly bridges: Map<string, Bridge>;
  readonly calls: Map<string, OpenCall>;
  /** Endpoints with evidence that they are trunks; whether it holds by the rules as they are now, `isTrunk` says. */
  readonly trunks: Map<string, Trunk>;
  /** The contexts that the PBX's configuration gives to the calls of its endpoints, as far as it says. */
  contexts: ReadonlyMap<string, string>;
  /** Uniqueids of channels that were judged before the start, and are not reported. */
  readonly unreported: ReadonlySet<string>;
  /** Uniqueids of the calls that wait for their number. */
  readonly waitingForNumber: Set<string>;
  /** Technologies (`PJSIP`) whose channels say that their far end hangs up: one without that was hung up by the PBX. */
  readonly requesting: Set<string>;
  /** How many snapshots of the PBX there were: each ends a gap. */
  snapshots: number;
  /** The time of the input, Unix ms. */
  at: number;
  /** True if the input is about what happens at that time: not a snapshot, a record or a tick. */
  happensNow: boolean;
  /** What the input leads to, in order. */
  effects: Effect[];
};

/** What outlives a restart. */
export type Saved = {
  readonly calls: readonly OpenCall[];
  readonly trunks: readonly Trunk[];
  /** Uniqueids. */
  readonly unreported?: readonly string[];
};

/** The state to start from: as saved before a restart, or empty. The first snapshot corrects it. */
export function initialState(rules: Rules, saved: Saved): TrackerState {
  const waiting = saved.calls.filter(({ number }) => number === 'awaited');
  return {
    rules,
    channels: new Map(),
    locals: new Map(),
    bridges: new Map(),
    calls: new Map(saved.calls.map((call) => [call.uniqueid, { ...call }])),
    trunks: new Map(saved.trunks.map((trunk) => [trunk.endpoint, trunk])),
    contexts: new Map(),
    unreported: new Set(saved.unreported),
    waitingForNumber: new Set(waiting.map(({ uniqueid }) => uniqueid)),
    requesting: new Set(),
    snapshots: 0,
    at: 0,
    happensNow: false,
    effects: [],
  };
}

export function writeJournal(state: TrackerState, entry: JournalEntry): void {
  state.effects.push({ type: 'journal', entry });
}

/** What happens to a caller's channel. */
export function writeObserved(state: TrackerState, call: OpenCall, text: string): void {
  writeJournal(state, { at: state.at, uniqueid: call.uniqueid, call: call.id, kind: 'observed', text });
}

const decisions = {
  'no-number': '',
  'reported-late': 'reported late: ',
  'not-inbound': '',
  'picked-up': 'picked up: ',
  vanished: 'ended unobserved: ',
} as const;

/** Notes a decision and its reason, for the log and in the journal. */
export function decide(state: TrackerState, id: string, decision: Note['decision'], why: string): void {
  state.effects.push({ type: 'note', id, decision, why });
  const kind = decisions[decision] === '' ? 'not-reported' : 'decided';
  const uniqueid = id.slice(state.rules.pbxId.length + 1);
  writeJournal(state, { at: state.at, uniqueid, call: id, kind, text: `${decisions[decision]}${why}` });
}
