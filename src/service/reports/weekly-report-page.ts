import type { Mailer } from '../../shared/mail/mail.ts';
import { mailAddress } from '../../shared/mail/mail-address.ts';
import type { ReportStore } from '../calls/aggregate.ts';
import { dateIn } from '../kit/calendar.ts';
import { changeForm, field } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { html } from '../words/html.ts';
import { dueWeek, lastWeek, weeklyReport, weeklyReportBody } from './weekly-report.ts';
import type { WeeklyStore } from './weekly-store.ts';

type Parts = {
  readonly store: { readonly reports: ReportStore; readonly weekly: WeeklyStore };
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
};

/** The report of a week as it is mailed, to print; and where it is mailed to. */
export function weekPages(pages: Pages, { store, mailer }: Parts): void {
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
          mailer === undefined
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
