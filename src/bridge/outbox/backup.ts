import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../shared/process/parse-json.ts';
import { type BackupInfo, readBackupInfo, restoreBackup } from '../../shared/storage/backup.ts';
import { writeBackupAside } from '../../shared/storage/backup-aside.ts';
import { lockFolder } from '../../shared/storage/instance-lock.ts';
import { migrate, stepsIn } from '../../shared/storage/migrate.ts';
import { makeFolder, openForReading } from '../../shared/storage/open-database.ts';
import { StorageRefused } from '../../shared/storage/storage-error.ts';
import { checkContradictions } from './recovery/check.ts';
import { databasePath, occupant } from './tables/database.ts';
import { outboxSchema } from './tables/migrations.ts';

const program = 'pbx-bridge';

/** What is in a state, in short. */
type StateSummary = {
  readonly openCalls: number;
  readonly waiting: number;
  readonly dead: number;
  /** Unix ms at which its newest event was queued. */
  readonly newestAt: number | undefined;
};

export type Backup = BackupInfo & StateSummary;

/**
 * Backs up a folder's state into a file, whether its bridge runs or not; undefined when there is none yet.
 * Rejects with a refusal in one line, or the disk's error.
 */
export async function backUp(
  directory: string,
  file: string,
  { overwrite, ...info }: Omit<BackupInfo, 'program'> & { readonly overwrite: boolean },
): Promise<Backup | undefined> {
  const path = databasePath(directory);
  if (!existsSync(path)) return undefined;
  await writeBackupAside(path, file, { info: { program, ...info }, files: [], overwrite });
  return readBackup(file);
}

/** What a backup holds. Throws StorageRefused if it is none of a bridge. */
export function readBackup(file: string): Backup {
  const info = readBackupInfo(file);
  if (info.program !== program) throw new StorageRefused(`${file} is a backup of the ${info.program}`);
  return { ...info, ...summaryOf(file) };
}

type Restored = {
  readonly backup: Backup;
  /** Where the previous state was moved; absent if there was none. */
  readonly aside: readonly string[];
};

/**
 * Replaces the state of a folder by a backup. Throws StorageRefused if a bridge runs there; if the backup is damaged,
 * of a newer version, or of another PBX_ID (`of`), under which its calls would be reported again; and, without
 * `replace`, if there is a state already: events that only this state has would never be reported.
 */
export function restore(
  directory: string,
  file: string,
  { of, now, replace, pid }: { of: string; now: number; replace: boolean; pid: number },
): Restored {
  const backup = readBackup(file);
  // One that was made before an upgrade lay in this very folder, and does not say.
  if (backup.of !== undefined && backup.of !== of) {
    throw new StorageRefused(
      `${file} is of PBX_ID=${backup.of}, and PBX_ID is ${of} here: calls would be reported again under other ids; set PBX_ID=${backup.of}`,
    );
  }
  makeFolder(directory);
  const unlock = lockFolder(directory, occupant, pid);
  try {
    const path = databasePath(directory);
    if (!replace) refuseState(directory, path);
    return { backup, aside: restoreBackup(path, file, { files: [], now, check }) };
  } finally {
    unlock();
  }
}

/** Migrated here, on the copy: if that fails, nothing has changed yet. */
function check(db: DatabaseSync): void {
  migrate(db, outboxSchema);
  checkContradictions(db);
}

function refuseState(directory: string, path: string): void {
  if (!existsSync(path)) return;
  let there: string;
  try {
    const { openCalls, waiting, dead, newestAt } = summaryOf(path);
    if (newestAt === undefined && openCalls === 0) return;
    const newest = newestAt === undefined ? '' : `, the newest event of ${new Date(newestAt).toISOString()}`;
    there = `waiting events: ${waiting}, dead letters: ${dead}, open calls: ${openCalls}${newest}`;
  } catch (error) {
    there = `it cannot be read (${messageOf(error)}); the bridge repairs it when it starts`;
  }
  throw new StorageRefused(
    `there is a state in ${directory} already: ${there}. What the backup does not have of it would never be reported; --replace sets it aside all the same`,
  );
}

function summaryOf(path: string): StateSummary {
  const db = openForReading(path);
  try {
    stepsIn(db, outboxSchema);
    const row = db
      .prepare(
        `SELECT waiting, dead, (SELECT count(*) FROM open_call) AS openCalls,
           (SELECT queued_at FROM event ORDER BY seq DESC LIMIT 1) AS newestAt FROM counters`,
      )
      .get() as { waiting: number; dead: number; openCalls: number; newestAt: number | null };
    return { ...row, newestAt: row.newestAt ?? undefined };
  } finally {
    db.close();
  }
}
