import type { DatabaseSync } from 'node:sqlite';
import { CHUNK_SIZE } from './history-paging.ts';
import type { HistoryCursor, StoredRequest } from './request-store.ts';

/** Returns the first of these entries that make a chunk, and how many of the places that took. */
export function historyEntries(db: DatabaseSync) {
  const byId = db.prepare(
    `SELECT id, integration_id AS integration, created_at AS at, method, path, request, status, response, duration,
       effect
     FROM history WHERE id = ?`,
  );
  return (places: readonly HistoryCursor[]): { entries: StoredRequest[]; taken: number } => {
    const entries: StoredRequest[] = [];
    let taken = 0;
    for (let size = 0; taken < places.length && size < CHUNK_SIZE; taken += 1) {
      const entry = byId.get((places[taken] as HistoryCursor).id) as StoredRequest | undefined;
      if (entry === undefined) continue; // deleted by the retention since it was found
      size += entry.request.length + (entry.response?.length ?? 0);
      entries.push(entry);
    }
    return { entries, taken };
  };
}

/** Rows deleted in one go, so that no event waits long behind it. */
const STEP = 1000;

/**
 * Deletes the oldest entries of the history, one step per call; returns the number of deleted rows, 0 when it is done.
 */
export function trimmer(db: DatabaseSync, removed: (account: number, rows: number) => void) {
  const accounts = db.prepare('SELECT account_id AS account, entries FROM history_counts');
  const byAge = db.prepare(
    `DELETE FROM history WHERE id IN
       (SELECT id FROM history WHERE account_id = ? AND created_at < ? ORDER BY created_at, id LIMIT ${STEP})`,
  );
  const oldest = db.prepare(
    `DELETE FROM history WHERE id IN
       (SELECT id FROM history WHERE account_id = ? ORDER BY created_at, id LIMIT ?)`,
  );
  return (limits: { before?: number; keep?: number; account?: number }): number => {
    for (const { account, entries } of accounts.all() as { account: number; entries: number }[]) {
      if (limits.account !== undefined && limits.account !== account) continue;
      const excess = limits.keep === undefined ? 0 : Math.min(STEP, entries - limits.keep);
      let rows = 0;
      if (limits.before !== undefined) rows = Number(byAge.run(account, limits.before).changes);
      else if (excess > 0) rows = Number(oldest.run(account, excess).changes);
      if (rows > 0) {
        removed(account, rows);
        return rows;
      }
    }
    return 0;
  };
}
