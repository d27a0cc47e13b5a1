import type { Account, Directory, Extensions, Integration, SiteTokens } from './account.ts';
import type { Keys } from './keys.ts';

/** The phone system that sent a request, by its token. */
export type Sender = { readonly account: Account; readonly integration: Integration };

/** What is gone from the directory: ids. */
export type Removed = { readonly accounts: readonly number[]; readonly integrations: readonly number[] };

/** What the store has of accounts, integrations and extensions, with their tokens. */
export type DirectoryCopy = {
  /** Of the store's directory; 0: nothing is read yet. */
  readonly version: number;
  readonly accounts: readonly Account[];
  readonly integrations: readonly Integration[];
  readonly extensions: ReadonlyMap<number, Extensions>;
  readonly siteTokens: Readonly<Record<keyof SiteTokens, string>> | null;
  readonly accountsById: ReadonlyMap<number, Account>;
  readonly accountsByUid: ReadonlyMap<string, { readonly account: Account; readonly token: Buffer }>;
  readonly senders: ReadonlyMap<
    string,
    { readonly sender: Sender; readonly token: Buffer; readonly old: Buffer }
  >;
};

export const emptyCopy: DirectoryCopy = {
  version: 0,
  accounts: [],
  integrations: [],
  extensions: new Map(),
  siteTokens: null,
  accountsById: new Map(),
  accountsByUid: new Map(),
  senders: new Map(),
};

/** Most tokens are those of `before`: a service of many accounts would compute thousands after each change of one. */
export function copyDirectory(
  before: DirectoryCopy,
  { version, directory }: { readonly version: number; readonly directory: Directory },
  keys: Keys,
): DirectoryCopy {
  const { accounts, integrations, extensions, siteTokens } = directory;
  const accountsById = new Map(accounts.map((account) => [account.id, account]));
  return {
    version,
    accounts,
    integrations,
    extensions,
    siteTokens: {
      operator: keys.operatorToken(siteTokens.operator),
      fleet: keys.fleetToken(siteTokens.fleet),
    },
    accountsById,
    accountsByUid: new Map(
      accounts.map((account) => {
        const known = before.accountsByUid.get(account.uid);
        const isSame = known?.account.tokenCounter === account.tokenCounter;
        return [
          account.uid,
          { account, token: isSame ? known.token : Buffer.from(keys.adminToken(account)) },
        ];
      }),
    ),
    senders: new Map(
      integrations.flatMap((integration) => {
        const account = accountsById.get(integration.account);
        if (account === undefined) return [];
        const known = before.senders.get(integration.uid);
        if (known?.sender.integration.tokenCounter === integration.tokenCounter)
          return [[integration.uid, { ...known, sender: { account, integration } }]];
        const previous = { ...integration, tokenCounter: integration.tokenCounter - 1 };
        const tokenOf = (entry: Integration) => Buffer.from(keys.integrationToken(entry));
        const tokens = { token: tokenOf(integration), old: tokenOf(previous) };
        return [[integration.uid, { sender: { account, integration }, ...tokens }]];
      }),
    ),
  };
}

/** What `before` has, and `now` has not. */
export const removedFrom = (before: DirectoryCopy, now: DirectoryCopy): Removed => ({
  accounts: goneFrom(before.accounts, now.accounts),
  integrations: goneFrom(before.integrations, now.integrations),
});

type WithId = { readonly id: number };

function goneFrom(before: readonly WithId[], now: readonly WithId[]): number[] {
  const there = new Set(now.map(({ id }) => id));
  return before.flatMap(({ id }) => (there.has(id) ? [] : [id]));
}
