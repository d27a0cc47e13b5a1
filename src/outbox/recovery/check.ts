import type { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from '../../storage/storage-error.ts';
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
