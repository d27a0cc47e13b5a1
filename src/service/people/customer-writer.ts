import { isDeepStrictEqual } from 'node:util';
import { type Customer, type CustomerChange, listedNumbers, MAX_NUMBERS } from './customer-fields.ts';

export type CustomerRefusal =
  | { readonly reason: 'no-such-segment'; readonly segment: string }
  | { readonly reason: 'reference-taken' }
  | { readonly reason: 'too-many-numbers' }
  | { readonly reason: 'number-taken'; readonly number: string; readonly by: string };

export const isSameCustomer = (a: Customer, b: Customer): boolean =>
  isDeepStrictEqual({ ...a, numbers: a.numbers.toSorted() }, { ...b, numbers: b.numbers.toSorted() });

/**
 * Why a customer cannot be put: there is no such segment, another customer has one of the numbers, or they are too many.
 * 1.0.0 let a merge make more of them: `before` may have had more.
 */
export function refusalOf(
  { reference, segment, numbers }: Customer,
  before: Customer | undefined,
  hasSegment: (name: string) => boolean,
  ownerOf: (number: string) => { readonly reference: string; readonly name: string } | undefined,
): CustomerRefusal | undefined {
  if (segment !== null && !hasSegment(segment)) return { reason: 'no-such-segment', segment };
  for (const number of numbers) {
    const owner = ownerOf(number);
    if (owner !== undefined && owner.reference !== reference)
      return { reason: 'number-taken', number, by: owner.name };
  }
  const count = listedNumbers(numbers).length;
  if (count > MAX_NUMBERS && count > listedNumbers(before?.numbers ?? []).length)
    return { reason: 'too-many-numbers' };
  return undefined;
}

/**
 * Numbers that one transaction stores or removes, a customer without any counting as one: each that has called can change
 * the figures of every day, and events wait for as long.
 */
export const NUMBERS_AT_ONCE = 200;

/** Why a customer stays as it is. `changed`: it is not, or no longer, what it was when it was read. */
export type PutRefusal = CustomerRefusal | 'changed';

/**
 * Adds or changes customers by reference, each by itself: returns a refusal, or null, for each in order. `before`: what
 * each was when it was read, undefined if there was none.
 */
export type PutCustomers = (
  account: number,
  changes: readonly CustomerChange[],
  before?: readonly (Customer | undefined)[],
) => Promise<(PutRefusal | null)[]>;

/**
 * Customers as they were read, and what becomes of them: one who is not among `after` is removed, one who is not among
 * `before` is new.
 */
export type Replacement = { readonly before: readonly Customer[]; readonly after: readonly Customer[] };

/**
 * Replaces customers in one transaction, all or none of them. Null: it is done. `changed`: one of them has been changed or
 * removed since it was read. A number may go from one of them to another.
 */
export type ReplaceCustomers = (account: number, replacement: Replacement) => Promise<PutRefusal | null>;

/** How each engine writes customers. */
export type CustomerWriter = { readonly put: PutCustomers; readonly replace: ReplaceCustomers };
