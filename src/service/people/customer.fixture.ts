import type { Customer } from './customer-store.ts';

/** A customer with what a test is about; the rest is made up. */
export const customer = (given: Partial<Customer> = {}): Customer => ({
  ...{ reference: '1', name: 'Ann', segment: null, numbers: [] },
  ...given,
});
