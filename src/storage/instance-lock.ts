import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFile } from './open-database.ts';
import { StorageRefused } from './refused.ts';
import { troubleOf } from './trouble.ts';

/** A process that was just killed may need a moment to be gone, ms. Whoever is refused must know within a second. */
const patienceMs = 300;

/** Who works on a folder: the name of its lock files, and what people call it. */
export type Occupant = { readonly name: string; readonly who: string };

/**
 * One process per folder: an exclusive lock on a small database of its own, which the kernel takes away together
 * with the process, however that ends. (The database itself stays open for the operator's commands.)
 * Throws StorageRefused when another process holds it. Gives the function that lets go.
 */
export function lockFolder(directory: string, { name, who }: Occupant, pid: number): () => void {
  const path = join(directory, `${name}.lock`);
  const pidPath = pidFile(directory, name);
  const db = lock(path) ?? lock(path);
  if (!db) throw new StorageRefused(`${path} cannot be locked`);
  if (db === 'held') {
    throw new StorageRefused(`another ${who}${holder(pidPath)} already works on ${directory}: stop it first`);
  }
  try {
    writeFileSync(pidPath, `${pid}\n`, { mode: 0o600 });
  } catch {
    // Only a courtesy to whoever is refused; on a full disk the start must go on.
  }
  return () => {
    rmSync(pidPath, { force: true });
    db.close();
  };
}

/** Undefined: the lock file itself was damaged, and is gone now. */
function lock(path: string): DatabaseSync | 'held' | undefined {
  makeFile(path);
  const db = new DatabaseSync(path, { timeout: patienceMs });
  try {
    // Without a journal file nothing is written: a full disk is no reason not to start.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const trouble = troubleOf(error);
    if (trouble === 'busy') return 'held';
    if (trouble !== 'corrupt') throw error;
    rmSync(path, { force: true });
    return undefined;
  }
}

/** The process that works on this folder under this name; undefined if none does, as far as can be seen. */
export function runningPid(directory: string, name: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(directory, name), 'utf8'), 10);
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // It is there, but another user's.
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
