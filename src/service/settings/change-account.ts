import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Account, AccountChange, DirectoryStore } from '../accounts/directory-store.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { CustomerStore } from '../people/customer-store.ts';

/** Changes an account. A new country also applies to its customers' numbers. Returns the change in words, for the audit log. */
export async function changeAccount(
  { directory, customers }: { directory: Pick<DirectoryStore, 'changeAccount'>; customers: CustomerStore },
  account: Pick<Account, 'id' | 'name' | 'country'>,
  change: AccountChange,
): Promise<string> {
  await directory.changeAccount(account.id, change);
  const { country } = change;
  if (country && country !== account.country) await rereadNumbers(customers, account.id, country);
  return changeText(account, change);
}

/** A change of an account in words, for the audit log. */
export function changeText(account: Pick<Account, 'name'>, change: AccountChange): string {
  const { country, timeZone, answerWithin, crmUrl, agentsDelete } = change;
  const { requestsPerMinute, mostUsers } = change;
  const changes = [
    country !== undefined && `country ${country ?? 'none'}`,
    timeZone !== undefined && `time zone ${timeZone ?? 'of the server'}`,
    answerWithin !== undefined && `answer within ${answerWithin} s`,
    crmUrl !== undefined && `CRM ${crmUrl ?? 'none'}`,
    requestsPerMinute !== undefined && `${requestsPerMinute ?? 'any number of'} requests a minute`,
    mostUsers !== undefined && `${mostUsers ?? accountLimits.users} users`,
    agentsDelete !== undefined && `agents ${agentsDelete ? 'may' : 'may not'} delete customers and notes`,
  ];
  return [`account ${account.name}`, ...changes.filter(Boolean)].join(', ');
}

/**
 * Reads customers' numbers without a country again: `030 123456` is `+4930123456` in Germany. A number that another
 * customer has already stays as it is, and so does a customer who is edited meanwhile.
 */
async function rereadNumbers(customers: CustomerStore, account: number, country: string): Promise<void> {
  for await (const chunk of customers.all(account)) {
    const changed = chunk.flatMap((customer) => {
      const numbers = customer.numbers.map((number) => normaliseNumber(number, country));
      const isSame = numbers.every((number, index) => number === customer.numbers[index]);
      return isSame ? [] : [{ customer, reread: { ...customer, numbers: [...new Set(numbers)] } }];
    });
    if (changed.length === 0) continue;
    const before = changed.map(({ customer }) => customer);
    await customers.put(
      account,
      changed.map(({ reread }) => reread),
      before,
    );
  }
}
