import { randomBytes } from 'node:crypto';
import { makeSerialise } from '../store/statements.ts';
import type { Account, Integration, SiteTokens } from './directory-store.ts';
import type { DirectoryStore } from './directory-stores.ts';
import { type Extensions, noExtensions } from './extensions.ts';
import { type Keys, sameText, uidOf } from './keys.ts';

/** The phone system that sent a request, by its token. */
export type Sender = { readonly account: Account; readonly integration: Integration };

/** The use of an old token from one address is stored at most once in this time, ms. */
const NOTED_MS = 60_000;
export type Refused = {
  readonly count: number;
  readonly address: string;
  /** Unix ms. */
  readonly at: number;
};

/** What is gone from the directory: ids. */
export type Removed = { readonly accounts: readonly number[]; readonly integrations: readonly number[] };

export type ServiceDirectory = Awaited<ReturnType<typeof openDirectory>>;

/**
 * What the store has of accounts, integrations and extensions, and a copy of it in memory, kept up to date, so that
 * authentication needs no database.
 */
export async function openDirectory(
  store: { readonly directory: DirectoryStore },
  keys: Keys,
  clock: () => number = Date.now,
) {
  let version = 0;
  let accounts: readonly Account[] = [];
  let accountsById = new Map<number, Account>();
  let accountsByUid = new Map<string, { account: Account; token: Buffer }>();
  let senders = new Map<string, { sender: Sender; token: Buffer; old: Buffer }>();
  let integrations: readonly Integration[] = [];
  let extensions: ReadonlyMap<number, Extensions> = new Map();
  const refusals = new Map<number, Refused>();
  // An unknown token is compared like a wrong one, so that both take the same time.
  const unknown = Buffer.from(`cia_${randomBytes(40).toString('hex')}`);
  let siteTokens: Record<keyof SiteTokens, string | Buffer> = { operator: unknown, fleet: unknown };

  const removedListeners = new Set<(removed: Removed) => void>();
  const noted = new Map<string, number>();
  async function readChanges(): Promise<void> {
    const changed = await store.directory.read(version);
    if (changed === undefined) return;
    version = changed.version;
    const removed = {
      accounts: goneFrom(accounts, changed.directory.accounts),
      integrations: goneFrom(integrations, changed.directory.integrations),
    };
    const { operator, fleet } = changed.directory.siteTokens;
    siteTokens = { operator: keys.operatorToken(operator), fleet: keys.fleetToken(fleet) };
    accounts = changed.directory.accounts;
    integrations = changed.directory.integrations;
    extensions = changed.directory.extensions;
    accountsById = new Map(accounts.map((account) => [account.id, account]));
    // Most tokens are those of before: a service of many accounts would compute thousands after each change of one.
    const [accountsBefore, sendersBefore] = [accountsByUid, senders];
    accountsByUid = new Map(
      accounts.map((account) => {
        const before = accountsBefore.get(account.uid);
        const isSame = before?.account.tokenCounter === account.tokenCounter;
        return [
          account.uid,
          { account, token: isSame ? before.token : Buffer.from(keys.adminToken(account)) },
        ];
      }),
    );
    senders = new Map(
      integrations.flatMap((integration) => {
        const account = accountsById.get(integration.account);
        if (account === undefined) return [];
        const before = sendersBefore.get(integration.uid);
        if (before?.sender.integration.tokenCounter === integration.tokenCounter)
          return [[integration.uid, { ...before, sender: { account, integration } }]];
        const previous = { ...integration, tokenCounter: integration.tokenCounter - 1 };
        const tokenOf = (entry: Integration) => Buffer.from(keys.integrationToken(entry));
        const tokens = { token: tokenOf(integration), old: tokenOf(previous) };
        return [[integration.uid, { sender: { account, integration }, ...tokens }]];
      }),
    );
    if (removed.accounts.length + removed.integrations.length === 0) return;
    for (const id of removed.integrations) refusals.delete(id);
    noted.clear();
    for (const listener of removedListeners) listener(removed);
  }

  const inTurn = makeSerialise();
  let waiting: Promise<void> | undefined;
  /** Whoever asks while a reading waits gets its result. */
  function refresh(): Promise<void> {
    waiting ??= inTurn(() => {
      waiting = undefined;
      return readChanges();
    });
    return waiting;
  }
  await refresh();

  function noteOldToken(integration: Integration, address: string, now: number): void {
    const key = `${integration.id} ${integration.tokenCounter} ${address}`;
    if (now - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < NOTED_MS) return;
    if (noted.size >= 1_000) noted.clear();
    noted.set(key, now);
    store.directory.oldTokenUsed(integration, address, now).catch(() => noted.delete(key));
  }

  /** A change; what there is then is in the copy, too, when it is done. */
  const kept =
    <Given extends unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      // Also when it is refused: the copy was older than the store, or another change came first.
      try {
        return await change(...given);
      } finally {
        await refresh();
      }
    };
  const { changeAccount, rotateAdminToken, addIntegration, changeIntegration, putExtension, giveExtensions } =
    store.directory;

  return {
    ...store.directory,
    changeAccount: kept(changeAccount),
    rotateAdminToken: kept(rotateAdminToken),
    addIntegration: kept(addIntegration),
    changeIntegration: kept(changeIntegration),
    putExtension: kept(putExtension),
    giveExtensions: kept(giveExtensions),
    /** Reads changes of other processes and commands. */
    refresh,
    /** Calls `listener` when accounts and integrations are gone: what is remembered of them by their ids goes, too. */
    onRemoved: (listener: (removed: Removed) => void): void => void removedListeners.add(listener),
    accounts: (): readonly Account[] => accounts,
    integrations: (account: number): readonly Integration[] =>
      integrations.filter((integration) => integration.account === account),
    /** How many integrations all accounts have. */
    integrationCount: (): number => integrations.length,
    extensions: (account: number): Extensions => extensions.get(account) ?? noExtensions,
    /**
     * The sender with this token; undefined if it is unknown, replaced or switched off. With the address of a request, it
     * stores that a replaced token, which is still accepted, was used.
     */
    authenticate(token: string, address?: string): Sender | undefined {
      const known = senders.get(uidOf(token));
      const given = Buffer.from(token);
      const same = sameText(given, known?.token ?? unknown);
      const isOld = sameText(given, known?.old ?? unknown);
      if (!known?.sender.integration.enabled) return undefined;
      if (same) return known.sender;
      const { integration } = known.sender;
      const now = clock();
      if (!isOld || integration.oldTokenUntil === null || now >= integration.oldTokenUntil) return undefined;
      if (address !== undefined) noteOldToken(integration, address, now);
      return known.sender;
    },
    /**
     * Counts a refused token, if it names an integration: an old token, or one of an integration that is switched off.
     */
    noteRefused(token: string, address: string, at: number): void {
      const id = senders.get(uidOf(token))?.sender.integration.id;
      if (id !== undefined) refusals.set(id, { count: (refusals.get(id)?.count ?? 0) + 1, address, at });
    },
    /** How often that was since this process started, and the last time. */
    refused: (integration: number): Refused | undefined => refusals.get(integration),
    /** Whether this is the token of who runs the service, or that of who reads its fleet. */
    isSiteToken: (which: keyof SiteTokens, token: string): boolean => sameText(token, siteTokens[which]),
    /** The account with this administration token. */
    administrator(token: string): Account | undefined {
      const known = accountsByUid.get(uidOf(token));
      return sameText(token, known?.token ?? unknown) ? known?.account : undefined;
    },
  };
}

type WithId = { readonly id: number };

function goneFrom(before: readonly WithId[], now: readonly WithId[]): number[] {
  const there = new Set(now.map(({ id }) => id));
  return before.flatMap(({ id }) => (there.has(id) ? [] : [id]));
}

/** A random identifier: 16 hexadecimal digits. */
export function newUid(): string {
  return randomBytes(8).toString('hex');
}

/** Adds the first account with one integration if the store has none; undefined otherwise. */
export async function firstAccount(
  store: { readonly directory: DirectoryStore },
  country: string | null,
  now: number,
): Promise<{ account: Account; integration: Integration } | undefined> {
  const known = await store.directory.read(0);
  if (known === undefined || known.directory.accounts.length > 0) return undefined;
  const account = await store.directory.addAccount({ uid: newUid(), name: 'Main', country });
  const integration = await store.directory.addIntegration({
    uid: newUid(),
    account: account.id,
    name: 'Phone system',
    createdAt: now,
  });
  return { account, integration };
}
