import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import type { Account } from '../accounts/directory-store.ts';
import type { ReportStore } from '../calls/report-store.ts';
import { formatsFor } from '../kit/formats.ts';
import { wordsFor } from '../words/words.ts';
import { dueWeek, weeklyReport, weeklyReportMail } from './weekly-report.ts';
import type { WeeklyStore } from './weekly-store.ts';

/**
 * Mails the report of the last week to users who have not received it. A week is claimed in the store before it is
 * sent, so that only one of several processes sends it; if the mail server refuses it, the claim is withdrawn.
 */
export async function sendWeeklyReports(
  {
    store,
    mailer,
    origin,
    log,
  }: {
    store: { readonly reports: ReportStore; readonly weekly: WeeklyStore };
    mailer: Mailer;
    origin: string;
    log: Log;
  },
  accounts: readonly Account[],
  now: number,
): Promise<void> {
  for (const account of accounts) {
    const { timeZone } = formatsFor(account.timeZone);
    const monday = dueWeek(now, timeZone);
    const week = monday.toString();
    for (const { user, address, language, sent } of await store.weekly.due(account.id, week)) {
      if (!(await store.weekly.move(user, sent, week))) continue;
      const words = wordsFor(language);
      try {
        const formats = formatsFor(account.timeZone, words.locale);
        const report = await weeklyReport(store, account, monday, words, formats, now);
        const link = `${origin}/reports/week?of=${week}`;
        await mailer.send({ to: address, ...weeklyReportMail(report, account.name, link, words) });
      } catch (error) {
        await store.weekly.move(user, week, sent);
        log.say('service.weekly-report-failed', { user, error });
      }
    }
  }
}
