/** An open database whose file is no longer under its name: what is written is gone after a restart. */
export class FileMoved extends Error {
  override readonly name = 'FileMoved';
}

/** Kinds of SQLite errors that need different reactions. */
export type StorageErrorKind = 'full' | 'io' | 'busy' | 'corrupt' | 'moved' | 'other';

/** Rows contradict each other: the file is damaged, although SQLite could read it. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';
}

// Extended codes first: they differ from their primary code. Source: https://sqlite.org/rescode.html
const byCode: Readonly<Record<number, StorageErrorKind>> = {
  522: 'corrupt', // IOERR_SHORT_READ: the file ends before its own page count
  8458: 'corrupt', // IOERR_CORRUPTFS
  4874: 'full', // IOERR_SHMSIZE: no room for the WAL's index
  1555: 'corrupt', // CONSTRAINT_PRIMARYKEY: we number rows ourselves, rising, so only a damaged counters collides
  2579: 'corrupt', // CONSTRAINT_ROWID
  5: 'busy',
  6: 'busy',
  8: 'io', // READONLY: a file system that was remounted after errors
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'io', // CANTOPEN
  26: 'corrupt', // NOTADB
};

// Errors of the file system. Source: errno(3)
const byErrno: Readonly<Record<string, StorageErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
  EROFS: 'io',
};

/** Classifies an error of node:sqlite (its `errcode` is SQLite's extended result code) or node:fs. */
export function storageErrorKind(error: unknown): StorageErrorKind {
  if (error instanceof BrokenInvariant) return 'corrupt';
  if (error instanceof FileMoved) return 'moved';
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode !== 'number') return byErrno[String(code)] ?? 'other';
  return byCode[errcode] ?? byCode[errcode & 0xff] ?? 'other';
}

/** The storage is not available: the database cannot be reached, does not answer in time, or takes nothing. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** A change or question was given up: it took longer than it may, or waited longer for others. */
export class TookTooLong extends StoreUnavailable {
  override readonly name = 'TookTooLong';
}

const passing: readonly StorageErrorKind[] = ['full', 'io', 'busy', 'moved'];

/** Whether the same request may succeed later, when there is room or the disk works again. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || passing.includes(storageErrorKind(error));

/** The program refuses to use a database, for a reason that is not an error of SQLite. The message is one line for the operator. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
