import { formatsFor } from './pages/formats.ts';
import { dateAt, daysBetween } from './reports/calendar.ts';
import type { Account } from './store/directory-store.ts';
import type { ReportStore } from './store/store.ts';

/** A month's report has no more days. */
const DAYS = 31;
/** So long after midnight a day's calls have ended, but for a few. */
const SETTLES_MS = 3_600_000;

/**
 * Counts days that are over before anybody asks for them, so that the first report of a month does not wait for every
 * call of it. Gives the work to do now and then: it counts an account's days when there is a new one.
 */
export function countAhead(reports: ReportStore, accounts: () => readonly Account[], clock: () => number) {
  /** The last day that is counted, by account. */
  const counted = new Map<number, string>();
  return async (): Promise<void> => {
    for (const { id, timeZone } of accounts()) {
      const zone = formatsFor(timeZone).timeZone;
      const last = dateAt(clock() - SETTLES_MS, zone).subtract({ days: 1 });
      if (counted.get(id) === last.toString()) continue;
      const days = daysBetween(last.subtract({ days: DAYS - 1 }), last, zone);
      await Array.fromAsync(reports.figures(id, days, clock()));
      counted.set(id, last.toString());
    }
  };
}
