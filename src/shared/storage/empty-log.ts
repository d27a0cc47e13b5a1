import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** It waits for readers: the number of tries, and the pause between two, ms. */
const TRIES = 20;
const PAUSE_MS = 100;

/**
 * Empties the log before a SQLite database (the WAL), which still has what was removed. False if somebody who reads the
 * database keeps it. It never waits in a checkpoint, which would block writers. `beforeTry` ends reads of one's own.
 */
export async function emptyLog(file: string, beforeTry: () => void = () => {}): Promise<boolean> {
  using db = new DatabaseSync(file, { timeout: 0 });
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let tries = TRIES; tries > 0; tries -= 1) {
    beforeTry();
    if (checkpoint.get()?.busy === 0) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}
