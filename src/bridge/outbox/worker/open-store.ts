import { statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../../shared/log/log.ts';
import { messageOf } from '../../../shared/process/parse-json.ts';
import { finishReplacement, stampOf } from '../../../shared/storage/replace.ts';
import { BrokenInvariant, storageErrorKind } from '../../../shared/storage/storage-error.ts';
import { checkAtStart, checkWal, walIsCut } from '../recovery/check.ts';
import { damagedName } from '../recovery/damaged-file.ts';
import { readWal, repair } from '../recovery/repair.ts';
import { openDatabase } from '../tables/database.ts';
import { createStore, type Store } from './store.ts';

export type OpenStore = { readonly db: DatabaseSync; readonly store: Store };

/**
 * Opens the database, and repairs damage. Throws StorageRefused, or SQLite's error when the disk is full or failing.
 * `now` (Unix ms) goes into the name of a damaged file that is set aside.
 */
export function openStore(path: string, now: number, log: Log): OpenStore {
  finishReplacement(path, damagedName(path, stampOf(now)));
  const wal = readWal(path);
  try {
    // SQLite takes an empty file for a new database, and deletes its WAL with all events in it.
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0 && wal.length > 0) throw new BrokenInvariant('the database is empty, and its WAL is not');
    return open(path, (db) => checkWal(db, wal));
  } catch (error) {
    if (storageErrorKind(error) !== 'corrupt') throw error;
    return repairAndOpen(path, now, error, log, wal);
  }
}

/** Repairs a damaged, closed file. `wal`: what its WAL was before SQLite has cut it off, to be set aside with it. */
export function repairAndOpen(
  path: string,
  now: number,
  error: unknown,
  log: Log,
  wal = readWal(path),
): OpenStore {
  const text = messageOf(error);
  const { aside, rows, waiting, lost } = repair(path, stampOf(now));
  const known = lost !== undefined && text !== walIsCut;
  log.say('outbox.repaired', { error: text, aside, rows, waiting, lost: known ? lost : 'an unknown number' });
  if (wal.length > 0) keepWal(`${aside}-wal`, wal);
  return open(path);
}

function keepWal(path: string, wal: Buffer): void {
  try {
    writeFileSync(path, wal, { mode: 0o600 });
  } catch {
    // No room for it: it is for people who look into the damage, and the bridge goes on without.
  }
}

function open(path: string, check?: (db: DatabaseSync) => void): OpenStore {
  const db = openDatabase(path, check);
  try {
    checkAtStart(db);
    return { db, store: createStore(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
