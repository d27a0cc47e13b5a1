import type { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from '../../../shared/storage/storage-error.ts';
import { highestSeq } from '../tables/counters.ts';

/** Up to this size a database is read through at every start, bytes: it takes a fraction of a second. */
const smallFile = 16 << 20;

/** Each finds what contradicts itself; none may find anything. */
const contradictions: Readonly<Record<string, string>> = {
  'a call has waiting events, and its oldest one is not its next': `
    SELECT 1 FROM event WHERE newest_at IS NULL
      AND seq IN (SELECT min(seq) FROM event WHERE state = 0 GROUP BY call_id)`,
  'a call has several nextEvents': `
    SELECT 1 FROM event WHERE newest_at IS NOT NULL GROUP BY call_id HAVING count(*) > 1`,
  'what is remembered of an open call cannot be read': `
    SELECT 1 FROM open_call WHERE NOT json_valid(state)`,
  'the counters do not fit the events': `
    SELECT 1 FROM counters WHERE waiting <> (SELECT count(*) FROM event WHERE state = 0)
      OR dead <> (SELECT count(*) FROM event WHERE state = 2)
      OR delivered < (SELECT count(*) FROM event WHERE state = 1)
      OR last_seq < (SELECT coalesce(max(seq), 0) FROM event)`,
  'a finished event is the next of its call': `
    SELECT 1 FROM event WHERE newest_at IS NOT NULL AND state <> 0`,
  'an event says something else than its call': `
    SELECT 1 FROM event WHERE CASE WHEN json_valid(body)
      THEN json_extract(body, '$.id') IS NOT call_id OR json_extract(body, '$.status') IS NOT status ELSE TRUE END`,
  'an event has a number that is too high': `
    SELECT 1 FROM event WHERE seq > ${highestSeq}`,
};

/** Checks a database as it is opened. A big one is not read completely, since a start must not wait for that. */
export function checkAtStart(db: DatabaseSync): void {
  const pages = db.prepare('PRAGMA page_count').get()?.page_count as number;
  if (pages * 4096 <= smallFile) checkAll(db, 'integrity_check');
}

/** What is said of a WAL that SQLite reads only in part: what was in the rest cannot be known. */
export const walIsCut = 'SQLite drops complete transactions of the WAL, which is damaged before them';

/**
 * SQLite reads a WAL up to its first wrong checksum and silently drops the rest, acknowledged transactions included. Throws
 * BrokenInvariant if the rest has one that was complete. `wal`: its bytes before the database was opened. (After a power
 * cut the last transaction may be incomplete, which can look the same, but it was not acknowledged.)
 * Source: https://sqlite.org/fileformat2.html, part 4.
 */
export function checkWal(db: DatabaseSync, wal: Buffer): void {
  const [headerSize, frameSize] = [32, 24 + 4096];
  if (wal.length < headerSize + frameSize) return;
  if (!isHeader(wal)) throw new BrokenInvariant(walIsCut);
  const read = Number(db.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.log);
  for (let at = headerSize + Math.max(0, read) * frameSize; at + frameSize <= wal.length; at += frameSize) {
    // Frames of an earlier round of the same file have other salts. A commit has the size of the database.
    const ours = wal.compare(wal, 16, 24, at + 8, at + 16) === 0;
    if (ours && wal.readUInt32BE(at + 4) !== 0) throw new BrokenInvariant(walIsCut);
  }
}

/** Whether a WAL's header is right, by its magic number and its checksum. */
function isHeader(wal: Buffer): boolean {
  if (wal.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return false;
  const word = (at: number) =>
    (wal.readUInt32BE(0) & 1) === 0 ? wal.readUInt32LE(at) : wal.readUInt32BE(at);
  let [a, b] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    a = (a + word(at) + b) >>> 0;
    b = (b + word(at + 4) + a) >>> 0;
  }
  return wal.readUInt32BE(24) === a && wal.readUInt32BE(28) === b;
}

/**
 * Finds damage that would only show later, such as an event that would never be sent. Throws BrokenInvariant or
 * SQLite's own error.
 */
export function checkAll(db: DatabaseSync, how: 'integrity_check' | 'quick_check'): void {
  const result = db.prepare(`PRAGMA ${how}(1)`).get()?.[how];
  if (result !== 'ok') throw new BrokenInvariant(String(result));
  checkContradictions(db);
}

/** Throws BrokenInvariant if rows contradict each other. */
export function checkContradictions(db: DatabaseSync): void {
  for (const [what, sql] of Object.entries(contradictions)) {
    if (db.prepare(`${sql} LIMIT 1`).get()) throw new BrokenInvariant(what);
  }
}
