import { isDeepStrictEqual } from 'node:util';

export type Segment = { readonly name: string; readonly priority: number };

/**
 * A customer; `reference` is the account's own key for it, `numbers` are in the form in which they are compared, and sorted
 * when they come from the store.
 */
export type Customer = {
  readonly reference: string;
  readonly name: string;
  readonly segment: string | null;
  readonly numbers: readonly string[];
};

/** A customer by its reference, with the fields to set: a field that is not named stays as it is. */
export type CustomerChange = Pick<Customer, 'reference'> & Partial<Customer>;

/** The customer after a change. A new one is named by its reference, and has no segment and no numbers. */
export const withChange = (known: Customer | undefined, change: CustomerChange): Customer => ({
  name: change.reference,
  segment: null,
  numbers: [],
  ...known,
  ...change,
});

/** A customer's name, and its segment with the priority; null without a segment. */
export type CustomerPriority = {
  readonly name: string;
  readonly segment: string | null;
  readonly priority: number | null;
};

export type CustomerRefusal =
  | { readonly reason: 'no-such-segment'; readonly segment: string }
  | { readonly reason: 'number-taken'; readonly number: string; readonly by: string };

export const isSameCustomer = (a: Customer, b: Customer): boolean =>
  isDeepStrictEqual({ ...a, numbers: a.numbers.toSorted() }, { ...b, numbers: b.numbers.toSorted() });

/** Why a customer cannot be put: there is no such segment, or another customer has one of the numbers. */
export function refusalOf(
  { reference, segment, numbers }: Customer,
  hasSegment: (name: string) => boolean,
  ownerOf: (number: string) => { readonly reference: string; readonly name: string } | undefined,
): CustomerRefusal | undefined {
  if (segment !== null && !hasSegment(segment)) return { reason: 'no-such-segment', segment };
  for (const number of numbers) {
    const owner = ownerOf(number);
    if (owner !== undefined && owner.reference !== reference)
      return { reason: 'number-taken', number, by: owner.name };
  }
  return undefined;
}

/** A place in the list of customers, which is by the text that they are found by (see customer-search.ts). */
export type CustomerCursor = { readonly text: string; readonly reference: string };

export interface CustomerStore {
  /** The customer with this number, for a priority lookup; undefined if there is none. */
  priorityOf(account: number, number: string): Promise<CustomerPriority | undefined>;
  /**
   * Adds or changes customers by reference, each by itself: returns a refusal, or null, for each in order. `before`:
   * what each was when it was read. Customers that have changed since then stay as they are.
   */
  put(
    account: number,
    changes: readonly CustomerChange[],
    before?: readonly Customer[],
  ): Promise<(CustomerRefusal | null)[]>;
  /** False if there is none. */
  remove(account: number, reference: string): Promise<boolean>;
  get(account: number, reference: string): Promise<Customer | undefined>;
  withNumber(account: number, number: string): Promise<Customer | undefined>;
  /** The next `limit` after a place in the list (null: from its start) whose text holds all of the words. */
  page(query: {
    account: number;
    /** See customer-search.ts. */
    words: readonly string[];
    segment: string | null;
    after: CustomerCursor | null;
    limit: number;
  }): Promise<{ customers: Customer[]; next: CustomerCursor | null }>;
  /** All of an account, by reference, in chunks. */
  all(account: number): AsyncIterable<Customer[]>;
  segments(account: number): Promise<Segment[]>;
  putSegment(account: number, segment: Segment): Promise<void>;
  /** Its customers stay, without a segment. False if there is none. */
  removeSegment(account: number, name: string): Promise<boolean>;
}
