import { closeSync, existsSync, fsyncSync, openSync, readdirSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { partOf, replaceDatabase, sync } from '../../storage/replace.ts';
import { isEventOf, isOfSmallTable } from './glance.ts';
import { copyRows, damagedName, fillNew, makeHeads } from './repair.ts';
import { salvage } from './salvage.ts';

/**
 * Numbers that are left free for events which are in the damaged file and not in its newest counters that could be
 * read: of those, a WAL holds far fewer.
 */
const spareNumbers = 1_000_000;

/**
 * The mark that a damaged file was set aside before all that can be read was saved of it; what is in it: the bytes of
 * its WAL.
 */
export function unsavedMark(aside: string): string {
  return `${aside}.unsaved`;
}

/** Damaged files of the database at `path` of which not all is saved, the oldest first. */
export function unsavedOf(path: string): string[] {
  const begin = `${basename(path)}.damaged-`;
  const end = unsavedMark('');
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(begin) && name.endsWith(end))
    .sort()
    .map((name) => join(dirname(path), name.slice(0, -end.length)));
}

/**
 * As `repair`, but puts only that into the new database which a start cannot do without: the open calls and all their
 * events, so that nothing new of a call goes before what was. The rest, of calls that are over, can come in any time
 * later (rescue.ts). It takes a glance at each row, a tenth of the time. Gives where the damaged file is now; undefined
 * if not even the counters can be read: then nothing was done, and nobody knows which numbers are free.
 */
export function repairQuickly(path: string, stamp: string, wal: Buffer): string | undefined {
  const isKnown = fillNew(partOf(path), (db) => {
    copyRows(db, salvage(path, wal, isOfSmallTable));
    if (countersOf(db).last_seq === 0) return false;
    const open = db.prepare('SELECT id FROM open_call').all();
    copyRows(db, salvage(path, wal, isEventOf(open.map(({ id }) => id as string))));
    makeHeads(db);
    countThese(db);
    return true;
  });
  if (!isKnown) return undefined;
  const aside = damagedName(path, stamp);
  writeMark(unsavedMark(aside), wal);
  replaceDatabase(path, aside);
  return aside;
}

/** The name for a damaged database whose replacement was killed: the one that its mark has. */
export function asideOf(path: string, stamp: string): string {
  return unsavedOf(path).findLast((aside) => !existsSync(aside)) ?? damagedName(path, stamp);
}

function countersOf(db: DatabaseSync): Record<string, number> {
  return db.prepare('SELECT * FROM tally').get() as Record<string, number>;
}

/** What was ever delivered is in the old counters; what waits is counted when it comes. */
function countThese(db: DatabaseSync): void {
  db.exec(`
    UPDATE tally SET last_seq = last_seq + ${spareNumbers},
      waiting = (SELECT count(*) FROM event WHERE state = 0),
      dead = (SELECT count(*) FROM event WHERE state = 2);
    UPDATE tally SET taken = delivered + waiting + dead`);
}

function writeMark(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  sync(dirname(path));
}
