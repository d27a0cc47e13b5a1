import type { ApiClient } from '../api/client.ts';
import { apiErrorKinds } from '../api/result.ts';
import { type Delivered, type Recorded, searchesFor } from './compare.ts';
import { type HistoryEntry, type HistoryPage, historyEntry, historyPage } from './history-page.ts';

/** The API's request history cannot be read now: why, in one line. */
export class HistoryUnreadable extends Error {}

/** Entries of a page: no API is known to refuse this many. */
const limit = 100;
/** Most calls of one search, and most pages that it reads: three events of each call, and newer entries. */
const callsPerSearch = 300;
const pagesPerSearch = 12;

export type HistoryReader = ReturnType<typeof createHistoryReader>;

export function createHistoryReader(history: ApiClient['history']) {
  async function read(searchTerm: string, next?: string): Promise<HistoryPage> {
    const result = await history({ searchTerm, limit, ...(next !== undefined && { next }) });
    if (result.kind === 'failed') throw new HistoryUnreadable(apiErrorKinds[result.error]);
    const page = historyPage(result.body);
    if (result.status !== 200 || page === undefined) throw new HistoryUnreadable(`HTTP ${result.status}`);
    return page;
  }

  /**
   * A search finds the id anywhere in a request, so also as the beginning of other calls' ids. `isWhole`: all that it finds
   * is on one page.
   */
  async function search(callId: string) {
    const { entries, next } = await read(callId);
    const known = entries.flatMap((entry) => historyEntry(entry) ?? []);
    return {
      entries: known.filter((entry) => entry.callId === callId).reverse(),
      isWhole: next === undefined && entries.length < limit,
    };
  }

  return {
    /** Its entries of a call, oldest first. Rejects with HistoryUnreadable. */
    entriesOf: async (callId: string): Promise<HistoryEntry[]> => (await search(callId)).entries,

    /** True if it can read the newest entry of any call whose id begins with this. */
    async understands(beginning: string) {
      const { entries } = await read(beginning);
      return entries.some((entry) => historyEntry(entry)?.callId.startsWith(beginning));
    },

    /**
     * Looks for these events, with at most `most` requests. It searches for many calls at a time, by the beginnings of
     * their ids, and then for each call that was not found.
     */
    async find(delivered: readonly Delivered[], most: number): Promise<Recorded> {
      const recorded = new Map<string, Set<string>>();
      const unread = new Set<string>();
      let left = most;
      const isFound = ({ callId, status }: Delivered) => recorded.get(callId)?.has(status);
      const add = ({ callId, status }: HistoryEntry) => {
        recorded.set(callId, (recorded.get(callId) ?? new Set()).add(status));
      };
      const ofCall = Map.groupBy(delivered, ({ callId }) => callId);

      for (const { term, callIds } of searchesFor([...ofCall.keys()], callsPerSearch)) {
        const missing = () => callIds.filter((callId) => !ofCall.get(callId)?.every(isFound));
        let next: string | undefined;
        for (let page = 1; page <= pagesPerSearch && left > 0 && missing().length > 0; page++) {
          left -= 1;
          const found = await read(term, next);
          for (const entry of found.entries) {
            const known = historyEntry(entry);
            if (known) add(known);
          }
          next = found.next;
          if (next === undefined) break;
        }
        for (const callId of missing()) {
          left -= 1;
          const found = left < 0 ? undefined : await search(callId);
          for (const entry of found?.entries ?? []) add(entry);
          if (!found?.isWhole) unread.add(callId);
        }
      }
      return { recorded, unread };
    },
  };
}
