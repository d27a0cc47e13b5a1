import { randomBytes } from 'node:crypto';
import { createSharedReads } from '../store/statements.ts';
import type { Account, Extensions, Integration, SiteTokens } from './account.ts';
import {
  copyDirectory,
  type DirectoryCopy,
  emptyCopy,
  type Removed,
  removedFrom,
  type Sender,
} from './directory-copy.ts';
import type { DirectoryStore } from './directory-store.ts';
import { noExtensions } from './extensions.ts';
import { type Keys, sameText, uidOf } from './keys.ts';
import { isOldInForce } from './limits.ts';

/** The use of an old token from one address is stored at most once in this time, ms. */
const NOTED_MS = 60_000;
export type Refused = {
  readonly count: number;
  readonly address: string;
  /** Unix ms. */
  readonly at: number;
};

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
  const refusals = new Map<number, Refused>();
  const removedListeners = new Set<(removed: Removed) => void>();
  const oldTokens = createOldTokenNotes(store.directory);
  const { copy, refresh, kept } = createCopy(store.directory, keys, (removed) => {
    for (const id of removed.integrations) refusals.delete(id);
    oldTokens.forget();
    for (const listener of removedListeners) listener(removed);
  });
  await refresh();
  const {
    changeAccount,
    replaceOpeningHours,
    rotateAdminToken,
    replacePhoneBookToken,
    addIntegration,
    changeIntegration,
    putExtension,
    giveExtensions,
  } = store.directory;

  return {
    ...store.directory,
    changeAccount: kept(changeAccount),
    replaceOpeningHours: kept(replaceOpeningHours),
    rotateAdminToken: kept(rotateAdminToken),
    replacePhoneBookToken: kept(replacePhoneBookToken),
    addIntegration: kept(addIntegration),
    changeIntegration: kept(changeIntegration),
    putExtension: kept(putExtension),
    giveExtensions: kept(giveExtensions),
    /** Reads changes of other processes and commands. */
    refresh,
    /** Calls `listener` when accounts and integrations are gone: what is remembered of them by their ids goes, too. */
    onRemoved: (listener: (removed: Removed) => void): void => void removedListeners.add(listener),
    accounts: (): readonly Account[] => copy().accounts,
    account: (id: number): Account | undefined => copy().accountsById.get(id),
    integrations: (account: number): readonly Integration[] =>
      copy().integrations.filter((integration) => integration.account === account),
    /** How many integrations all accounts have. */
    integrationCount: (): number => copy().integrations.length,
    extensions: (account: number): Extensions => copy().extensions.get(account) ?? noExtensions,
    ...createAuthentication(copy, keys, oldTokens.note, clock),
    /**
     * Counts a refused token, if it names an integration: an old token, or one of an integration that is switched off.
     */
    noteRefused(token: string, address: string, at: number): void {
      const id = copy().senders.get(uidOf(token))?.sender.integration.id;
      if (id !== undefined) refusals.set(id, { count: (refusals.get(id)?.count ?? 0) + 1, address, at });
    },
    /** How often that was since this process started, and the last time. */
    refused: (integration: number): Refused | undefined => refusals.get(integration),
  };
}

/** A copy of the store's directory in memory. `onRemoved` is called when something is gone from it. */
function createCopy(
  { read }: Pick<DirectoryStore, 'read'>,
  keys: Keys,
  onRemoved: (removed: Removed) => void,
) {
  let copy = emptyCopy;
  async function readChanges(): Promise<void> {
    const changed = await read(copy.version);
    if (changed === undefined) return;
    const before = copy;
    copy = copyDirectory(before, changed, keys);
    const removed = removedFrom(before, copy);
    if (removed.accounts.length + removed.integrations.length > 0) onRemoved(removed);
  }

  const refresh = createSharedReads<void, void>(readChanges);

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
  return { copy: () => copy, refresh, kept };
}

/** Notes where old tokens are still used: from each address once in a while. */
function createOldTokenNotes({ oldTokenUsed }: Pick<DirectoryStore, 'oldTokenUsed'>) {
  const noted = new Map<string, number>();
  return {
    note(integration: Integration, address: string, now: number): void {
      const key = `${integration.id} ${integration.tokenCounter} ${address}`;
      if (now - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < NOTED_MS) return;
      if (noted.size >= 1_000) noted.clear();
      noted.set(key, now);
      oldTokenUsed(integration, address, now).catch(() => noted.delete(key));
    },
    forget: () => noted.clear(),
  };
}

/** Who somebody is, by their token. */
function createAuthentication(
  copy: () => DirectoryCopy,
  keys: Keys,
  noteOldToken: (integration: Integration, address: string, now: number) => void,
  clock: () => number,
) {
  // An unknown token is compared like a wrong one, so that both take the same time.
  const unknown = Buffer.from(`cia_${randomBytes(40).toString('hex')}`);
  return {
    /**
     * The sender with this token; undefined if it is unknown, replaced or switched off. With the address of a request, it
     * stores that a replaced token, which is still accepted, was used.
     */
    authenticate(token: string, address?: string): Sender | undefined {
      const known = copy().senders.get(uidOf(token));
      const given = Buffer.from(token);
      const same = sameText(given, known?.token ?? unknown);
      const isOld = sameText(given, known?.old ?? unknown);
      if (!known?.sender.integration.enabled) return undefined;
      if (same) return known.sender;
      const { integration } = known.sender;
      const now = clock();
      if (!isOld || !isOldInForce(integration.oldTokenUntil, now)) return undefined;
      if (address !== undefined) noteOldToken(integration, address, now);
      return known.sender;
    },
    /** Whether this is the token of who runs the service, or that of who reads its fleet. */
    isSiteToken: (which: keyof SiteTokens, token: string): boolean =>
      sameText(token, copy().siteTokens?.[which] ?? unknown),
    /** The account whose phone book has this token. */
    phoneBookAccount(token: string): Account | undefined {
      const account = copy().accountsByUid.get(uidOf(token))?.account;
      const isSame = sameText(token, account === undefined ? unknown : keys.phoneBookToken(account));
      return isSame && account && account.phoneBookCounter > 0 ? account : undefined;
    },
    /** The account with this administration token. */
    administrator(token: string): Account | undefined {
      const known = copy().accountsByUid.get(uidOf(token));
      return sameText(token, known?.token ?? unknown) ? known?.account : undefined;
    },
  };
}

/** The name of an account's phone system; null if it is gone. */
export const integrationName = (
  directory: Pick<ServiceDirectory, 'integrations'>,
  account: number,
  id: number,
): string | null => directory.integrations(account).find((one) => one.id === id)?.name ?? null;

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
