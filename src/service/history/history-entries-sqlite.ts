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
