import type { Account } from '../accounts/account.ts';
import { FORGOTTEN } from '../calls/call-record.ts';
import type { Store } from '../database/store.ts';

const DAY_MS = 86_400_000;

/** What of the store this changes. */
type DroppingStore = {
  readonly calls: Pick<Store['calls'], 'dropNumbers'>;
  readonly requests: Pick<Store['requests'], 'trimAccount'>;
  readonly webhooks: Pick<Store['webhooks'], 'trimAccount'>;
  readonly audit: Pick<Store['audit'], 'dropPeople'>;
  readonly callers: Pick<Store['callers'], 'changed'>;
};

/**
 * Applies the accounts' own ages (`numbersKeptDays`): calls lose their callers, and stay for reports; requests, notes and
 * deliveries are deleted. Each account once a day, and after its age has changed: all of its calls are looked at, since history
 * that is added later may be of any time.
 */
export function numberDropper(store: DroppingStore) {
  /** By account: its age, and the day, for which it is done. */
  let done = new Map<number, string>();
  return async (
    accounts: readonly Pick<Account, 'id' | 'numbersKeptDays'>[],
    now: number,
  ): Promise<number> => {
    const own = accounts.filter(({ numbersKeptDays }) => numbersKeptDays !== null);
    done = new Map([...done].filter(([id]) => own.some((account) => account.id === id)));
    let dropped = 0;
    for (const { id, numbersKeptDays } of own) {
      const key = `${numbersKeptDays} ${Math.floor(now / DAY_MS)}`;
      if (done.get(id) === key) continue;
      const before = now - (numbersKeptDays as number) * DAY_MS;
      await store.requests.trimAccount(id, before);
      await store.webhooks.trimAccount(id, before);
      await store.audit.dropPeople(id, before, FORGOTTEN);
      const calls = await store.calls.dropNumbers(id, before);
      if (calls > 0) store.callers.changed(id);
      dropped += calls;
      done.set(id, key);
    }
    return dropped;
  };
}
