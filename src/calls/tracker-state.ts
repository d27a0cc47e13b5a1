import { z } from 'zod';
import { callStatuses } from '../api/contract/call-event.ts';
import type { Bridge, Channel } from './channel.ts';
import type { Effect, JournalEntry } from './effect.ts';
import type { Rules } from './rules.ts';

/**
 * An inbound call from its first ring to its hang-up. Plain JSON: this is what is saved and read back.
 * A call can be answered, even over, before it is known who is calling.
 */
const openCallSchema = z.object({
  /** `<PBX_ID>-<Uniqueid>`, fixed at first sight. */
  id: z.string(),
  uniqueid: z.string(),
  /** The number that was called, ours. */
  called: z.string(),
  /** `absent`: none came until `numberBy`, a late one is still good. `withheld`: kept back by the caller, final. */
  number: z.enum(['awaited', 'known', 'absent', 'withheld']),
  /** Unix ms until which an absent number is waited for. */
  numberBy: z.number(),
  /** What is reported as `from`; '' while nothing can be. */
  from: z.string(),
  /** The last status reported. */
  reported: z.enum(callStatuses).optional(),
  /** True if its beginning or its end was not observed: somebody else may have been the first to answer. */
  partlyObserved: z.literal(true).optional(),
  /**
   * Set once a person's end was in a bridge with the caller, reported or not: the uniqueid of that channel, and what
   * is reported as `caller_id`.
   */
  answer: z.object({ by: z.string(), callerId: z.string() }).optional(),
});

export type OpenCall = z.infer<typeof openCallSchema>;

/** A saved call; undefined if the text is none (another version wrote it, or the disk changed it). */
export function readOpenCall(text: string): OpenCall | undefined {
  try {
    return openCallSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

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
  /** Endpoints on which inbound calls have come in. */
  readonly trunks: Set<string>;
  /** Those of them that pass on numbers which their callers withhold; as far as it was observed since the start. */
  readonly revealingTrunks: Set<string>;
  /** Uniqueids of the calls that wait for their number. */
  readonly waitingForNumber: Set<string>;
  /** Uniqueids of channels that were heard and are gone, in two generations: the newer one, and that before it. */
  goneChannels: { readonly newer: Set<string>; readonly older: ReadonlySet<string> };
  /** How many snapshots of the PBX there were: each ends a gap. */
  snapshots: number;
  /** The time of the input, Unix ms. */
  at: number;
  /** What the input leads to, in order. */
  effects: Effect[];
};

/** The state to start from: what was saved before a restart, or nothing. The first snapshot settles the rest. */
export function initialState(
  rules: Rules,
  saved: { calls: readonly OpenCall[]; trunks: readonly string[] },
): TrackerState {
  const waiting = saved.calls.filter(({ number }) => number === 'awaited');
  return {
    rules,
    channels: new Map(),
    locals: new Map(),
    bridges: new Map(),
    calls: new Map(saved.calls.map((call) => [call.uniqueid, { ...call }])),
    trunks: new Set(saved.trunks),
    revealingTrunks: new Set(),
    waitingForNumber: new Set(waiting.map(({ uniqueid }) => uniqueid)),
    goneChannels: { newer: new Set(), older: new Set() },
    snapshots: 0,
    at: 0,
    effects: [],
  };
}

/** Call records come late: at least so many channels that are gone are remembered. */
const GENERATION = 20_000;

/** Remembers that this channel was there, and was heard. */
export function rememberGone(state: TrackerState, uniqueid: string): void {
  const { newer } = state.goneChannels;
  newer.add(uniqueid);
  if (newer.size >= GENERATION) state.goneChannels = { newer: new Set(), older: newer };
}

/** True for a channel that was heard, and may be gone by now. */
export function wasHeard({ channels, goneChannels }: Readonly<TrackerState>, uniqueid: string): boolean {
  if (channels.get(uniqueid)?.heard) return true;
  return goneChannels.newer.has(uniqueid) || goneChannels.older.has(uniqueid);
}

export function writeJournal(state: TrackerState, entry: JournalEntry): void {
  state.effects.push({ type: 'journal', entry });
}

/** What happens to a caller's channel. */
export function writeObserved(state: TrackerState, call: OpenCall, text: string): void {
  writeJournal(state, { at: state.at, uniqueid: call.uniqueid, call: call.id, kind: 'observed', text });
}
