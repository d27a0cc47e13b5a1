import { z } from 'zod';
import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import { customerSchema, customerView } from '../people/admin-customers.ts';
import type { PersonEvent, PersonEventName } from './webhook.ts';

const ms = z.int().describe('Unix milliseconds.');
const number = z.string();
const customer = z.string().nullable().describe('The reference of the customer who has the number now.');

/** What programs get of what happened to people, by the first word of the event. */
export const personSchemas = {
  call_back: z
    .object({
      number,
      customer,
      at: ms,
      user: z.string().describe('The user; of `talked`, and of `tried` without `due`, the extension.'),
      seconds: z.int().optional().describe('How long they talked; of `talked`.'),
      due: ms.optional().describe('When the user wants to be reminded.'),
    })
    .meta({ id: 'CallBackAction' }),
  note: z
    .object({
      number,
      customer,
      at: ms.describe('When it was written, Unix milliseconds.'),
      user: z.string().nullable().describe('Who wrote it, or changed it last; null if it was removed.'),
      text: z.string().nullable().describe('As it is now; null if it was removed.'),
    })
    .meta({ id: 'NoteOfEvent' }),
  customer: z.union([
    customerSchema.describe('As the customer is now.'),
    z
      .object({ reference: z.string() })
      .meta({ id: 'RemovedCustomer', description: 'All that is left of a customer who was removed.' }),
  ]),
};

export type PersonKind = keyof typeof personSchemas;
export const kindOf = (event: PersonEventName): PersonKind => event.split('.')[0] as PersonKind;

export function personData(
  event: PersonEventName,
  { about, actionAt, action, customer: owner }: PersonEvent,
  country: string | null,
) {
  const kind = kindOf(event);
  if (kind === 'customer') return owner === null ? { reference: about } : customerView(owner, country);
  const who = {
    number: exportedNumber(about, country),
    customer: owner?.reference ?? null,
    at: actionAt ?? 0,
  };
  if (kind === 'note') return { ...who, user: action?.user ?? null, text: action?.text ?? null };
  return {
    ...who,
    user: action?.user ?? '',
    ...(action?.seconds != null && { seconds: action.seconds }),
    ...(action?.due != null && { due: action.due }),
  };
}
