import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFile } from './open-database.ts';
import { StorageRefused, storageErrorKind } from './storage-error.ts';

/** Waits for a killed process to be gone, ms; short, so that a refused start ends within a second. */
const lockTimeoutMs = 300;

/** The program that uses a directory: the name of its lock files, and its name in messages. */
export type Occupant = { readonly name: string; readonly who: string };

/**
 * Locks a directory for this process, by an exclusive lock on a small database, which the kernel releases when the
 * process ends in any way. (The database of the state is not locked, so that operators' commands can open it.)
 * Returns the function that unlocks. Throws StorageRefused if another process holds the lock.
 */
export function lockFolder(directory: string, { name, who }: Occupant, pid: number): () => void {
  const path = join(directory, `${name}.lock`);
  const pidPath = pidFile(directory, name);
  const db = lock(path) ?? lock(path);
  if (!db) throw new StorageRefused(`${path} cannot be locked`);
  if (db === 'locked') {
    throw new StorageRefused(`another ${who}${holder(pidPath)} already uses ${directory}: stop it first`);
  }
  try {
    writeFileSync(pidPath, `${pid}\n`, { mode: 0o600 });
  } catch {
    // The pid is only for the message of a refused process; on a full disk the start must continue.
  }
  return () => {
    rmSync(pidPath, { force: true });
    db.close();
  };
}

/** Returns undefined if the lock file was damaged; it is deleted then. */
function lock(path: string): DatabaseSync | 'locked' | undefined {
  makeFile(path);
  const db = new DatabaseSync(path, { timeout: lockTimeoutMs });
  try {
    // Without a journal file nothing is written, so this works on a full disk.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const kind = storageErrorKind(error);
    if (kind === 'busy') return 'locked';
    if (kind !== 'corrupt') throw error;
    rmSync(path, { force: true });
    return undefined;
  }
}

/** The pid of the process that uses this directory under this name; undefined if there seems to be none. */
export function runningPid(directory: string, name: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(directory, name), 'utf8'), 10);
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // The process exists, but belongs to another user.
    const denied = (error as NodeJS.ErrnoException).code === 'EPERM';
    return denied ? Number.parseInt(readFileSync(pidFile(directory, name), 'utf8'), 10) : undefined;
  }
}

function pidFile(directory: string, name: string): string {
  return join(directory, `${name}.pid`);
}

function holder(pidPath: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidPath, 'utf8'), 10)})`;
  } catch {
    return '';
  }
}
