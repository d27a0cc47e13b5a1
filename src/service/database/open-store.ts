import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '../../shared/storage/instance-lock.ts';
import { finishReplacement, stampOf } from '../../shared/storage/replace.ts';
import type { Keys } from '../accounts/keys.ts';
import type { PostgresSettings } from './postgres-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** Where the data is: PostgreSQL, or null for SQLite in the state folder. */
export type DatabaseSettings = Omit<PostgresSettings, 'keptMs' | 'secretMark'> | null;

export type StorageSettings = {
  readonly stateDir: string;
  readonly database: DatabaseSettings;
  readonly retention: { readonly maxAgeMs?: number | undefined };
};

/** The lock of a state folder: two services on one file would each have screens and caches of their own. */
export const occupant = { name: 'service', who: 'service' };

/** Locks a state folder, and completes an interrupted restore. Returns the function that releases it. */
export function holdStateDir(stateDir: string): () => void {
  const release = lockFolder(stateDir, occupant, process.pid);
  const file = fileIn(stateDir);
  finishReplacement(file, `${file}.replaced-${stampOf(Date.now())}`);
  return release;
}

/** The SQLite file of a state folder. */
export const fileIn = (stateDir: string) => join(stateDir, 'service.db');

/** Opens the store that the settings name. `fail` is called when nothing can be stored any more. */
export async function openStore(
  { stateDir, database, retention }: StorageSettings,
  keys: Keys,
  fail?: (error: Error) => void,
): Promise<Store> {
  if (database === null) return openSqliteStore(fileIn(stateDir), fail);
  const { openPostgresStore } = await import('./postgres-store.ts');
  return openPostgresStore({ ...database, keptMs: retention.maxAgeMs, secretMark: secretMarkOf(keys) });
}

/** What a database knows the server secret by. */
export function secretMarkOf(keys: Keys): string {
  return keys.sign('mark', 'the server secret of this database');
}

/**
 * False if no service has run with these settings on this machine yet. Always true with PostgreSQL: only opening it
 * would show that.
 */
export function holdsData({ stateDir, database }: Pick<StorageSettings, 'stateDir' | 'database'>): boolean {
  return database !== null || existsSync(fileIn(stateDir));
}
