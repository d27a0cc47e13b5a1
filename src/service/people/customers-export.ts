import { csvLines } from '../kit/csv.ts';
import { columns, fieldText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';

/** The account's customers as a table that an import takes, chunk by chunk. */
export async function* exportCustomers(customers: CustomerStore, account: number): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const chunk of customers.all(account)) {
    yield csvLines(chunk.map((customer) => columns.map((name) => fieldText(customer, name, '|'))));
  }
}
