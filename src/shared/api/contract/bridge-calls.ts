import { z } from 'zod';
import { longestPerson, mostPeople } from './call-extras.ts';
import { callStatuses } from './call-status.ts';
import { limits } from './decisions.ts';
import { text } from './text.ts';

/**
 * Who rings and who talks in open calls at this moment: an addition of our own service, sent only with API_EXTRAS=yes. Not part of
 * the document. Nothing of it is kept: the extras of the call's events say what has been.
 */
export const bridgeCallsPath = '/bridge/calls';

/** Most calls in one report. */
export const mostCallsNow = 100;

const people = z
  .array(z.string().min(1).max(longestPerson))
  .max(mostPeople)
  .transform((names) => [...new Set(names)]);

export const bridgeCallsSchema = z.object({
  calls: z
    .array(
      z.object({
        /** The call's, as in its events. */
        id: z.string().min(1).max(limits.referenceLength),
        /** Named as in `caller_id`. */
        rings: people,
        talks: people,
      }),
    )
    .max(mostCallsNow),
});

const id = z.string().min(1).max(limits.referenceLength);
const idOf = (name: string) => text(name, limits.referenceLength).min(1);

/**
 * By GET: which calls of the integration the service has, for a certificate: those whose ids are after `from` and before `to`, in
 * the order of their characters.
 */
export const heldCallsQuerySchema = z.object({ from: idOf('from'), to: idOf('to') });

export const heldCallsSchema = z.object({
  calls: z.array(z.object({ id, status: z.enum(callStatuses) })),
  /** The `from` of the next page; null: this was the last. */
  next: id.nullable(),
  /** Unix ms: calls that began before are deleted; null: none are. */
  since: z.int().nullable(),
});

export type HeldCalls = z.output<typeof heldCallsSchema>;

export type BridgeCalls = z.output<typeof bridgeCallsSchema>;
export type CallNow = BridgeCalls['calls'][number];
