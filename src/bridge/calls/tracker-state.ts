import type { Bridge, Channel } from './channel.ts';
import { type DecisionName, isNotReported } from './decisions.ts';
import type { Effect, JournalEntry, JournalEvent } from './effect.ts';
import type { OpenCall } from './open-call.ts';
import type { Rules } from './rules.ts';
import type { Trunk } from './trunk.ts';
import { type Who, whoOfSaved } from './who-state.ts';

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
  /** The ids of bridges that all have left, and whose BridgeDestroy has not come. */
  readonly emptied: Set<string>;
  /** The channels that were dialled for each caller, by the caller's Uniqueid. */
  readonly legs: Map<string, Set<Channel>>;
  readonly calls: Map<string, OpenCall>;
  /** Who rings for the callers of open calls, and who talks with them, by the caller's Uniqueid. */
  readonly who: Map<string, Who>;
  /** Uniqueids of the calls in which that has changed by this input. */
  readonly whoChanged: Set<string>;
  /** Who has left which bridge by this input. */
  readonly parted: { readonly channel: Channel; readonly bridge: Bridge }[];
  /** Endpoints with evidence that they are trunks. `isTrunk` says whether the present rules accept it. */
  readonly trunks: Map<string, Trunk>;
  /** The contexts of endpoints by the PBX's configuration, as far as they are known. */
  contexts: ReadonlyMap<string, string>;
  /** The context in which calls of chan_sip's guests begin; '' if it lets none in, or that is unknown. */
  guestContext: string;
  /** Uniqueids of channels that were classified before the start, and are not reported. */
  readonly unreported: ReadonlySet<string>;
  /** Uniqueids of the calls that wait for their number. */
  readonly waitingForNumber: Set<string>;
  /** Until when to wait whether new calls continue others, Unix ms; by Uniqueid. */
  readonly replacing: Map<string, number>;
  /** When to look whether callers and their phones, who have both picked up, are connected, Unix ms; by the caller's Uniqueid. */
  readonly connecting: Map<string, number>;
  /** When to look whether dialled legs have said that they ring, Unix ms; by the leg's Uniqueid. */
  readonly dialling: Map<string, number>;
  /** Uniqueids of channels that the last list had, and no event. */
  unheard: ReadonlySet<string>;
  /** Until when calls wait for what the dialplan does where their callers hung up, Unix ms; by Uniqueid. */
  readonly waitingForApplication: Map<string, number>;
  /**
   * Technologies (`PJSIP`) that report when the far end hangs up. If such a channel ends without that, the PBX has hung
   * up.
   */
  readonly requesting: Set<string>;
  /** How many snapshots of the PBX there were: each ends a gap. */
  snapshots: number;
  /** The time of the input, Unix ms. */
  at: number;
  /** True if the input is an AMI event, which happens at its time; false for a snapshot, a record or a tick. */
  isLiveInput: boolean;
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
    emptied: new Set(),
    legs: new Map(),
    calls: new Map(saved.calls.map((call) => [call.uniqueid, { ...call }])),
    who: new Map(saved.calls.map((call) => [call.uniqueid, whoOfSaved(call)])),
    whoChanged: new Set(),
    parted: [],
    trunks: new Map(saved.trunks.map((trunk) => [trunk.endpoint, trunk])),
    contexts: new Map(),
    guestContext: '',
    unreported: new Set(saved.unreported),
    waitingForNumber: new Set(waiting.map(({ uniqueid }) => uniqueid)),
    // A call of which nothing was reported before a restart: the first tick or snapshot reports it.
    replacing: new Map(
      saved.calls.flatMap(({ uniqueid, from, reported }) =>
        from !== '' && reported === undefined ? [[uniqueid, 0]] : [],
      ),
    ),
    connecting: new Map(),
    dialling: new Map(),
    unheard: new Set(),
    waitingForApplication: new Map(),
    requesting: new Set(),
    snapshots: 0,
    at: 0,
    isLiveInput: false,
    effects: [],
  };
}

export function writeJournal(state: TrackerState, entry: JournalEntry): void {
  state.effects.push({ type: 'journal', entry });
}

/** Waits, unless it is over before: until `ms` from now. */
export function waitFor(
  state: TrackerState,
  waiting: Map<string, number>,
  uniqueid: string,
  ms: number,
): void {
  const by = state.at + ms;
  waiting.set(uniqueid, by);
  state.effects.push({ type: 'wake', at: by });
}

/** Takes what has waited long enough, by Uniqueid. `ms`: how long it waits. */
export function takeOverdue(state: TrackerState, waiting: Map<string, number>, ms: number): string[] {
  const overdue: string[] = [];
  for (const [uniqueid, by] of waiting)
    if (isOverdue(by, state.at, ms)) overdue.push(uniqueid);
    else state.effects.push({ type: 'wake', at: by });
  for (const uniqueid of overdue) waiting.delete(uniqueid);
  return overdue;
}

/** True if a wait of at most `ms`, until `by`, is over; a clock that was set back must not make it longer. */
export const isOverdue = (by: number, at: number, ms: number): boolean => by <= at || by - at > ms;

/** What happens to a caller's channel. */
export function writeObserved(state: TrackerState, call: OpenCall, event: JournalEvent): void {
  writeJournal(state, { at: state.at, uniqueid: call.uniqueid, call: call.id, kind: 'observed', event });
}

/** Writes a decision and its reason to the log and the journal, with the number of a caller whose call is ignored. */
export function decide(
  state: TrackerState,
  id: string,
  decision: DecisionName,
  why: string,
  number?: string,
): void {
  state.effects.push({ type: 'log', id, decision, why });
  const uniqueid = id.slice(state.rules.pbxId.length + 1);
  const kind = isNotReported(decision) ? 'not-reported' : 'decided';
  writeJournal(state, {
    at: state.at,
    uniqueid,
    call: id,
    ...(number !== undefined && { number }),
    kind,
    event: { code: 'decision', decision, why },
  });
}
