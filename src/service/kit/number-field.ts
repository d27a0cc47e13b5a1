import { z } from 'zod';
import { notANumber } from '../../shared/api/contract/phone-number.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';

/** The number in a field of the API, in the form in which numbers are compared. Throws what makes a 422 where it has none. */
export function numberField(name: string, text: string, country: string | null): string {
  const number = normaliseNumber(text, country);
  if (number !== '') return number;
  throw new z.ZodError([{ code: 'custom', path: [name], message: notANumber(name), input: text }]);
}
