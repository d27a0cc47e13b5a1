import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Account } from '../accounts/account.ts';
import type { AccountChange, AccountStore } from '../accounts/account-store.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { Budgets } from '../kit/budget.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import type { Customer } from '../people/customer-fields.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { NUMBERS_AT_ONCE } from '../people/customer-writer.ts';

type Parts = {
  readonly directory: Pick<AccountStore, 'changeAccount'>;
  readonly customers: Pick<CustomerStore, 'all' | 'put'>;
  /** Of the service. A command has none. */
  readonly budgets?: Pick<Budgets, 'countries'>;
};

/**
 * Changes an account. A new country also applies to its customers' numbers. Returns the change in words, for the audit log.
 * @throws Refusal 429 while another change of the account's country is under way
 */
export async function changeAccount(
  { directory, customers, budgets }: Parts,
  account: Pick<Account, 'id' | 'name' | 'country'>,
  change: AccountChange,
): Promise<string> {
  const country = change.country === account.country ? undefined : change.country;
  const finish = country ? budgets?.countries.take(account.id) : undefined;
  try {
    await directory.changeAccount(account.id, change);
    if (country) await rereadNumbers(customers, account.id, country);
  } finally {
    finish?.();
  }
  return changeText(account, change);
}

/** A change of an account in words, for the audit log. */
export function changeText(account: Pick<Account, 'name'>, change: AccountChange): string {
  const { country, timeZone, answerWithin, crmUrl, agentsDelete } = change;
  const { requestsPerMinute, mostUsers, numbersKeptDays } = change;
  const changes = [
    country !== undefined && `country ${country ?? 'none'}`,
    timeZone !== undefined && `time zone ${timeZone ?? 'of the server'}`,
    answerWithin !== undefined && `answer within ${answerWithin} s`,
    crmUrl !== undefined && `CRM ${crmUrl ?? 'none'}`,
    requestsPerMinute !== undefined && `${requestsPerMinute ?? 'any number of'} requests a minute`,
    mostUsers !== undefined && `${mostUsers ?? accountLimits.users} users`,
    numbersKeptDays !== undefined &&
      `numbers and notes of callers kept ${numbersKeptDays === null ? 'as long as calls' : `${numbersKeptDays} days`}`,
    agentsDelete !== undefined && `agents ${agentsDelete ? 'may' : 'may not'} delete customers and notes`,
  ];
  return [`account ${account.name}`, ...changes.filter(Boolean)].join(', ');
}

/**
 * Reads customers' numbers without a country again: `030 123456` is `+4930123456` in Germany. A number that another
 * customer has already stays as it is, and so does a customer who is edited meanwhile.
 */
async function rereadNumbers(customers: Parts['customers'], account: number, country: string): Promise<void> {
  const pause = createPause();
  let changed: { before: Customer; after: Customer }[] = [];
  let size = 0;
  async function store(): Promise<void> {
    const [after, before] = [changed.map((one) => one.after), changed.map((one) => one.before)];
    [changed, size] = [[], 0];
    await customers.put(account, after, before);
  }
  for await (const chunk of customers.all(account)) {
    for (const before of chunk) {
      const numbers = new Set<string>();
      for (const number of before.numbers) {
        await pause();
        numbers.add(normaliseNumber(number, country));
      }
      if (before.numbers.every((number) => numbers.has(number))) continue;
      changed.push({ before, after: { ...before, numbers: [...numbers] } });
      size += before.numbers.length + numbers.size;
      if (size >= NUMBERS_AT_ONCE) await store();
    }
    if (size > 0) await store();
  }
}
