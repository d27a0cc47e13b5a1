import { machineZone } from '../pages/kit/formats.ts';
import { dateAt, daysBetween } from '../reports/calendar.ts';
import type { Account } from '../store/directory-store.ts';
import type { ReportStore } from '../store/store.ts';

/** A month's report has no more days. */
const DAYS = 31;
/** So long after midnight a day's calls have ended, but for a few. */
const SETTLES_MS = 3_600_000;

/**
 * Counts days that are over before anybody asks for them, so that the first report of a month does not wait for every
 * call of it. Gives the work to do now and then: it counts an account's days as they come to their end, and the last 31
 * when it first meets the account, or its zone has changed. What one account throws is thrown when all had their turn.
 */
export function countAhead(reports: ReportStore, accounts: () => readonly Account[], clock: () => number) {
  /** Up to when an account's days are counted, Unix ms, and in which zone. */
  const counted = new Map<number, { readonly zone: string; readonly until: number }>();

  async function count({ id, timeZone }: Account): Promise<void> {
    const now = clock();
    const zone = timeZone ?? machineZone();
    const last = dateAt(now - SETTLES_MS, zone).subtract({ days: 1 });
    const known = counted.get(id);
    const first = known?.zone === zone ? dateAt(known.until, zone) : last.subtract({ days: DAYS - 1 });
    const days = daysBetween(first, last, zone);
    const { until } = days.at(-1) ?? {};
    if (until === undefined) return;
    for await (const _ of reports.figures(id, days, now)); // counting them keeps them
    counted.set(id, { zone, until });
  }

  return async (): Promise<void> => {
    const all = accounts();
    // Another process of the site does the same: from another place, they seldom meet.
    const first = Math.floor(Math.random() * all.length);
    const failures: unknown[] = [];
    for (const account of [...all.slice(first), ...all.slice(0, first)])
      await count(account).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
}
