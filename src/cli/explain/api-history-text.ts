import type { HistoryEntry } from '../../shared/delivery/history-page.ts';
import { clockTime } from '../text/format-text.ts';

/** Describes what the API's request history has of a call; a string is the reason why it could not be read. */
export function apiHistoryText(entries: readonly HistoryEntry[] | string, now: number): string {
  if (typeof entries === 'string') return entries;
  if (entries.length === 0) return 'no entry for this call';
  return entries
    .map(({ status, at, httpStatus }) => {
      const when = at === undefined ? '' : ` at ${clockTime(at, now)}`;
      return `${status}${when}${httpStatus === undefined ? '' : ` (${httpStatus})`}`;
    })
    .join(', ');
}
