import type { Account } from '../accounts/account.ts';
import { DirectoryChanged } from '../accounts/account-store.ts';
import { newUid } from '../accounts/directory.ts';
import type { DirectoryStore } from '../accounts/directory-store.ts';
import { accountNameIsUid, accountNameTaken } from '../accounts/limits.ts';
import { comparable } from '../kit/text.ts';

type NamedStore = {
  readonly directory: DirectoryStore;
  withLock<T>(work: () => Promise<T>): Promise<T>;
};

/** The account with this uid; else all that have the name, as people compare names. Two have one only in databases of 1.0.0. */
export function accountsMeant(accounts: readonly Account[], given: string): readonly Account[] {
  const byUid = accounts.filter(({ uid }) => uid === given);
  if (byUid.length > 0) return byUid;
  const name = comparable(given);
  return accounts.filter((account) => comparable(account.name) === name);
}

/**
 * Operators name accounts in commands, by name or uid: no name may mean two accounts.
 * @throws ChangeRefused if another account has the name, or it is a uid or looks like one
 */
export function checkName(accounts: readonly Account[], name: string, own?: number): void {
  const wanted = comparable(name);
  const others = accounts.filter(({ id }) => id !== own);
  if (others.some((account) => comparable(account.name) === wanted)) throw accountNameTaken(name);
  if (/^[0-9a-f]{16}$/.test(wanted) || accounts.some(({ uid }) => uid === wanted))
    throw accountNameIsUid(name);
}

/**
 * Writes a name that is free. The lock is between processes on PostgreSQL; the directory's version also holds off a command
 * that writes to the same SQLite file.
 */
async function withFreeName<T>(
  directory: DirectoryStore,
  { name, own }: { readonly name: string; readonly own?: number },
  write: (version: number) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { version, directory: known } = (await directory.read(-1)) as NonNullable<
      Awaited<ReturnType<DirectoryStore['read']>>
    >;
    checkName(known.accounts, name, own);
    try {
      return await write(version);
    } catch (error) {
      if (!(error instanceof DirectoryChanged)) throw error;
      const isGone = own !== undefined && !known.accounts.some(({ id }) => id === own);
      if (isGone)
        throw new Error(`the account to be named "${name}" is not there any more`, { cause: error });
    }
  }
}

/** `addAccount` for callers that have the store's lock. */
export const addAccountLocked = (
  directory: DirectoryStore,
  { name, country }: Pick<Account, 'name' | 'country'>,
): Promise<Account> =>
  withFreeName(directory, { name }, (version) =>
    directory.addAccount({ uid: newUid(), name, country }, version),
  );

/**
 * Adds an account.
 * @throws ChangeRefused as checkName
 */
export const addAccount = (
  { directory, withLock }: NamedStore,
  made: Pick<Account, 'name' | 'country'>,
): Promise<Account> => withLock(() => addAccountLocked(directory, made));

/**
 * Gives an account another name, which only the operator does: commands choose accounts by it. Returns the change in words,
 * for the audit log.
 * @throws ChangeRefused as checkName
 */
export async function renameAccount(
  { directory, withLock }: NamedStore,
  { id, name: before }: Pick<Account, 'id' | 'name'>,
  name: string,
): Promise<string> {
  await withLock(() =>
    withFreeName(directory, { name, own: id }, (version) => directory.renameAccount(id, name, version)),
  );
  return `account ${before} renamed ${name}`;
}
