import { z } from 'zod';
import { callStatuses } from '../api/contract/call-event.ts';

/**
 * An inbound call from its first ring to its hang-up. Plain JSON: this is what is saved and read back.
 * A call can be answered, even over, before it is known who is calling.
 */
const openCallSchema = z.object({
  /** `<PBX_ID>-<Uniqueid>`, fixed at first sight. */
  id: z.string(),
  uniqueid: z.string(),
  /** The number that was called, ours; of a call found in progress, the extension to which the dialplan has come. */
  called: z.string(),
  /**
   * `absent`: none came until `numberBy`, a late one is still good. `withheld`: by the caller, final. The lookups of the
   * dialplan go by this too (`bridge/lookup-permission.ts`): what is not `known` or `absent` is not looked up.
   */
  number: z.enum(['awaited', 'known', 'absent', 'withheld']),
  /** Unix ms until which a number is waited for that the trunk, or by setting the dialplan, has yet to give. */
  numberBy: z.number(),
  /** What is reported as `from`, be it a stand-in for a number that is withheld or absent; '' while nothing can be. */
  from: z.string(),
  /** When it began to ring, Unix ms; absent if that was not observed. */
  began: z.number().optional(),
  /** The number that was called, as it came in; absent if it is not known. */
  did: z.string().optional(),
  /** The endpoint on which it came in, `PJSIP/provider`. */
  line: z.string().optional(),
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
