import type { HistoryEntry } from '../../delivery/history-page.ts';
import { clockTime } from '../format-text.ts';

/** What the far side has of a call in words; a text is the reason why that is not known. */
export function farSideText(entries: readonly HistoryEntry[] | string, now: number): string {
  if (typeof entries === 'string') return entries;
  if (entries.length === 0) return 'its history has nothing of this call';
  return entries
    .map(({ told, at, httpStatus }) => {
      const when = at === undefined ? '' : ` at ${clockTime(at, now)}`;
      return `${told}${when}${httpStatus === undefined ? '' : ` (${httpStatus})`}`;
    })
    .join(', ');
}
