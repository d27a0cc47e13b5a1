import type { ApiClient } from '../api/client.ts';
import { apiErrorKinds } from '../api/result.ts';
import { type Delivered, type Search, searchesFor, type Told } from './compare.ts';
import { type HistoryEntry, historyEntry, historyPage } from './history-page.ts';

/** The far side's request history cannot be read now: why, in one line. */
export class HistoryUnreadable extends Error {}

export type HistoryReader = {
  /** What it has of a call, oldest first. Rejects with HistoryUnreadable. */
  entriesOf(callId: string): Promise<HistoryEntry[]>;
  /** True if its newest entry about any call with this beginning of an id can be understood. */
  understands(beginning: string): Promise<boolean>;
  /**
   * Looks for these events with `most` requests at most; what they did not suffice for is unsure. Calls are looked for
   * many at a time, by the beginnings of their ids, newest entries first; a few that are not found are asked for by
   * themselves before that is believed, in case the far side cuts its pages, or finds whole ids only.
   */
  look(delivered: readonly Delivered[], most: number): Promise<Told>;
};

/** Entries of one call: its three events, each sent again a few times. */
const ofOneCall = 50;
/** Pages of one search: three events of each call, and what came after them. */
const mostPages = 4;
/** Calls not found that are asked for by themselves before the rest of a page is believed. */
const samples = 3;
/** No page is smaller. */
const leastLimit = 10;

/** Reads the request history as little as can be. Between two looks it remembers what the far side does with a limit. */
export function createHistoryReader(history: ApiClient['history'], { limit = 1_000 } = {}): HistoryReader {
  /** What a far side takes, and what it gives at most. */
  let pageSize = limit;
  let findsBeginnings = true;

  async function ask(searchTerm: string, size: number, page: number) {
    const result = await history({ searchTerm, limit: size, ...(page > 1 && { page }) });
    if (result.kind === 'failed') throw new HistoryUnreadable(apiErrorKinds[result.error]);
    const isTooMuch = result.status === 400 || result.status === 422;
    if (isTooMuch && size > leastLimit) return undefined;
    const found = historyPage(result.body);
    if (result.status !== 200 || found === undefined) throw new HistoryUnreadable(`HTTP ${result.status}`);
    return found;
  }

  async function entriesOf(callId: string): Promise<HistoryEntry[]> {
    const page = (await ask(callId, ofOneCall, 1)) ?? (await ask(callId, leastLimit, 1));
    // A search finds the id in whatever was sent: also in another call's, of which it is the beginning.
    return (page?.entries ?? [])
      .flatMap((entry) => historyEntry(entry) ?? [])
      .filter((entry) => entry.callId === callId)
      .reverse();
  }

  return {
    entriesOf,

    async understands(beginning) {
      const page = await ask(beginning, leastLimit, 1);
      return (page?.entries ?? []).some((entry) => historyEntry(entry)?.callId.startsWith(beginning));
    },

    async look(delivered, most) {
      const wanted = new Map<string, Set<string>>();
      for (const { callId, status } of delivered) addTo(wanted, callId, status);
      const told = new Map<string, Set<string>>();
      const unsure = new Set<string>();
      let left = most;
      /** Pages of so many entries have been found to be whole. */
      let trusted = 0;

      const isFound = (callId: string) => wanted.get(callId)?.isSubsetOf(told.get(callId) ?? none) ?? true;
      const add = (entry: HistoryEntry | undefined) => {
        if (entry !== undefined && wanted.has(entry.callId)) addTo(told, entry.callId, entry.told);
      };

      /** Asks for one call by itself. */
      async function askFor(callId: string): Promise<void> {
        if (left <= 0) {
          unsure.add(callId);
          return;
        }
        left -= 1;
        unsure.delete(callId);
        for (const entry of await entriesOf(callId)) add(entry);
      }

      /** Gives how many entries the longest page had if all were seen; undefined if there may be more of them. */
      async function search({ term, callIds }: Search): Promise<number | undefined> {
        let longest = 0;
        for (let page = 1; page <= mostPages && left > 0; page++) {
          left -= 1;
          const found = await ask(term, pageSize, page);
          if (found === undefined) {
            pageSize = Math.max(leastLimit, Math.floor(pageSize / 5));
            page = 0;
            continue;
          }
          for (const entry of found.entries) add(historyEntry(entry));
          longest = Math.max(longest, found.entries.length);
          // It gives no more at once: the next searches are narrower.
          if (found.more && longest < pageSize) pageSize = Math.max(leastLimit, longest);
          if (callIds.every(isFound)) return longest;
          if (!found.more && found.entries.length < pageSize) return longest;
          if (found.entries.length === 0) return longest;
        }
        return undefined;
      }

      const searches = findsBeginnings ? searchesFor([...wanted.keys()], pageSize) : [];
      for (const one of searches) {
        const seen = await search(one);
        const lost = one.callIds.filter((callId) => !isFound(callId));
        for (const callId of lost) unsure.add(callId);
        if (seen === undefined || lost.length === 0) continue;
        if (seen > 0 && seen <= trusted) {
          for (const callId of lost) unsure.delete(callId);
          continue;
        }
        const sample = lost.slice(0, samples);
        const before = lost.length;
        for (const callId of sample) await askFor(callId);
        const after = lost.filter((callId) => !isFound(callId)).length;
        if (after === before && sample.every((callId) => !unsure.has(callId))) {
          for (const callId of lost) unsure.delete(callId);
          trusted = Math.max(trusted, seen);
        } else if (seen === 0) findsBeginnings = false;
        else pageSize = Math.max(leastLimit, seen);
      }
      const open = findsBeginnings ? [...unsure] : [...wanted.keys()].filter((callId) => !isFound(callId));
      for (const callId of open) await askFor(callId);
      return { told, unsure };
    },
  };
}

const none: ReadonlySet<string> = new Set();

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}
