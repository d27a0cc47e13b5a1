import { type Customer, columns, fieldText, withChange } from './customer-fields.ts';

/** A customer with what a test is about; the rest is made up. */
export const customer = (given: Partial<Customer> = {}): Customer =>
  withChange(undefined, { reference: '1', name: 'Ann', ...given });

/** Customers as they are exported, as long as no cell needs quotes. */
export const csvOf = (...customers: readonly Customer[]): string =>
  [columns, ...customers.map((one) => columns.map((name) => fieldText(one, name, '|')))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
