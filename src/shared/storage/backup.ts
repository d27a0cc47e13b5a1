import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../process/parse-json.ts';
import { version } from '../process/version.ts';
import { makeFolder, openForReading } from './open-database.ts';
import { partOf, replaceDatabase, stampOf, sync } from './replace.ts';
import { StorageRefused, storageErrorKind } from './storage-error.ts';

/** The description stored in a backup. */
export type BackupInfo = {
  readonly program: string;
  /** Version of the program; `writeBackup` adds its own. */
  readonly version?: string;
  /** The owner of the state, such as the PBX_ID. */
  readonly of?: string;
  /** Unix ms. */
  readonly madeAt: number;
};

export type BackupOptions = {
  readonly info: BackupInfo;
  /** Small files next to the database that belong to it. Missing ones are skipped. */
  readonly files: readonly string[];
  readonly overwrite: boolean;
};

/** Only in backups. Its columns differ from all our tables, so that a repair cannot mistake its row for one of theirs. */
const infoTable = 'CREATE TABLE backup (format INTEGER, made_at INTEGER, note TEXT, files TEXT) STRICT';

/**
 * Writes the committed state of the database at `path` and its files into one file that only the owner can read; on disk
 * when this returns. Writers are not blocked: it is one long read. The file is checked before it gets its name.
 * Throws StorageRefused, or the error of SQLite or the disk; no file is left then.
 */
