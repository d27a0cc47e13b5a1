import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../accounts/account.ts';
import type { AccountData } from '../accounts/account-data.ts';
import type { DirectoryStore } from '../accounts/directory-store.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { Refusal } from '../kit/refusal.ts';

/** Every process reads changes of accounts each second. */
const HEARD_MS = 3_000;

/** What of the store the removal of an account changes. */
export type RemovingStore = {
  readonly directory: DirectoryStore;
  readonly accountData: AccountData;
  readonly audit: AuditStore;
  purge(): Promise<boolean>;
};

/** Who asks for it, for the audit log of no account: that of the account goes with it. */
type By = { readonly who: string; readonly from: string };

/**
 * Removes an account with everything that is stored of it, in steps of some hundred rows, so that other work goes on. Its tokens
 * are refused first; its users are signed out with the first step, some seconds later. What is interrupted is ended by the next call.
 * Gives what `purge` gives.
 * @throws Refusal if it is the only one, also at its end, since the others were removed at the same time; and as the store
 */
export async function removeAccount(
  { directory, accountData, audit, purge }: RemovingStore,
  { id, uid, name }: Account,
  by: By,
  { clock, done }: { clock: () => number; done?: (rows: number) => void },
): Promise<boolean> {
  const { accounts, integrations } = (await directory.read(0))?.directory ?? {
    accounts: [],
    integrations: [],
  };
  if (accounts.length === 1)
    throw new Refusal(409, `${name} is the only account: stop the service and delete its data instead`);
  for (const { id: integration, account } of integrations)
    if (account === id) await directory.changeIntegration(integration, { enabled: false });
  await directory.rotateAdminToken(id, null);
  await sleep(HEARD_MS);
  if (!(await accountData.remove(id, done)))
    throw new Refusal(
      409,
      `${name} is the only account now: everything in it is removed, and the account stays. Stop the service and delete its data instead`,
    );
  await audit.write({
    account: null,
    at: clock(),
    what: 'removal',
    ...by,
    target: `account ${name} (${uid})`,
  });
  return purge();
}
