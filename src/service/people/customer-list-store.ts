import type { Statements, Value } from '../store/statements.ts';
import type { Customer } from './customer-fields.ts';
import { type CustomerRow, customerOf, selectCustomers } from './customer-rows.ts';

/** A place in the list of customers, which is by the text that they are found by (see searchText). */
export type CustomerCursor = { readonly text: string; readonly reference: string };

/** Customers that one statement of a search reads: some milliseconds. */
const SLICE = 5_000;

/** Null: no segment, or the start of the list. */
type ListQuery = {
  readonly account: number;
  readonly words: readonly string[];
  readonly segment: string | null;
  readonly after: CustomerCursor | null;
  readonly limit: number;
};

type Page = { readonly customers: Customer[]; readonly next: CustomerCursor | null };

export const createCustomerListStore = ({ read, contains, indexed, along }: Statements) => ({
  /** The next `limit` after a place in the list (null: from its start) whose text holds all of the words (see searchWords). */
  async page({ account, words, segment, after, limit }: ListQuery): Promise<Page> {
    const isSearch = words.length > 0 || segment !== null;
    const rows: CustomerRow[] = [];
    let from: CustomerCursor | null = after ?? { text: '', reference: '' };
    while (from !== null && rows.length <= limit) {
      const begin: Value[] = [account, from.text, from.reference];
      // The last customer that this slice reads, by the index alone.
      const places: CustomerCursor[] = isSearch
        ? await read(
            `SELECT search AS text, reference FROM customers ${along('customers_by_search')}
         WHERE account_id = $1 AND (${indexed('search')}, reference) > (${indexed('$2')}, $3)
         ORDER BY ${indexed('search')}, reference LIMIT 1 OFFSET $4`,
            ...[...begin, SLICE - 1],
          )
        : [];
      const reached: CustomerCursor | null = places[0] ?? null;
      const values: Value[] = [...begin, limit + 1 - rows.length];
      const also = words.map((word) => `AND ${contains('c.search', `$${values.push(word)}`)}`);
      if (segment !== null) also.push(`AND s.name = $${values.push(segment)}`);
      if (reached !== null)
        also.push(
          `AND (${indexed('c.search')}, c.reference) <= (${indexed(`$${values.push(reached.text)}`)}, $${values.push(reached.reference)})`,
        );
      const found = await read<CustomerRow>(
        `${selectCustomers} AND (${indexed('c.search')}, c.reference) > (${indexed('$2')}, $3) ${also.join(' ')}
         ORDER BY ${indexed('c.search')}, c.reference LIMIT $4`,
        ...values,
      );
      rows.push(...found);
      from = reached;
    }
    const last = rows[limit - 1];
    return {
      customers: rows.slice(0, limit).map(customerOf),
      next: rows.length > limit && last ? { text: last.search, reference: last.reference } : null,
    };
  },
});
