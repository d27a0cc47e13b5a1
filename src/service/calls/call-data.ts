import { z } from 'zod';
import { callStatuses } from '../../shared/api/contract/call-status.ts';
import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions } from '../accounts/account.ts';
import type { CallRecord } from './call-record.ts';
import { screenCall, whoWas } from './screens.ts';

const ms = () => z.int().describe('Unix milliseconds.');
const by = z.string().describe('As in `caller_id`.');
const name = z.string().describe('The name of the extension, as people call it.');
const missedText = 'Of missed calls of a bridge with API_EXTRAS.';

/** A call as programs get it: in webhooks, in their events, and in lists. */
export const callSchema = z
  .object({
    id: z.string(),
    status: z.enum(callStatuses),
    from: z.string().describe('As it was reported.'),
    number: z
      .string()
      .describe(
        'E.164, or digits alone where it is a number of no country. Such digits have a plus where they would be another number without it.',
      ),
    customer: z
      .object({ reference: z.string(), name: z.string() })
      .nullable()
      .describe('Who has the number.'),
    segment: z.string().nullable(),
    priority: z.int().nullable(),
    caller_id: z.string().nullable().describe('Who answered: an extension, or the number of a mobile.'),
    answered_by: z.string().nullable().describe('The same, as people call it.'),
    started_at: ms(),
    ringing_at: ms().nullable(),
    answered_at: ms().nullable(),
    completed_at: ms().nullable(),
    missed: z.boolean().nullable().describe('null while the call is open.'),
    rang: z
      .array(z.object({ by, from: z.int(), for: z.int(), name }))
      .optional()
      .describe('Whose phones rang: from when, in ms from the beginning of the call, and how long in all.'),
    talked: z
      .array(z.object({ by, from: z.int(), to: z.int().optional(), name }))
      .optional()
      .describe(
        'Who talked, from when to when, in ms from the beginning; without `to`, the end was not observed.',
      ),
    called: z.string().optional().describe('The number called, as people call it.'),
    number_called: z.string().nullable().optional(),
    line: z.string().nullable().optional().describe('The trunk.'),
    missed_where: z
      .string()
      .nullable()
      .optional()
      .describe(`Where it ended, such as \`queue\`. ${missedText}`),
    missed_name: z.string().nullable().optional().describe(`Which queue, mailbox or menu. ${missedText}`),
    missed_by: z.enum(['caller', 'pbx']).nullable().optional().describe(`Who ended it. ${missedText}`),
    missed_after: z.int().nullable().optional().describe(`Seconds from the beginning. ${missedText}`),
    ended_at: ms().nullable().optional(),
    integration: z.string().nullable().describe('The name of the phone system.'),
  })
  .meta({
    id: 'Call',
    examples: [
      {
        id: 'pbx-1763629190.42',
        status: 'completed',
        from: '030 1234567',
        number: '+49301234567',
        customer: { reference: '7', name: 'Ann Example' },
        segment: 'VIP',
        priority: 10,
        caller_id: '101',
        answered_by: 'Ben',
        started_at: 1763629190123,
        ringing_at: 1763629190123,
        answered_at: 1763629202310,
        completed_at: 1763629302310,
        missed: false,
        rang: [{ by: '101', from: 900, for: 11287, name: 'Ben' }],
        talked: [{ by: '101', from: 12187, to: 112187, name: 'Ben' }],
        called: 'Sales',
        number_called: '+49309876543',
        line: 'provider',
        missed_where: null,
        missed_name: null,
        missed_by: null,
        missed_after: null,
        ended_at: null,
        integration: 'Office',
      },
    ],
  });

/** What programs get of a call. `integration`: the name of its phone system; `country`: that of the account. */
export function callData(
  call: CallRecord,
  extensions: Extensions,
  integration: string | null,
  country: string | null,
): z.input<typeof callSchema> {
  const { number_shown: _, ...data } = screenCall(call, extensions);
  const { numberCalled } = call.extras;
  return {
    ...data,
    number: exportedNumber(call.number, country),
    ...(numberCalled !== null && { number_called: exportedNumber(numberCalled, country) }),
    ...whoWas(call, extensions),
    integration,
  } as z.input<typeof callSchema>;
}
