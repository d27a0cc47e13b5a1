import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../log/log.ts';
import { messageOf } from '../../process/message-of.ts';
import { finishReplacement, stampOf } from '../../storage/replace.ts';
import { BrokenInvariant, storageErrorKind } from '../../storage/storage-error.ts';
import { checkAtStart } from '../recovery/check.ts';
import { damagedName, readWal, repair } from '../recovery/repair.ts';
import { firstForgottenFrame } from '../recovery/wal.ts';
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
    assertWhole(path, wal);
    return open(path);
  } catch (error) {
    if (storageErrorKind(error) !== 'corrupt') throw error;
    return repairAndOpen(path, now, error, log, wal);
  }
}

/** Repairs a damaged, closed file. `wal`: the content of its WAL, which may be deleted by now. */
export function repairAndOpen(
  path: string,
  now: number,
  error: unknown,
  log: Log,
  wal = readWal(path),
): OpenStore {
  const { aside, saved, waiting, lost } = repair(path, stampOf(now), wal);
  log.say('outbox.repaired', {
    error: messageOf(error),
    aside,
    saved,
    waiting,
    lost: lost ?? 'an unknown number of',
  });
  return open(path);
}

/** What SQLite would silently lose when it opens the file. */
function assertWhole(path: string, wal: Buffer): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  // SQLite takes an empty file for a new database, and deletes its WAL with all events in it.
  if (size === 0 && wal.length > 0) throw new BrokenInvariant('the database is empty, and its WAL is not');
  if (firstForgottenFrame(wal) !== undefined) throw new BrokenInvariant('a frame of the WAL is damaged');
}

function open(path: string): OpenStore {
  const db = openDatabase(path);
  try {
    checkAtStart(db);
    return { db, store: createStore(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