export function writeBackup(path: string, target: string, { info, files, overwrite }: BackupOptions): void {
  refuseThere(target, overwrite);
  const part = partOf(target);
  // Read before the database, since the files must not be newer than it.
  const beside = JSON.stringify(Object.fromEntries(files.flatMap((name) => contentOf(path, name))));
  rmSync(part, { force: true });
  closeSync(openSync(part, 'wx', 0o600));
  try {
    copyCommitted(path, part);
    const copy = new DatabaseSync(part);
    try {
      copy.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; ${infoTable}`);
      const { madeAt, ...rest } = info;
      copy
        .prepare('INSERT INTO backup VALUES (1, ?, ?, ?)')
        .run(madeAt, JSON.stringify({ version, ...rest }), beside);
      assertWhole(copy, path, 'quick_check');
    } finally {
      copy.close();
    }
    sync(part);
    refuseThere(target, overwrite);
    renameSync(part, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function copyCommitted(path: string, part: string): void {
  const db = openForReading(path);
  try {
    db.prepare('VACUUM INTO ?').run(part);
  } catch (error) {
    if (storageErrorKind(error) !== 'corrupt') throw error;
    throw damaged(path, messageOf(error));
  } finally {
    db.close();
  }
}

/**
 * Backs up the database at `path` before a newer version changes it: `backups/before-1.1.0-of-NAME` beside it. One that
 * is there from an earlier upgrade is replaced, since the database may have gone back and been written to after it.
 * Throws StorageRefused if it cannot be written.
 */
export function backUpBefore(
  path: string,
  { program, files }: { readonly program: string; readonly files: readonly string[] },
): void {
  const folder = join(dirname(path), 'backups');
  const target = join(folder, `before-${version}-of-${basename(path)}`);
  process.stderr.write(
    `pbx-bridge: ${path} is from an older version: it is backed up to ${target}, and then brought up to date\n`,
  );
  try {
    makeFolder(folder);
    writeBackup(path, target, { info: { program, madeAt: Date.now() }, files, overwrite: true });
  } catch (error) {
    throw new StorageRefused(
      `${path} is from an older version and cannot be backed up to ${target} before it is brought up to date (${messageOf(error)}): make room there and start again; nothing was changed`,
    );
  }
}

/** Reads the description of a backup. Throws StorageRefused if the file is not a backup. */
export function readBackupInfo(file: string): BackupInfo {
  return withCopy(file, { readOnly: true }, (db) => infoIn(db, file));
}

export type RestoreOptions = {
  /** Names of files next to the database that are restored too. */
  readonly files: readonly string[];
  /** Unix ms; part of the names of files set aside. */
  readonly now: number;
  /** Checks the tables; throws if they must not be restored. */
  readonly check: (db: DatabaseSync) => void;
};

/**
 * Replaces the closed database at `path` by a backup. Existing files are set aside; their new names are returned. If the
 * process is killed, either the old state is still in place or `finishReplacement` completes the replacement.
 * Throws StorageRefused if the file is damaged or not a backup.
 */
export function restoreBackup(path: string, file: string, { files, now, check }: RestoreOptions): string[] {
  const part = partOf(path);
  rmSync(part, { force: true });
  copyFileSync(file, part);
  chmodSync(part, 0o600);
  let beside: Record<string, string>;
  try {
    beside = withCopy(part, {}, (db) => {
      infoIn(db, file);
      assertWhole(db, file, 'integrity_check');
      db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
      check(db);
      const row = db.prepare('SELECT files FROM backup').get();
      db.exec('DROP TABLE backup');
      return JSON.parse(row?.files as string) as Record<string, string>;
    });
  } catch (error) {
    rmSync(part, { force: true });
    // What is looked at is a copy, which is gone: name the file that was given.
    if (error instanceof StorageRefused) throw new StorageRefused(error.message.replace(part, () => file));
    throw error;
  }
  const aside: string[] = [];
  const setAside = (one: string): string => `${one}.replaced-${stampOf(now)}`;
  // Before the database, as in the backup.
  for (const name of files) {
    const there = join(dirname(path), name);
    if (existsSync(there)) {
      copyFileSync(there, setAside(there));
      aside.push(setAside(there));
    }
    const content = beside[name];
    if (content === undefined) rmSync(there, { force: true });
    else writeWhole(there, content);
  }
  if (existsSync(path)) aside.push(setAside(path));
  replaceDatabase(path, setAside(path));
  return aside;
}

function writeWhole(path: string, content: string): void {
  writeFileSync(partOf(path), content, { mode: 0o600, flush: true });
  renameSync(partOf(path), path);
}

function contentOf(path: string, name: string): [string, string][] {
  const file = join(dirname(path), name);
  return existsSync(file) ? [[name, readFileSync(file, 'utf8')]] : [];
}

function refuseThere(target: string, overwrite: boolean): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there !== undefined && !(overwrite && there.isFile()))
    throw new StorageRefused(`${target} exists: choose another file, or add --overwrite`);
}

function withCopy<T>(file: string, options: { readOnly?: boolean }, work: (db: DatabaseSync) => T): T {
  refuseUnreadable(file);
  const db = new DatabaseSync(file, options);
  try {
    return work(db);
  } catch (error) {
    if (error instanceof StorageRefused || storageErrorKind(error) !== 'corrupt') throw error;
    throw damaged(file, messageOf(error));
  } finally {
    db.close();
  }
}

/** SQLite does not say why it cannot open a file. */
function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new StorageRefused(`${file} does not exist`);
  }
}

function infoIn(db: DatabaseSync, file: string): BackupInfo {
  const isBackup = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get();
  const row = isBackup && db.prepare('SELECT made_at, note FROM backup WHERE format = 1').get();
  if (!row) throw new StorageRefused(`${file} is not a backup of pbx-bridge`);
  return { ...(JSON.parse(row.note as string) as Omit<BackupInfo, 'madeAt'>), madeAt: row.made_at as number };
}

function assertWhole(db: DatabaseSync, file: string, how: 'quick_check' | 'integrity_check'): void {
  const result = db.prepare(`PRAGMA ${how}(1)`).get()?.[how];
  if (result !== 'ok') throw damaged(file, String(result));
}

function damaged(file: string, why: string): StorageRefused {
  return new StorageRefused(`${file} is damaged: ${why}`);
}
