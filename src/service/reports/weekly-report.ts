import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import { isMailAddress } from '../../shared/mail/mail-address.ts';
import type { Account, Extensions } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import type { ReportStore } from '../calls/aggregate.ts';
import { type Day, dateAt, daysBetween } from '../kit/calendar.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, field, fold } from '../kit/form.ts';
import { formatsFor } from '../kit/formats.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import type { CallerStore } from '../people/caller-store.ts';
import { type Html, html, render } from '../words/html.ts';
import { type Words, wordsFor } from '../words/words.ts';
import { busyHours, type Counts, makeReport, type Report } from './call-report.ts';
import { callersReport } from './callers-report.ts';
import { hourName, inWords, namesFor, type Spoken } from './report-names.ts';
import { deciding, type Figure, summaryFigures } from './report-summary.ts';
import type { WeeklyStore } from './weekly-store.ts';

type Stores = { readonly reports: ReportStore; readonly callers: CallerStore };

/** What the mail has: as its page begins, and the days and hours as rows of texts. */
type WeeklyReport = {
  readonly title: string;
  readonly sentence: Html;
  readonly figures: readonly Figure[];
  /** The days, and the days by hours; each begins with its heads. */
  readonly tables: readonly (readonly (readonly string[])[])[];
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

/** A week's figures compared with those of the week before. */
async function weeklyReport(
  store: Stores,
  { id, answerWithin }: Account,
  extensions: Extensions,
  monday: Temporal.PlainDate,
  spoken: Spoken,
  now: number,
): Promise<WeeklyReport> {
  const { words, formats } = spoken;
  const { timeZone, locale } = formats;
  const daysFrom = (first: Temporal.PlainDate) => daysBetween(first, first.add({ days: 6 }), timeZone);
  const read = (days: readonly Day[]): Promise<Report> =>
    makeReport({ step: 'day' }, days, timeZone, store.reports.figures(id, days, now));
  const days = daysFrom(monday);
  const [week, before] = [await read(days), await read(daysFrom(monday.subtract({ days: 7 })))];
  const callers = await callersReport(store.callers, id, days, week, null, now);
  const { shortDay } = namesFor(locale);
  const [first, last] = busyHours(week.hours);
  const { calls, layout, reports } = words;
  const cell = ({ calls, missed }: Counts) =>
    `${calls > 0 ? formats.number(calls) : ''}${missed > 0 ? ` (${formats.number(missed)})` : ''}`;
  const hourNames = week.hours.map((_, hour) => hourName(hour)).slice(first, last + 1);
  return {
    title: reports.reportOf(inWords({ first: monday, last: monday.add({ days: 6 }) }, spoken)),
    sentence: deciding(week, extensions, spoken),
    figures: summaryFigures(week, before, callers, answerWithin, spoken),
    tables: [
      [
        [reports.steps.day, layout.calls, calls.outcomes.answered, calls.outcomes.missed],
        ...week.series.map((row) => [
          shortDay(row.first),
          ...[row.calls, row.answered, row.missed].map((count) => formats.number(count)),
        ]),
      ],
      [
        [`${reports.steps.day} (${calls.outcomes.missed})`, ...hourNames],
        ...week.days.map((row) => [shortDay(row.first), ...row.hours.slice(first, last + 1).map(cell)]),
      ],
    ],
  };
}

/** The report as a mail; `address`: of its page. */
function weeklyReportMail(report: WeeklyReport, account: string, address: string, words: Words) {
  const { title, sentence, tables } = report;
  const figures = report.figures.map(({ label, value, share, under }) => [
    label,
    `${value}${share ? ` (${share})` : ''}`,
    ...(under.length > 0 ? [under.join(', ')] : []),
  ]);
  const lines = (rows: readonly (readonly string[])[]) =>
    rows.map(([first, ...others]) => `${first}: ${others.join(' / ')}`);
  const asTable = (rows: readonly (readonly string[])[]) =>
    html`<table cellpadding="4">${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td align=${at > 0 ? 'right' : 'left'}>${cell}</td>`)}</tr>`)}</table>`;
  const body = html`<html lang=${words.language}><head><meta charset="utf-8" /><title>${title}</title></head><body>
    <h1>${title}</h1><p>${account}</p>${sentence && html`<p>${sentence}</p>`}
    ${[figures, ...tables].map((rows) => html`${asTable(rows)}<br />`)}
    <p><a href=${address}>${words.weekly.open}</a></p><p>${words.weekly.why}</p></body></html>`;
  return {
    subject: `${account}: ${title}`,
    text: [
      ...[title, account, ''],
      ...(sentence ? [render(sentence).replace(/<[^>]+>/g, ''), ''] : []),
      ...[figures, ...tables].flatMap((rows) => [...lines(rows), '']),
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
    directory,
    mailer,
    origin,
    log,
  }: {
    store: Stores & { readonly weekly: WeeklyStore };
    directory: Pick<ServiceDirectory, 'accounts' | 'extensions'>;
    mailer: Mailer;
    origin: string;
    log: Log;
  },
  now: number,
): Promise<void> {
  for (const account of directory.accounts()) {
    const { timeZone } = formatsFor(account.timeZone);
    const monday = dueWeek(now, timeZone);
    const week = monday.toString();
    for (const { user, address, language, sent } of await store.weekly.due(account.id, week)) {
      if (!(await store.weekly.move(user, sent, week))) continue;
      const words = wordsFor(language);
      try {
        const formats = formatsFor(account.timeZone, words.locale);
        const extensions = directory.extensions(account.id);
        const report = await weeklyReport(store, account, extensions, monday, { words, formats }, now);
        const link = `${origin}/reports?from=${week}&to=${monday.add({ days: 6 })}`;
        await mailer.send({ to: address, ...weeklyReportMail(report, account.name, link, words) });
      } catch (error) {
        await store.weekly.move(user, week, sent);
        log.say('service.weekly-report-failed', { user, error });
      }
    }
  }
}

/** Where a user's weekly report is mailed to, as a part of the reports. */
export async function weeklyForm(
  { words, user, token, form }: UserRequest,
  weekly: WeeklyStore,
  wrong: string | undefined,
): Promise<Html> {
  const address = form.get('address') ?? (await weekly.address(user.id)) ?? '';
  const text = words.weekly;
  return fold(
    text.heading,
    changeForm(
      { action: '/reports/mail', token, is: 'form', label: text.heading },
      html`${field({ label: text.address, name: 'address', value: address, maxlength: 254, hint: text.hint, errors: wrong ? { address: wrong } : null })}
        <div><button type="submit">${words.common.save}</button></div>`,
    ),
    address && displayText(address, 60),
    wrong !== undefined,
  );
}

/** Keeps the address that the form has. */
export async function chooseWeekly(
  request: Pick<UserRequest, 'form' | 'now' | 'formats' | 'user' | 'audit'>,
  weekly: Pick<WeeklyStore, 'put'>,
  refuse: () => Promise<Page>,
): Promise<Answer> {
  const address = (request.form.get('address') ?? '').trim();
  if (address !== '' && !isMailAddress(address)) return refuse();
  const sent = dueWeek(request.now, request.formats.timeZone).toString();
  await weekly.put(request.user.id, address || null, sent);
  await request.audit('settings', `weekly report to ${address || 'no one'}`);
  return { redirect: '/reports' };
}
