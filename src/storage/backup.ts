import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../process/message-of.ts';
import { openForReading } from './open-database.ts';
import { StorageRefused } from './refused.ts';
import { partOf, replaceDatabase, stampOf, sync } from './replace.ts';
import { troubleOf } from './trouble.ts';

/** What a backup says of itself. */
export type BackupNote = {
  readonly program: string;
  /** The program's. */
  readonly version?: string;
  /** Whose state it is, where there are several. */
  readonly of?: string;
  /** Unix ms. */
  readonly madeAt: number;
};

export type BackupOptions = {
  readonly note: BackupNote;
  /** Small files beside the database that belong to it; one that is not there is none to keep. */
  readonly files: readonly string[];
  readonly overwrite: boolean;
};

/** In the backup only; no row of ours is like its row, so that no repair could ever take it for one. */
const noteTable = 'CREATE TABLE backup (format INTEGER, made_at INTEGER, note TEXT, files TEXT) STRICT';

/**
 * Writes what is committed in the database at `path`, and what belongs to it, into one file for its owner alone, on
 * disk when this returns. Whoever writes there meanwhile is not held up: it is one long read. The file is read through
 * before it gets its name. Throws StorageRefused, or the error of SQLite or the disk; then there is no file.
 */
export function writeBackup(path: string, target: string, { note, files, overwrite }: BackupOptions): void {
  refuseThere(target, overwrite);
  const part = partOf(target);
  // Before the database: of two that are not of one moment the files must be the older.
  const beside = JSON.stringify(Object.fromEntries(files.flatMap((name) => contentOf(path, name))));
  rmSync(part, { force: true });
  closeSync(openSync(part, 'wx', 0o600));
  try {
    copyCommitted(path, part);
    const copy = new DatabaseSync(part);
    try {
      copy.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; ${noteTable}`);
      const { madeAt, ...rest } = note;
      copy.prepare('INSERT INTO backup VALUES (1, ?, ?, ?)').run(madeAt, JSON.stringify(rest), beside);
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
    if (troubleOf(error) !== 'corrupt') throw error;
    throw damaged(path, messageOf(error));
  } finally {
    db.close();
  }
}

/** What a backup says of itself. Throws StorageRefused if it is none. */
export function readNote(file: string): BackupNote {
  return withCopy(file, { readOnly: true }, (db) => noteIn(db, file));
}

export type RestoreOptions = {
  /** Names of files that a backup may bring back beside the database. */
  readonly files: readonly string[];
  /** Unix ms; goes into the names of what is set aside. */
  readonly now: number;
  /** Looks at the tables; throws if they are not to be restored. */
  readonly check: (db: DatabaseSync) => void;
};

/**
 * Puts a backup in the place of the database at `path`, which nobody has open. What was there is set aside. Killed at
 * any moment, the old state is still there or `finishReplacement` ends it. Gives the names of what was set aside.
 * Throws StorageRefused if the backup is damaged, or none.
 */
export function restoreBackup(path: string, file: string, { files, now, check }: RestoreOptions): string[] {
  const part = partOf(path);
  rmSync(part, { force: true });
  copyFileSync(file, part);
  chmodSync(part, 0o600);
  let beside: Record<string, string>;
  try {
    beside = withCopy(part, {}, (db) => {
      noteIn(db, file);
      assertWhole(db, file, 'integrity_check');
      db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
      check(db);
      const row = db.prepare('SELECT files FROM backup').get();
      db.exec('DROP TABLE backup');
      return JSON.parse(row?.files as string) as Record<string, string>;
    });
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  const aside: string[] = [];
  const setAside = (one: string): string => `${one}.replaced-${stampOf(now)}`;
  // Before the database, as when they were saved.
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
    throw new StorageRefused(`${target} is there already: name another file, or add --overwrite`);
}

function withCopy<T>(file: string, options: { readOnly?: boolean }, work: (db: DatabaseSync) => T): T {
  if (!existsSync(file)) throw new StorageRefused(`there is no ${file}`);
  const db = new DatabaseSync(file, options);
  try {
    return work(db);
  } catch (error) {
    if (error instanceof StorageRefused || troubleOf(error) !== 'corrupt') throw error;
    throw damaged(file, messageOf(error));
  } finally {
    db.close();
  }
}

function noteIn(db: DatabaseSync, file: string): BackupNote {
  const isBackup = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get();
  const row = isBackup && db.prepare('SELECT made_at, note FROM backup WHERE format = 1').get();
  if (!row) throw new StorageRefused(`${file} is no backup that pbx-bridge has made`);
  return { ...(JSON.parse(row.note as string) as Omit<BackupNote, 'madeAt'>), madeAt: row.made_at as number };
}

function assertWhole(db: DatabaseSync, file: string, how: 'quick_check' | 'integrity_check'): void {
  const verdict = db.prepare(`PRAGMA ${how}(1)`).get()?.[how];
  if (verdict !== 'ok') throw damaged(file, String(verdict));
}

function damaged(file: string, why: string): StorageRefused {
  return new StorageRefused(`${file} is damaged: ${why}`);
}
