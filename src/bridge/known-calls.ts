import type { PbxConfiguration } from './ami/pbx-configuration.ts';
import { presumedPresentation } from './calls/presentation.ts';
import type { Rules } from './calls/rules.ts';
import { initialState, type TrackerState } from './calls/tracker-state.ts';
import type { Trunk } from './calls/trunk.ts';
import { isPhone, isTrunk, learnConfiguration } from './calls/trunk-learning.ts';
import type { LiveCalls } from './cdr/live-calls.ts';

/** What the tracker knows of calls, for the gap filler. */
export function knownCalls(
  state: TrackerState,
  pbxId: string,
): Omit<LiveCalls, 'recordOptions' | 'end' | 'writeJournal' | 'logDecision'> {
  /** The Uniqueids with which open calls began: the caller's channel may have been replaced, and its record written. */
  const firstChannels = () => state.calls.values().map(({ id }) => id.slice(pbxId.length + 1));

  return {
    snapshots: () => state.snapshots,
    rules: () => state.rules,
    trunks: () => new Set([...state.trunks.keys()].filter((endpoint) => isTrunk(state, endpoint))),
    isPhone: (endpoint) => isPhone(state, endpoint),
    presumesWithheld: (endpoint) => presumedPresentation(state.trunks.get(endpoint)) === 'prohibited',
    knownAs: (uniqueid) =>
      state.calls.has(uniqueid) ||
      state.channels.has(uniqueid) ||
      firstChannels().some((first) => first === uniqueid)
        ? uniqueid
        : undefined,
    knownFrom: (beginning) =>
      [...state.calls.keys(), ...state.channels.keys(), ...firstChannels()].find((uniqueid) =>
        uniqueid.startsWith(beginning),
      ),
    vanished() {
      const open = state.snapshots === 0 ? [] : [...state.calls.keys()];
      return new Set(open.filter((uniqueid) => !state.channels.has(uniqueid)));
    },
  };
}

/** What records are judged by where no bridge runs: what it had learned, and what the PBX says now. */
export function judgeRecordsBy(
  rules: Rules,
  trunks: readonly Trunk[],
  { records, ...endpoints }: PbxConfiguration,
): ReturnType<typeof knownCalls> & Pick<LiveCalls, 'recordOptions'> {
  const state = initialState(rules, { calls: [], trunks });
  // Empty: the PBX refuses to say.
  if (endpoints.contexts.length > 0) learnConfiguration(state, endpoints);
  return { ...knownCalls(state, rules.pbxId), recordOptions: () => records };
}
