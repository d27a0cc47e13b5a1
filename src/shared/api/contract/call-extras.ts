import { z } from 'zod';

/**
 * Where a missed call ended. `ringing`: at telephones, also those of a ring group, but not of a queue. `fax`: the PBX received a
 * fax. `blocked`: it has the caller on a blacklist. `terminated`: the dialplan ended it, and nothing before that is known.
 */
export const missedPlaces = [
  'voicemail',
  'queue',
  'ringing',
  'ivr',
  'announcement',
  'fax',
  'blocked',
  'terminated',
] as const;

/** No call takes longer, seconds. */
export const longestCallSeconds = 604_800;

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u);

/**
 * The member `extras` of a call event: what a bridge knows of a call beyond the API's document. An addition of our own
 * service, sent only with API_EXTRAS=yes. Members that the bridge does not know are absent.
 */
export const callExtrasSchema = z.object({
  /** The number that was called, as it came in (DID): the same in every event of a call. */
  number_called: text(64).optional(),
  /** The trunk on which the call came in, such as `PJSIP/provider`: the same in every event of a call. */
  line: text(100).optional(),
  /** When it happened, by the clock of the bridge's machine: ISO 8601 with milliseconds, UTC. */
  at: z.iso.datetime({ precision: 3 }).optional(),
  /** Only in `completed`, and only of a call that nobody answered. */
  missed: z
    .object({
      where: z.enum(missedPlaces).optional(),
      /** Which queue, ring group, mailbox, menu, announcement, time condition or extension. */
      name: text(64).optional(),
      /** Who ended it: the caller gave up, or the PBX hung up (nobody answered in time, an announcement was over). */
      by: z.enum(['caller', 'pbx']).optional(),
      /** From the beginning of the call to its end, whole seconds, rounded down. */
      after: z.int().min(0).max(longestCallSeconds).optional(),
    })
    .optional(),
});

export type CallExtras = z.output<typeof callExtrasSchema>;
export type Missed = NonNullable<CallExtras['missed']>;
