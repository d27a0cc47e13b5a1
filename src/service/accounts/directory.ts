import { randomBytes } from 'node:crypto';
import type { Account, Integration } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';
import { type Keys, sameText, uidOf } from './keys.ts';

/** Who a request comes from. */
export type Caller = { readonly account: Account; readonly integration: Integration };

/** Accounts and integrations, held in memory and kept up to date, so that authentication asks no disk. */
export type ServiceDirectory = {
  accounts(): readonly Account[];
  integrations(account: number): readonly Integration[];
  /** The caller whose token this is; undefined if unknown, wrong, rotated away or switched off. */
  caller(token: string): Caller | undefined;
  /** The account whose administration token this is. */
  administrator(token: string): Account | undefined;
  /** Reads what changed; after own changes, and now and then for those of the command line. */
  refresh(): Promise<void>;
};

export async function openDirectory(store: Store, keys: Keys): Promise<ServiceDirectory> {
  let version = 0;
  let accounts: readonly Account[] = [];
  let accountsById = new Map<number, Account>();
  let accountsByUid = new Map<string, { account: Account; token: Buffer }>();
  let callers = new Map<string, { caller: Caller; token: Buffer }>();
  let integrations: readonly Integration[] = [];
  // An unknown token is compared like a wrong one: the answer takes as long, and is the same.
  const nobody = Buffer.from(`cia_${randomBytes(40).toString('hex')}`);

  const refresh = async () => {
    const changed = await store.directory.read(version);
    if (changed === undefined) return;
    version = changed.version;
    accounts = changed.directory.accounts;
    integrations = changed.directory.integrations;
    accountsById = new Map(accounts.map((account) => [account.id, account]));
    accountsByUid = new Map(
      accounts.map((account) => [account.uid, { account, token: Buffer.from(keys.adminToken(account)) }]),
    );
    callers = new Map(
      integrations.flatMap((integration) => {
        const account = accountsById.get(integration.account);
        if (account === undefined) return [];
        return [
          [
            integration.uid,
            { caller: { account, integration }, token: Buffer.from(keys.integrationToken(integration)) },
          ],
        ];
      }),
    );
  };
  await refresh();

  return {
    refresh,
    accounts: () => accounts,
    integrations: (account) => integrations.filter((integration) => integration.account === account),
    caller(token) {
      const known = callers.get(uidOf(token));
      const same = sameText(token, known?.token ?? nobody);
      return same && known?.caller.integration.enabled ? known.caller : undefined;
    },
    administrator(token) {
      const known = accountsByUid.get(uidOf(token));
      return sameText(token, known?.token ?? nobody) ? known?.account : undefined;
    },
  };
}
