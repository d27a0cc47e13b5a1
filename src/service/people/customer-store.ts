import { storedForms } from '../../shared/phone-number/same-line.ts';
import { keysOf, type Statements } from '../store/statements.ts';
import type { Customer } from './customer-fields.ts';
import { createCustomerListStore } from './customer-list-store.ts';
import { type CustomerRow, customerOf, selectCustomers } from './customer-rows.ts';
import type { CustomerWriter, PutCustomers, ReplaceCustomers } from './customer-writer.ts';
import { createSegmentReader, createSegmentWriter } from './segment-store.ts';
import { createWhoCallsStore } from './who-calls-store.ts';

export type CustomerStore = ReturnType<typeof createCustomerStore>;

/** Customers and segments; `writer` is each engine's own, since thousands come at once. `changed` is called after a change. */
export function createCustomerStore(
  statements: Statements,
  writer: CustomerWriter,
  changed: (account: number) => void,
) {
  const customers = createCustomerReader(statements);
  const segments = createSegmentReader(statements);
  return {
    ...customers,
    ...createWhoCallsStore(statements),
    ...createCustomerListStore(statements),
    ...createCustomerChanges(customers, writer, changed),
    ...segments,
    ...createSegmentWriter(statements, segments, changed),
  };
}

/** Customers per chunk. */
const PAGE = 1000;
/** References, or numbers, that one statement looks for. */
const MATCHES = 500;

/** Those of the references, or of the numbers, that are the names in the JSON $2. */
const byReferences = `${selectCustomers} AND c.reference IN (SELECT m.key FROM json_each($2) m)`;
const byNumbers = `${selectCustomers} AND c.id IN (SELECT n.customer_id FROM customer_numbers n
    WHERE n.account_id = $1 AND n.number IN (SELECT m.key FROM json_each($2) m))`;

function* chunks<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let some: T[] = [];
  for (const one of all) {
    if (some.push(one) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function* unique<T>(all: Iterable<T>): Generator<T> {
  const seen = new Set<T>();
  for (const one of all) {
    if (seen.has(one)) continue;
    seen.add(one);
    yield one;
  }
}

type CustomerReader = ReturnType<typeof createCustomerReader>;

const createCustomerReader = ({ read }: Pick<Statements, 'read'>) => ({
  async get(account: number, reference: string): Promise<Customer | undefined> {
    const [row] = await read<CustomerRow>(`${selectCustomers} AND c.reference = $2`, account, reference);
    return row && customerOf(row);
  },
  async withNumber(account: number, number: string): Promise<Customer | undefined> {
    const [row] = await read<CustomerRow>(
      `${selectCustomers} AND c.id = (SELECT customer_id FROM customer_numbers WHERE account_id = $1 AND number IN ($2, $3)
         ORDER BY number = $2 DESC LIMIT 1)`,
      ...[account, ...storedForms(number)],
    );
    return row && customerOf(row);
  },
  /** Those with one of these references, and those with one of these numbers, each once. Unordered. */
  async matching(
    account: number,
    references: Iterable<string>,
    numbers: Iterable<string>,
  ): Promise<Customer[]> {
    const found = new Map<string, Customer>();
    for (const [keys, sql] of [
      [references, byReferences],
      [numbers, byNumbers],
    ] as const)
      for (const some of chunks(unique(keys), MATCHES))
        for (const row of await read<CustomerRow>(sql, account, keysOf(some)))
          found.set(row.reference, customerOf(row));
    return [...found.values()];
  },
  /** All of an account whose references come after one, by reference, in chunks. */
  async *all(account: number, from = ''): AsyncGenerator<Customer[]> {
    for (let after = from, page: Customer[] = []; ; after = page.at(-1)?.reference ?? '') {
      const sql = `${selectCustomers} AND c.reference > $2 ORDER BY c.reference LIMIT $3`;
      page = (await read<CustomerRow>(sql, account, after, PAGE)).map(customerOf);
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  },
});

function createCustomerChanges(
  { get }: CustomerReader,
  writer: CustomerWriter,
  changed: (account: number) => void,
) {
  const put: PutCustomers = async (account, changes, before) => {
    const refusals = await writer.put(account, changes, before);
    changed(account);
    return refusals;
  };
  const replace: ReplaceCustomers = async (account, replacement) => {
    const outcome = await writer.replace(account, replacement);
    if (outcome === null) changed(account);
    return outcome;
  };
  return {
    put,
    replace,
    /** False if there is none. A change at the same moment comes before it, or finds the customer gone. */
    async remove(account: number, reference: string): Promise<boolean> {
      for (let outcome: unknown = 'changed'; outcome === 'changed'; ) {
        const known = await get(account, reference);
        if (known === undefined) return false;
        outcome = await replace(account, { before: [known], after: [] });
      }
      return true;
    },
  };
}
