import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from './migrations.ts';

/** Opens the database for writing, makes it if needed, and refuses if a commit would not be durable. */
export function openForWriting(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    chmodSync(file, 0o600); // callers' numbers; SQLite gives -wal and -shm the same mode
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec('PRAGMA foreign_keys = ON');
    db.exec('PRAGMA cache_size = -32768');
    // The commit that meets the limit copies the WAL (32 MB) and waits for two more fsyncs: it must be a rare one.
    db.exec('PRAGMA wal_autocheckpoint = 8000');
    const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
    const journal = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
    if (synchronous !== 2 || journal !== 'wal') {
      throw new Error(`${file} is not durable: synchronous ${synchronous}, journal ${journal}`);
    }
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens an existing database for reading only: sees what is committed, waits for nobody. */
export function openForReading(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  db.exec('PRAGMA cache_size = -16384');
  return db;
}
