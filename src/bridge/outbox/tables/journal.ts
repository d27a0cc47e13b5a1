import type { DatabaseSync } from 'node:sqlite';

/**
 * The journal, in chunks of lines, which are opaque here. A row's id is the number of characters written so far, so
 * that the size of the journal is the difference of two ids. There is no index: a search reads everything, and a write
 * costs one row per batch. A repair starts a new journal.
 */
export function createJournal(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO journal (id, at, lines) SELECT coalesce(max(id), 0) + ?, ?, ? FROM journal',
  );
  const ends = db.prepare('SELECT max(id) AS last FROM journal');
  const oldest = db.prepare('SELECT id, at FROM journal ORDER BY id LIMIT ?');
  const forget = db.prepare('DELETE FROM journal WHERE id <= ?');

  return {
    /** Runs inside the caller's transaction, beside the changes that the lines describe. */
    writeLines(lines: string, at: number): void {
      if (lines !== '') write.run(lines.length, at, lines);
    },

    /**
     * One step of deleting lines that were written before `before` (Unix ms), or are beyond `most` characters; reads
     * `limit` rows. Returns how many it deleted.
     */
    pruneJournal(before: number, most: number, limit: number): number {
      const last = (ends.get()?.last ?? 0) as number;
      const rows = oldest.all(limit) as { id: number; at: number }[];
      const old = rows.filter(({ id, at }) => at < before || id <= last - most);
      const newestOld = old.at(-1);
      return newestOld === undefined ? 0 : Number(forget.run(newestOld.id).changes);
    },
  };
}
