import { sameLine } from '../../../shared/phone-number/same-line.ts';
import { pieces } from '../../kit/event-loop-pauses.ts';
import type { Customer } from '../customer-fields.ts';

/** Reads the customers with one of these references, and those with one of these numbers. */
export type FindCustomers = (
  references: Iterable<string>,
  numbers: Iterable<string>,
) => Promise<readonly Customer[]>;

/** Customers as they were read before an import. */
export type KnownCustomers = {
  readonly byReference: ReadonlyMap<string, Customer>;
  /** Who has a number, by the form that customers have first. */
  readonly byNumber: ReadonlyMap<string, Customer>;
};

/** Numbers in the form in which a table has them: of a line that may call in two forms, the first. */
export const tableNumbers = (numbers: readonly string[]): ReadonlySet<string> =>
  new Set(numbers.map((number) => sameLine(number)[0]));

/** What is known of the customers that a table is about, and of those who have its numbers. */
export async function readKnown(
  find: FindCustomers,
  references: Iterable<string>,
  numbers: Iterable<string>,
): Promise<KnownCustomers> {
  const byReference = new Map<string, Customer>();
  const byNumber = new Map<string, Customer>();
  const forms = new Set<string>();
  for await (const some of pieces(numbers))
    for (const number of some) for (const form of sameLine(number)) forms.add(form);
  for await (const some of pieces(await find(references, forms)))
    for (const customer of some) {
      byReference.set(customer.reference, customer);
      for (const number of tableNumbers(customer.numbers)) byNumber.set(number, customer);
    }
  return { byReference, byNumber };
}
