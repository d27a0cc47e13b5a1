import { type Customer, storedNames } from './customer-fields.ts';
import { isSameCustomer } from './customer-writer.ts';

/** The customers of the account $1, as rows of customerOf. No number has a line break. */
export const selectCustomers = `SELECT c.reference, ${storedNames.map((name) => `c.${name}`).join(', ')}, s.name AS segment, c.search,
    (SELECT string_agg(n.number, '\n' ORDER BY n.number) FROM customer_numbers n WHERE n.customer_id = c.id) AS numbers
  FROM customers c LEFT JOIN segments s ON s.id = c.segment_id WHERE c.account_id = $1`;

/** What a change of a customer writes, as SQL. */
export const overwrite = [...storedNames, 'search', 'segment_id']
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

export type CustomerRow = Omit<Customer, 'numbers'> & {
  readonly search: string;
  readonly numbers: string | null;
};

export const customerOf = ({ search: _, numbers, ...row }: CustomerRow): Customer => ({
  ...row,
  numbers: numbers?.split('\n') ?? [],
});

/** Whether a customer is still as it was read; undefined: there is none. */
export const isUnchanged = (now: CustomerRow | undefined, before: Customer | undefined): boolean =>
  now === undefined || before === undefined ? now === before : isSameCustomer(customerOf(now), before);
