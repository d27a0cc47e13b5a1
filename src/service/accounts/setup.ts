import { randomBytes } from 'node:crypto';
import type { Account, DirectoryStore, Integration } from './directory-store.ts';

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
