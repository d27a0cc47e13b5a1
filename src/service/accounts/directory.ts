import { randomBytes } from 'node:crypto';
import type { Account, Extension, Integration } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';
import { type Extensions, noExtensions } from './extensions.ts';
import { type Keys, sameText, uidOf } from './keys.ts';

/** The sender of a request. */
export type Caller = { readonly account: Account; readonly integration: Integration };

/** Accounts and integrations in memory, kept up to date, so that authentication needs no database. */
export type ServiceDirectory = {
  accounts(): readonly Account[];
  integrations(account: number): readonly Integration[];
  extensions(account: number): Extensions;
  /** The caller with this token; undefined if it is unknown, replaced or switched off. */
  caller(token: string): Caller | undefined;
  /** The account with this administration token. */
  administrator(token: string): Account | undefined;
  /** Reads changes: called after the service's own, and regularly for those of other processes and commands. */
  refresh(): Promise<void>;
};

export async function openDirectory(store: Store, keys: Keys): Promise<ServiceDirectory> {
  let version = 0;
  let accounts: readonly Account[] = [];
  let accountsById = new Map<number, Account>();
  let accountsByUid = new Map<string, { account: Account; token: Buffer }>();
  let callers = new Map<string, { caller: Caller; token: Buffer }>();
  let integrations: readonly Integration[] = [];
  let extensions = new Map<number, Map<string, Extension>>();
  // An unknown token is compared like a wrong one, so that both take the same time.
  const unknown = Buffer.from(`cia_${randomBytes(40).toString('hex')}`);

  const refresh = async () => {
    const changed = await store.directory.read(version);
    if (changed === undefined) return;
    version = changed.version;
    accounts = changed.directory.accounts;
    integrations = changed.directory.integrations;
    extensions = new Map();
    for (const one of changed.directory.extensions) {
      const ofAccount = extensions.get(one.account) ?? new Map<string, Extension>();
      extensions.set(one.account, ofAccount.set(one.extension, one));
    }
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
    extensions: (account) => extensions.get(account) ?? noExtensions,
    caller(token) {
      const known = callers.get(uidOf(token));
      const same = sameText(token, known?.token ?? unknown);
      return same && known?.caller.integration.enabled ? known.caller : undefined;
    },
    administrator(token) {
      const known = accountsByUid.get(uidOf(token));
      return sameText(token, known?.token ?? unknown) ? known?.account : undefined;
    },
  };
}
