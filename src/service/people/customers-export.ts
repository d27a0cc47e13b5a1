import { BYTE_ORDER_MARK, type CsvDialect, csvLines, csvNumbers, forPrograms } from '../kit/csv.ts';
import { type Customer, type CustomerField, columns, fieldText, listedNumbers } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { asLiteral } from './import/blank-cells.ts';

/** The account's customers as a table that an import takes, chunk by chunk. */
export async function* exportCustomers(
  customers: CustomerStore,
  account: number,
  dialect: CsvDialect = forPrograms,
): AsyncGenerator<string> {
  const { isForSpreadsheets } = dialect;
  const cell = (customer: Customer, name: CustomerField) =>
    name === 'numbers' && isForSpreadsheets
      ? csvNumbers(listedNumbers(customer.numbers))
      : asLiteral(fieldText(customer, name, '|'));
  yield `${isForSpreadsheets ? BYTE_ORDER_MARK : ''}${csvLines([columns], dialect)}`;
  for await (const chunk of customers.all(account))
    yield csvLines(
      chunk.map((customer) => columns.map((name) => cell(customer, name))),
      dialect,
    );
}
