import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import { type Customer, listedNumbers } from './customer-fields.ts';

/** The listed numbers of a customer as programs and tables get them, and give them back. */
export const exportedNumbers = ({ numbers }: Pick<Customer, 'numbers'>, country: string | null): string[] =>
  listedNumbers(numbers).map((number) => exportedNumber(number, country));

/**
 * The one of a customer's numbers that is digits alone, and these digits: as it was exported, with or without the plus that it
 * came with. Read like any other text, they may be another number, or none.
 */
export function storedDigits(text: string, stored: readonly string[]): string | undefined {
  if (!/^\+?\d[\d -]*$/.test(text)) return undefined;
  const digits = text.replace(/\D+/g, '');
  return stored.find((number) => number === digits);
}
