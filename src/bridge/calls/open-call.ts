import { z } from 'zod';
import { rangSchema, talkedSchema } from '../../shared/api/contract/call-extras.ts';
import { callStatuses } from '../../shared/api/contract/call-status.ts';

/**
 * An inbound call from its first ring to its hang-up. Plain JSON: this is what is saved and read back.
 * A call can be answered, even over, before it is known who is calling.
 */
const openCallSchema = z.object({
  /** `<PBX_ID>-<Uniqueid>`, fixed at first sight. */
  id: z.string(),
  uniqueid: z.string(),
  /** Our number that was called; of a call found in progress, the extension in which the dialplan is. */
  called: z.string(),
  /**
   * `absent`: no number came until `numberBy`, but a late one is still used. `withheld`: by the caller, for good.
   * Lookups of the dialplan (`agi/lookup-permission.ts`) are only allowed for `known` and `absent`.
   */
  number: z.enum(['awaited', 'known', 'absent', 'withheld']),
  /** Until when to wait for the trunk's number, or with REPORTED_NUMBER=dialplan for the dialplan's, Unix ms. */
  numberBy: z.number(),
  /** The number reported as `from`, also one that stands in for a withheld or absent number; '' while there is none. */
  from: z.string(),
  /** When it began to ring, Unix ms; absent if that was not observed. Then `beganAt` has the second, from the Uniqueid. */
  began: z.number().optional(),
  /** The number that was called, as it came in; absent if it is not known. */
  did: z.string().optional(),
  /** The endpoint on which it came in, `PJSIP/provider`. */
  line: z.string().optional(),
  /** Why it is ignored, by REPORT_RULES: then nothing of it is reported. */
  ignored: z.string().optional(),
  /** The last status reported. */
  reported: z.enum(callStatuses).optional(),
  /** True if its beginning or its end was not observed: somebody else may have been the first to answer. */
  partlyObserved: z.literal(true).optional(),
  /**
   * Set once a person's end was in a bridge with the caller, reported or not: the uniqueid of that channel, and what
   * is reported as `caller_id`; without it, somebody whom the PBX does not know has answered (a mobile that the provider rings, too).
   */
  answer: z.object({ by: z.string(), callerId: z.string().optional() }).optional(),
  /** Who rang until it was saved, and who talked; absent: nobody, or a version before 1.1 has saved it. */
  rang: rangSchema.optional(),
  talked: talkedSchema.optional(),
});

export type OpenCall = z.infer<typeof openCallSchema>;

/** Who answered, as the end of a sentence: `by 1001`. */
export function answererOf(callerId: string | undefined): string {
  return callerId === undefined ? 'elsewhere' : `by ${callerId || '?'}`;
}

/** Reads a saved call; undefined if the text is not one (another version wrote it, or the disk damaged it). */
export function readOpenCall(text: string): OpenCall | undefined {
  try {
    return openCallSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The call id of the caller's channel with this Uniqueid, as the API has it: it never changes. */
export function callIdOf(pbxId: string, uniqueid: string): string {
  return `${pbxId}-${uniqueid}`;
}

/** The format of Asterisk's uniqueids is `[systemname-]seconds.count`. */
export function isUniqueid(text: string): boolean {
  return /^(?:.+-)?\d{1,11}\.\d+$/.test(text);
}

/** When the channel of a valid uniqueid, or the call of a call id, began, Unix ms, in whole seconds. */
export function beganAt({ uniqueid }: { readonly uniqueid: string }): number {
  return Number(/(\d{1,11})\.\d+$/.exec(uniqueid)?.[1]) * 1_000;
}
