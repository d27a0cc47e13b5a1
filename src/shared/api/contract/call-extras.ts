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

/** Most people of whom a call says that they rang or talked. */
export const mostPeople = 50;

/** Longest name of one of them. */
export const longestPerson = 64;

/** What a phone system calls something. */
export const systemText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u)
    // PostgreSQL stores no half of a pair of surrogates.
    .transform((value) => value.toWellFormed());

/** A text of a phone system as such a member: without what does not fit. */
export const shortText = (value: string, max: number): string =>
  value
    .replace(/\p{Cc}/gu, '')
    .slice(0, max)
    .toWellFormed();

/** Milliseconds of a call. */
const ms = z
  .int()
  .min(0)
  .max(longestCallSeconds * 1_000);

export const rangSchema = z
  .array(z.object({ by: systemText(longestPerson), from: ms, for: ms }))
  .max(mostPeople);
export const talkedSchema = z
  .array(z.object({ by: systemText(longestPerson), from: ms, to: ms.optional() }))
  .max(mostPeople);

/**
 * The member `extras` of a call event: what a bridge knows of a call beyond the API's document. An addition of our own
 * service, sent only with API_EXTRAS=yes. Members that the bridge does not know are absent.
 */
export const callExtrasSchema = z.object({
  /** The number that was called, as it came in (DID): the same in every event of a call. */
  number_called: systemText(64).optional(),
  /** The trunk on which the call came in, such as `PJSIP/provider`: the same in every event of a call. */
  line: systemText(100).optional(),
  /** When it happened, by the clock of the bridge's machine: ISO 8601 with milliseconds, UTC. */
  at: z.iso.datetime({ precision: 3 }).optional(),
  /** Only in `completed`, and only of a call that nobody answered. */
  missed: z
    .object({
      where: z.enum(missedPlaces).optional(),
      /** Which queue, ring group, mailbox, menu, announcement, time condition or extension. */
      name: systemText(64).optional(),
      /** Who ended it: the caller gave up, or the PBX hung up (nobody answered in time, an announcement was over). */
      by: z.enum(['caller', 'pbx']).optional(),
      /** From the beginning of the call to its end, whole seconds, rounded down. */
      after: z.int().min(0).max(longestCallSeconds).optional(),
    })
    .optional(),
  /**
   * Only in `completed`, the only event of a call that was over before the bridge was there, and that is reported from the
   * PBX's call records to complete the history. It ended `at`. Nobody is told of it, and nobody is asked to call back.
   */
  past: z
    .object({
      /** When the call began: ISO 8601 with milliseconds, UTC. */
      began: z.iso.datetime({ precision: 3 }),
    })
    .optional(),
  /**
   * The people whose phones rang for the caller, each once, named as in `caller_id`: when the first ring began, ms after the call,
   * and how long they rang in all. Empty: nobody yet. In every event of a bridge that has observed the call from its beginning.
   */
  rang: rangSchema.optional(),
  /**
   * Who talked with the caller, in order, from when to when, ms after the beginning of the call; without `to` the end was not
   * observed. Several at once are a conference. Only in `completed`.
   */
  talked: talkedSchema.optional(),
});

export type CallExtras = z.output<typeof callExtrasSchema>;
export type Missed = NonNullable<CallExtras['missed']>;
export type Rang = z.output<typeof rangSchema>[number];
export type Talked = z.output<typeof talkedSchema>[number];
