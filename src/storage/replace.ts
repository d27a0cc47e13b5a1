import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where a database is made that is to take the place of `path`. */
export function partOf(path: string): string {
  return `${path}.part`;
}

const whole = (path: string): string => `${path}.new`;

/**
 * Puts the database at `partOf(path)` in the place of the one at `path`, which is closed and becomes `aside` together
 * with its WAL. Killed at any moment, either the old one is still in its place or `finishReplacement` ends it.
 */
export function replaceDatabase(path: string, aside: string): void {
  sync(partOf(path));
  renameSync(partOf(path), whole(path));
  sync(dirname(path));
  swap(path, aside);
}

/** To be called before a database is opened: ends a replacement that was killed in the middle. */
export function finishReplacement(path: string, aside: string): void {
  if (existsSync(whole(path))) swap(path, aside);
  rmSync(partOf(path), { force: true });
}

function swap(path: string, aside: string): void {
  rmSync(`${path}-shm`, { force: true });
  // The WAL goes first: it must never meet the new database.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  if (existsSync(path)) renameSync(path, aside);
  renameSync(whole(path), path);
  sync(dirname(path));
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** For names of files: the time without what a file system might not like. */
export function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '');
}
