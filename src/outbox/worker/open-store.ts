import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../log/log.ts';
import { finishReplacement, stampOf } from '../../storage/replace.ts';
import { BrokenInvariant, messageOf, troubleOf } from '../../storage/trouble.ts';
import { checkThoroughly } from '../recovery/check.ts';
import { endForgotten, keepForgotten, takeAgain } from '../recovery/forgotten-wal.ts';
import { asideOf, repairQuickly, unsavedOf } from '../recovery/quick-repair.ts';
import { readWal, repair } from '../recovery/repair.ts';
import { openDatabase } from '../tables/database.ts';
import { createStore, type Store } from './store.ts';

/** From this size on, bytes, a damaged file is not repaired while everybody waits: that takes seconds per 32 MiB. */
const bigFile = 32 << 20;

export type OpenStore = { readonly db: DatabaseSync; readonly store: Store };

/**
 * Opens the database, whatever has happened to its file: damage is repaired, and what SQLite would silently forget of
 * the WAL is taken again. Throws StorageRefused, or SQLite's error when the disk is full or failing.
 * `now` (Unix ms) goes into the name of a file that is set aside.
 */
export function openStore(path: string, now: number, log: Log, quickFrom = bigFile): OpenStore {
  finishReplacement(path, asideOf(path, stampOf(now)));
  const wal = readWal(path);
  const forgotten = keepForgotten(path, wal);
  let opened: OpenStore;
  let repaired = false;
  try {
    assertNotEmptied(path, wal);
    opened = open(path);
  } catch (error) {
    if (troubleOf(error) !== 'corrupt') throw error;
    opened = repairAndOpen(path, now, error, log, { quickFrom, wal });
    repaired = true;
  }
  // While a file is being rescued, nothing of a call may come in before what that has of it; a later start does it.
  if (forgotten.length === 0 || unsavedOf(path).length > 0) return opened;
  try {
    const { saved, lost } = takeAgain(opened, forgotten, repaired);
    const aside = saved > 0 || lost !== 0 ? `${path}-wal.damaged-${stampOf(now)}` : undefined;
    const kept = endForgotten(path, aside);
    if (aside !== undefined) {
      log.say('outbox.wal-repaired', {
        aside: kept ? aside : 'nowhere: the disk would not take it',
        saved,
        lost: lost ?? 'an unknown number of',
      });
    }
    return opened;
  } catch (error) {
    opened.db.close();
    throw error;
  }
}

/**
 * Repairs a damaged file that is closed: all of it, or from `quickFrom` bytes on what is needed at once, so that nobody
 * waits for the rest (`createRescue`). `wal`: what was in its WAL, if that may be gone by now.
 */
export function repairAndOpen(
  path: string,
  now: number,
  error: unknown,
  log: Log,
  { quickFrom = bigFile, wal = readWal(path) }: { quickFrom?: number | undefined; wal?: Buffer } = {},
): OpenStore {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const quick = size >= quickFrom ? repairQuickly(path, stampOf(now), wal) : undefined;
  if (quick !== undefined) {
    log.say('outbox.set-aside', { error: messageOf(error), aside: quick });
    return open(path);
  }
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

/** SQLite takes an empty file for a new database, and deletes the WAL with all that is in it. */
function assertNotEmptied(path: string, wal: Buffer): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && wal.length > 0) throw new BrokenInvariant('the database is empty, and its WAL is not');
}

function open(path: string): OpenStore {
  const db = openDatabase(path);
  try {
    checkThoroughly(db);
    return { db, store: createStore(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
