import { z } from 'zod';
import { type CallExtras, callExtrasSchema } from './call-extras.ts';
import { callStatuses } from './call-status.ts';
import { limits } from './decisions.ts';
import { phoneNumber } from './phone-number.ts';
import { oneOf, text } from './text.ts';

/**
 * What is left of extras that cannot be read: that the call is one of the past, however that is written, since users would
 * be asked to call back if it were taken for one of now.
 */
function pastOf(extras: unknown): CallExtras | undefined {
  const { past, at } = (extras ?? {}) as { readonly past?: unknown; readonly at?: unknown };
  if (past === undefined) return undefined;
  const began = (past as { readonly began?: unknown } | null)?.began;
  const { data: ended } = callExtrasSchema.shape.at.safeParse(at);
  return { ...(ended !== undefined && { at: ended }), past: { began: String(began) } };
}

/** No PBX has older records; each year before an account's first call costs its reports time. */
function isSince1990(began: string): boolean {
  return callExtrasSchema.shape.past.safeParse({ began }).success && began >= '1990';
}

/** A call event as the API takes it. Source: part 2; decisions `number-format`, `direction-values`, `call-reference`. */
export const callEventSchema = z
  .object({
    id: text('id', limits.referenceLength).meta({
      description: 'The call, as the client names it; the same for every event of one call.',
      examples: ['pbx-1763600000.42'],
    }),
    direction: oneOf('direction', ['inbound']),
    status: oneOf('status', callStatuses),
    from: phoneNumber('from').optional(),
    caller_id: text('caller_id', limits.referenceLength)
      .meta({ description: 'The answering party or extension.', examples: ['1001'] })
      .optional(),
    extras: callExtrasSchema
      .optional()
      .catch(({ input }) => pastOf(input))
      .meta({ description: 'An addition of this service, for POST: left out if it cannot be read.' }),
  })
  .refine((event) => event.from !== undefined, {
    path: ['from'],
    error: 'The from field is required when direction is inbound.',
    // Checked even if other fields are invalid, so that a client gets all errors at once.
    when: ({ value }) => (value as { direction?: unknown } | undefined)?.direction === 'inbound',
  })
  .refine(({ extras }) => extras?.past === undefined || isSince1990(extras.past.began), {
    path: ['extras'],
    error: 'The extras.past.began field must be a time since 1990, such as 2026-07-04T09:30:00.000Z.',
  })
  .meta({
    if: { properties: { direction: { const: 'inbound' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, never awaited
    then: { required: ['from'] },
  });

export type CallEvent = z.infer<typeof callEventSchema>;

/** `result` is 48 random characters. It identifies nothing and is no reference. Source: parts 2 and 8. */
export const callEventReplySchema = z
  .object({ result: z.string().length(48).describe('48 random characters; they identify nothing.') })
  .meta({ id: 'CallEventReply' });

/** A call event as a bridge sends it with API_EXTRAS=yes. */
export type ExtendedCallEvent = CallEvent & { readonly extras?: CallExtras };
