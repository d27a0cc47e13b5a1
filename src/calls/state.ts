import { z } from 'zod';
import { callStatuses } from '../api/contract/call-event.ts';
import type { Channel } from './channel.ts';
import { type PersistentMap, persistentMap } from './persistent-map.ts';

/** Who answered: the uniqueid of that channel, and what is told as `caller_id`. */
const answerSchema = z.object({ by: z.string(), callerId: z.string() }).readonly();

/**
 * An inbound call from its first ring to its hang-up. Plain JSON: this is what is saved and read back.
 * A call can be answered, even over, before it is known who is calling.
 */
const openCallSchema = z
  .object({
    /** `<PBX_ID>-<Uniqueid>`, fixed at first sight. */
    id: z.string(),
    uniqueid: z.string(),
    /** The number that was called, ours. */
    called: z.string(),
    /** `absent`: none came until `numberBy`, a late one is still good. `withheld`: kept back by the caller, final. */
    number: z.enum(['awaited', 'known', 'absent', 'withheld']),
    /** Unix ms until which an absent number is waited for. */
    numberBy: z.number(),
    /** What is told as `from`; '' while nothing can be. */
    from: z.string(),
    /** The last status told. */
    told: z.enum(callStatuses).optional(),
    /**
     * True if nobody heard its beginning, or its end: somebody else may have been the
     * first to answer.
     */
    unheard: z.literal(true).optional(),
    /** Set once a person's end was in a bridge with the caller, told or not. */
    answer: answerSchema.optional(),
  })
  .readonly();

export type OpenCall = z.infer<typeof openCallSchema>;

/** A saved call; undefined if the text is none (another version wrote it, or the disk changed it). */
export function readOpenCall(text: string): OpenCall | undefined {
  try {
    return openCallSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A bridge: channels that hear each other, unless it holds them apart (parking, queue agents). */
export type Bridge = { readonly members: readonly string[]; readonly holding: boolean };

/**
 * All that the tracker knows. Immutable: every step makes a new one that shares what has not changed.
 * Keys: channels and calls by Uniqueid, locals by channel name, bridges by BridgeUniqueid.
 */
export type State = {
  readonly channels: PersistentMap<Channel>;
  /** The Uniqueid of each half of a Local pair, by its name. */
  readonly locals: PersistentMap<string>;
  readonly bridges: PersistentMap<Bridge>;
  readonly calls: PersistentMap<OpenCall>;
  /** Endpoints on which inbound calls have come in. */
  readonly trunks: ReadonlySet<string>;
  /** Those of them that pass on numbers which their callers withhold; as far as it was heard since the start. */
  readonly discreet: ReadonlySet<string>;
  /** The calls whose number is awaited: each Uniqueid once. A slow PBX may have a rush of them wait. */
  readonly awaiting: PersistentMap<true>;
};

/** The state to start from: what was saved before a restart, or nothing. The first snapshot settles the rest. */
export function initialState(saved: { calls: readonly OpenCall[]; trunks: readonly string[] }): State {
  return {
    channels: persistentMap(),
    locals: persistentMap(),
    bridges: persistentMap(),
    calls: persistentMap(saved.calls.map((call) => [call.uniqueid, call] as const)),
    trunks: new Set(saved.trunks),
    discreet: new Set(),
    awaiting: persistentMap(
      saved.calls
        .filter(({ number }) => number === 'awaited')
        .map(({ uniqueid }) => [uniqueid, true] as const),
    ),
  };
}
