import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import { mailAddress } from '../../shared/mail/mail-address.ts';
import type { Account } from '../accounts/directory-store.ts';
import { quantile, type ReportStore, serviceLevel } from '../calls/aggregate.ts';
import { dateAt, dateIn, daysBetween } from '../kit/calendar.ts';
import { changeForm, field } from '../kit/form.ts';
import { type Formats, formatsFor } from '../kit/formats.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { type Html, html, render } from '../words/html.ts';
import { type Words, wordsFor } from '../words/words.ts';
import { makeReport, type Report } from './call-report.ts';
import { missedRate, percent, seconds } from './report-tables.ts';
import type { WeeklyStore } from './weekly-store.ts';

type WeeklyReport = {
  readonly title: string;
  readonly heads: readonly string[];
  /** Each a label, the figure of the week, and that of the week before. */
  readonly figures: readonly (readonly [label: string, now: string, before: string])[];
  readonly dayHeads: readonly string[];
  readonly days: readonly (readonly string[])[];
};

/** The Monday of the last week that is over. */
export function lastWeek(now: number, timeZone: string): Temporal.PlainDate {
  const today = dateAt(now, timeZone);
  return today.subtract({ days: today.dayOfWeek + 6 });
}

/** A week's report is mailed on Monday from seven o'clock on, in the account's time zone. */
const MAILED_MS = 7 * 3_600_000;

/** The Monday of the last week whose report is due by mail. */
const dueWeek = (now: number, timeZone: string): Temporal.PlainDate => lastWeek(now - MAILED_MS, timeZone);

/** A week's figures beside those of the week before. */
async function weeklyReport(
  { reports }: { readonly reports: ReportStore },
  { id, answerWithin }: Account,
  monday: Temporal.PlainDate,
  { weekly: words }: Words,
  formats: Formats,
  now: number,
): Promise<WeeklyReport> {
  const { timeZone, locale } = formats;
  const read = async (first: Temporal.PlainDate): Promise<Report> => {
    const days = daysBetween(first, first.add({ days: 6 }), timeZone);
    return makeReport({ step: 'day' }, days, timeZone, reports.figures(id, days, now));
  };
  const [week, before] = [await read(monday), await read(monday.subtract({ days: 7 }))];
  const number = (value: number) => formats.number(value);
  const share = (value: number | null) => percent(value, locale);
  const figures = (
    [
      [words.calls, ({ all }) => number(all.calls)],
      [words.answered, ({ all }) => number(all.answered)],
      [words.missed, ({ all }) => number(all.missed)],
      [words.missedRate, ({ all }) => share(missedRate(all))],
      [words.answeredWithin(answerWithin), ({ all }) => share(serviceLevel(all, answerWithin))],
      [words.timeToAnswer, ({ all }) => seconds(quantile(all.waited, 0.5))],
      [words.duration, ({ all }) => seconds(quantile(all.talked, 0.5))],
    ] as readonly (readonly [string, (report: Report) => string])[]
  ).map(([label, value]) => [label, value(week), value(before)] as const);
  const day = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });
  const long = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' });
  return {
    title: words.title(long.format(monday), long.format(monday.add({ days: 6 }))),
    heads: [words.figure, words.thisWeek, words.before],
    figures,
    dayHeads: [words.day, words.calls, words.answered, words.missed],
    days: week.series.map(({ first, calls, answered, missed }) => [
      day.format(first),
      ...[calls, answered, missed].map(number),
    ]),
  };
}

/** The report as a part of a page, or of a mail. */
function weeklyReportBody({ heads, figures, dayHeads, days }: WeeklyReport): Html {
  const table = (
    columns: readonly string[],
    rows: readonly (readonly string[])[],
  ) => html`<div class="table" role="region" aria-label=${columns[0]} tabindex="0"><table>
    <thead><tr>${columns.map((head, at) => html`<th scope="col" class=${at > 0 && 'numeric'} align=${at > 0 ? 'right' : 'left'}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td class=${at > 0 && 'numeric'} align=${at > 0 ? 'right' : 'left'}>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
  return html`${table(heads, figures)}<br />${table(dayHeads, days)}`;
}

/** The report as a mail; `address`: of its page. */
function weeklyReportMail(report: WeeklyReport, account: string, address: string, words: Words) {
  const lines = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
    [heads, ...rows].map(([first, ...others]) => `${first}: ${others.join(' / ')}`);
  const body = html`<html lang=${words.language}><head><meta charset="utf-8" /><title>${report.title}</title></head><body>
    <h1>${report.title}</h1><p>${account}</p>${weeklyReportBody(report)}
    <p><a href=${address}>${words.weekly.open}</a></p><p>${words.weekly.why}</p></body></html>`;
  return {
    subject: `${account}: ${report.title}`,
    text: [
      ...[report.title, account, ''],
      ...[...lines(report.heads, report.figures), ''],
      ...[...lines(report.dayHeads, report.days), ''],
      ...[`${words.weekly.open}: ${address}`, words.weekly.why, ''],
    ].join('\n'),
    html: `<!doctype html>${render(body)}`,
  };
}

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

/** The report of a week as it is mailed, to print; and where it is mailed to. */
export function weekPages(
  pages: Pages,
  store: { reports: ReportStore; weekly: WeeklyStore },
  mails: boolean,
): void {
  async function page(request: PageRequest, error?: string): Promise<Page> {
    const { account, words, formats, now, query, user, token, form } = request;
    const last = lastWeek(now, formats.timeZone);
    const asked = dateIn(query.get('of'));
    const monday = asked ? asked.subtract({ days: asked.dayOfWeek - 1 }) : last;
    const report = await weeklyReport(store, account, monday, words, formats, now);
    const address = form.get('address') ?? (await store.weekly.address(user.id)) ?? '';
    const text = words.weekly;
    return {
      title: report.title,
      ...(error && { status: 422 }),
      body: html`
        <p class="quiet"><a href="/reports">← ${words.layout.reports}</a></p>
        <h1>${report.title}</h1>
        ${weeklyReportBody(report)}
        ${
          !mails
            ? html`<p class="quiet save">${text.noMail}</p>`
            : changeForm(
                { action: '/reports/week', token, label: text.heading },
                html`<h2>${text.heading}</h2>
                  ${field({ label: text.address, name: 'address', value: address, maxlength: 254, hint: text.hint, errors: error ? { address: error } : null })}
                  <button type="submit">${words.common.save}</button>`,
              )
        }`,
    };
  }
  pages.get('/reports/week', 'agent', (request) => page(request));
  pages.post('/reports/week', 'agent', async (request) => {
    const address = (request.form.get('address') ?? '').trim();
    if (address.length > 254 || (address !== '' && !mailAddress.test(address)))
      return page(request, request.words.weekly.badAddress);
    const sent = dueWeek(request.now, request.formats.timeZone).toString();
    await store.weekly.put(request.user.id, address || null, sent);
    await request.audit('settings', `weekly report to ${address || 'no one'}`);
    return { redirect: '/reports/week' };
  });
}
