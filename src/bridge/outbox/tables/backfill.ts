import type { DatabaseSync } from 'node:sqlite';

/** What is stored of the call records of the past, opaque texts (see `cdr/backfill-state.ts`). */
export type StoredBackfill = {
  /** What an operator wants; null: nothing, or no more. */
  readonly wish: string | null;
  readonly progress: string | null;
  /** What a dry run has found. */
  readonly dry: string | null;
  /** When the bridge that keeps this state began, Unix ms: later calls are its own. */
  readonly bridgeSince: number;
};

type Column = 'wish' | 'progress' | 'dry';

const save = (column: Column) =>
  `INSERT INTO backfill (id, ${column}) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET ${column} = excluded.${column}`;

/** The bridge writes how far it is, operators what they want, while it runs. */
export function createBackfillTable(db: DatabaseSync) {
  const select = db.prepare(
    `SELECT (SELECT min(at) FROM written_by) AS bridgeSince, b.wish, b.progress, b.dry
     FROM (SELECT 1 AS id) LEFT JOIN backfill b USING (id)`,
  );
  const saves = {
    wish: db.prepare(save('wish')),
    progress: db.prepare(save('progress')),
    dry: db.prepare(save('dry')),
  };
  return {
    backfill: () => select.get() as StoredBackfill,
    saveBackfill: (column: Column, text: string | null): void => void saves[column].run(text),
  };
}
