import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** The path at which a replacement of `path` is created. */
export function partOf(path: string): string {
  return `${path}.part`;
}

const whole = (path: string): string => `${path}.new`;

/**
 * Replaces the closed database at `path` by the one at `partOf(path)`. The old one is renamed to `aside`, with its WAL.
 * If the process is killed, either the old one is still in place or `finishReplacement` completes the replacement.
 */
export function replaceDatabase(path: string, aside: string): void {
  sync(partOf(path));
  renameSync(partOf(path), whole(path));
  sync(dirname(path));
  swap(path, aside);
}

/** Completes an interrupted replacement. Call it before opening a database. */
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

/** Waits until a file, or the names in a directory, are on disk. */
export function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The time in a form for file names. */
export function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '');
}

/** The time of such a stamp, Unix ms; NaN if it is none. */
export function timeOfStamp(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)$/, '$1-$2-$3:$4:$5.$6'));
}
