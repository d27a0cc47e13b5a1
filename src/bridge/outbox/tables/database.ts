import { statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { backUpBefore } from '../../../shared/storage/backup.ts';
import { type Occupant, runningPid } from '../../../shared/storage/instance-lock.ts';
import { lacks, migrate, stepsIn } from '../../../shared/storage/migrate.ts';
import { openDurable } from '../../../shared/storage/open-database.ts';
import { BrokenInvariant } from '../../../shared/storage/storage-error.ts';
import { outboxSchema } from './migrations.ts';

/** Who works on a folder of ours. */
export const occupant: Occupant = { name: 'outbox', who: 'pbx-bridge' };

/** The WAL stays near 16 MiB, or near 1 MiB where there is little room: new events need the rest. */
const checkpointPages = { ample: 4_000, little: 250 } as const;
const littleRoom = 64 << 20;

/**
 * Least free space for opening the database, bytes. SQLite maps the index of the WAL into memory. On a full file system
 * with blocks of less than 4 KiB, touching that memory kills the process (SIGBUS).
 */
const leastRoom = 256 << 10;

export function databasePath(directory: string): string {
  return join(directory, 'outbox.db');
}

/** The bridge that works on this folder; undefined if none does, as far as can be seen. */
export function runningBridge(directory: string): number | undefined {
  return runningPid(directory, occupant.name);
}

/**
 * Opens (or makes) the database, durable and of our version.
 * Throws StorageRefused when that cannot be, SQLite's own error or BrokenInvariant when the file is damaged, and an
 * error with code ENOSPC when there is no room. `check` runs before anything is written.
 */
export function openDatabase(path: string, check?: (db: DatabaseSync) => void): DatabaseSync {
  const room = roomFor(path);
  if (room < leastRoom) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  const pages = room < littleRoom ? checkpointPages.little : checkpointPages.ample;
  const db = openDurable(path, { cacheKiB: 8_192, checkpointPages: pages });
  try {
    check?.(db);
    bringUpToDate(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Called when the disk is full: keeps the WAL small, and checkpoints as much of it as possible. */
export function saveRoom(db: DatabaseSync): void {
  db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages.little}; PRAGMA wal_checkpoint(PASSIVE)`);
}

/** Bytes. */
function roomFor(path: string): number {
  const { bavail, bfree, bsize } = statfsSync(dirname(path));
  // What a file system keeps back is for root.
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}

function bringUpToDate(db: DatabaseSync, path: string): void {
  const lacking = lacks(db, outboxSchema, Math.min(stepsIn(db, outboxSchema), outboxSchema.steps.length));
  if (lacking !== undefined) throw new BrokenInvariant(`the schema lacks the ${lacking}`);
  migrate(db, outboxSchema, () => backUpBefore(path, { program: 'pbx-bridge', files: [] }));
}
