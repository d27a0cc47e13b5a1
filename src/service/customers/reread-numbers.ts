import { normaliseNumber } from '../../phone-number/normalise-number.ts';
import type { CustomerStore } from '../store/customer-store.ts';

/**
 * Reads the customers' numbers that have no country again, as the account's country has become known: `030 123456` is
 * `+4930123456` in Germany. A number that another customer has already stays as it is.
 */
export async function rereadNumbers(
  customers: CustomerStore,
  account: number,
  country: string,
): Promise<void> {
  for await (const chunk of customers.all(account)) {
    const changed = chunk.flatMap((customer) => {
      const numbers = customer.numbers.map((number) => normaliseNumber(number, country));
      const isSame = numbers.every((number, index) => number === customer.numbers[index]);
      return isSame ? [] : [{ ...customer, numbers: [...new Set(numbers)] }];
    });
    if (changed.length > 0) await customers.put(account, changed);
  }
}
