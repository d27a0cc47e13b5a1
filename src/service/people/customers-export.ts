import type { Account } from '../accounts/account.ts';
import { BYTE_ORDER_MARK, type CsvDialect, csvLines, csvNumbers, forPrograms } from '../kit/csv.ts';
import { type Customer, type CustomerField, columns, fieldText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { exportedNumbers } from './exported-numbers.ts';
import { asLiteral } from './import/blank-cells.ts';

/** The account's customers as a table that an import takes, chunk by chunk. */
export async function* exportCustomers(
  customers: CustomerStore,
  { id, country }: Pick<Account, 'id' | 'country'>,
  dialect: CsvDialect = forPrograms,
): AsyncGenerator<string> {
  const { isForSpreadsheets } = dialect;
  function cell(customer: Customer, name: CustomerField) {
    if (name !== 'numbers') return asLiteral(fieldText(customer, name));
    const numbers = exportedNumbers(customer, country);
    return isForSpreadsheets ? csvNumbers(numbers) : asLiteral(numbers.join('|'));
  }
  yield `${isForSpreadsheets ? BYTE_ORDER_MARK : ''}${csvLines([columns], dialect)}`;
  for await (const chunk of customers.all(id))
    yield csvLines(
      chunk.map((customer) => columns.map((name) => cell(customer, name))),
      dialect,
    );
}
