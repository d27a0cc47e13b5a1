import type { DatabaseSync } from 'node:sqlite';
import { BrokenInvariant } from '../../storage/trouble.ts';
import { slots } from '../tables/outcomes.ts';
import { eventFaults, isBig } from './check.ts';

/** Rows that are read in one step: about a millisecond, in which nothing else is done. */
const rows = { event: 200, journal: 2 } as const;

/** How far a file has been read through. */
export type Place = { readonly table: keyof typeof rows; readonly after: number };

/** What an event says is true, but those who look for it by an index would not find it. */
const unfound: Readonly<Record<string, string>> = {
  'a call has waiting events, and none at its head': `
    state = 0 AND NOT EXISTS
      (SELECT 1 FROM event AS head WHERE head.call_id = event.call_id AND head.newest_at IS NOT NULL)`,
  'an event is not where its index looks for it': `
    seq IS NOT (SELECT seq FROM event AS same WHERE same.call_id = event.call_id AND same.status = event.status)`,
};

/** Reads a database through in small steps, beside those who work with it. */
export function createExaminer(db: DatabaseSync) {
  const faults = Object.entries({ ...eventFaults, ...unfound }).map(([what, condition]) => ({
    what,
    found: db.prepare(`SELECT 1 FROM event WHERE seq > ? AND seq <= ? AND (${condition}) LIMIT 1`),
  }));
  const lastEvent = db.prepare(
    'SELECT max(seq) AS last FROM (SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT ?)',
  );
  // Whoever asks for the length of a text has read it.
  const attempts = db.prepare(
    'SELECT total(length(outcome) + length(error)) AS read FROM attempt WHERE id >= ? AND id < ?',
  );
  const journal = db.prepare(
    `SELECT max(id) AS last, total(length(lines)) AS read
     FROM (SELECT id, lines FROM journal WHERE id > ? ORDER BY id LIMIT ?)`,
  );

  function examineEvents(after: number): number | null {
    const last = lastEvent.get(after, rows.event)?.last as number | null;
    if (last === null) return null;
    for (const { what, found } of faults) if (found.get(after, last)) throw new BrokenInvariant(what);
    attempts.get((after + 1) * slots, (last + 1) * slots);
    return last;
  }

  return {
    /** Where to begin; undefined if the file is so small that the start has read it through. */
    examineFrom: (): Place | undefined => (isBig(db) ? { table: 'event', after: 0 } : undefined),

    /** Reads on; gives where to go on, undefined at the end. Throws BrokenInvariant, or SQLite's own error. */
    examine({ table, after }: Place): Place | undefined {
      const last =
        table === 'event' ? examineEvents(after) : (journal.get(after, rows.journal)?.last as number | null);
      if (last !== null) return { table, after: last };
      return table === 'event' ? { table: 'journal', after: 0 } : undefined;
    },
  };
}
