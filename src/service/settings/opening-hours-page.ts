import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { isMonthFirst } from '../kit/dates.ts';
import { area, changeForm, type FieldErrors, field, notice } from '../kit/form.ts';
import { CLOSED_CHARACTERS, clockOf, openingHoursIn, savedHoursOf } from '../kit/opening-hours.ts';
import type { Page } from '../kit/page-request.ts';
import { plainText } from '../rules/plain-text.ts';
import { html } from '../words/html.ts';

/** A Monday. */
const monday = new Temporal.PlainDate(2024, 1, 1);

/** The account's opening hours: reports and the call list separate calls in them from calls out of them. */
export function openingHoursPage(
  pages: Pages,
  { directory }: { readonly directory: ServiceDirectory },
): void {
  pages.get('/opening-hours', 'administrator', async (request) => page(request));
  pages.post('/opening-hours', 'administrator', async (request) => {
    const { account, form, words } = request;
    const read = openingHoursIn(form, { monthFirst: isMonthFirst(account.country) });
    if ('wrong' in read) {
      const { hours, dates, noDate } = words.formErrors;
      const text = (name: string, typed: string) =>
        name !== 'closed' ? hours : typed === '' ? dates : noDate(plainText(typed, 60));
      return page(
        request,
        Object.fromEntries(Object.entries(read.wrong).map(([name, typed]) => [name, text(name, typed)])),
      );
    }
    const openingHours = read.hours && JSON.stringify(read.hours);
    if (!(await directory.replaceOpeningHours(account.id, form.get('read') || null, openingHours)))
      return conflict(request, directory);
    await request.audit('settings', `opening hours ${openingHours ?? 'none'}`);
    return { redirect: '/opening-hours?done' };
  });
}

/** Somebody else has changed them meanwhile: they are shown with the closed days that were typed. */
function conflict(request: UserRequest, directory: ServiceDirectory): Page {
  const { account, form, words } = request;
  const now = directory.accounts().find(({ id }) => id === account.id) ?? account;
  const typed = form.get('closed') ?? '';
  const { body, ...shown } = page({ ...request, account: now, form: new URLSearchParams() });
  return {
    ...shown,
    status: 409,
    body: html`${notice(html`${words.errors.changedMeanwhile} ${plainText(typed, CLOSED_CHARACTERS)}`, 'bad')}${body}`,
  };
}

function page({ account, form, formats, query, token, words }: UserRequest, errors?: FieldErrors): Page {
  const text = words.account;
  const hours = savedHoursOf(account);
  const value = (name: string, saved: string) => form.get(name) ?? saved;
  const weekday = new Intl.DateTimeFormat(formats.locale, { weekday: 'long' });
  const closed = value('closed', hours?.closed.join('\n') ?? '');
  return {
    title: words.settings.openingHours,
    ...(errors && { status: 422 }),
    body: html`
      <div class="head"><h1>${words.settings.openingHours}</h1></div>
      ${query.has('done') && notice(words.common.saved)}
      <p>${text.hoursHelp} ${words.reports.timesIn(formats.timeZone)}</p>
      ${changeForm(
        { action: '/opening-hours', token, is: 'form', label: words.settings.openingHours },
        html`
          <input type="hidden" name="read" value=${form.get('read') ?? account.openingHours ?? ''} />
          ${Array.from({ length: 7 }, (_, at) => {
            const [from, to] = hours?.week[at] ?? [];
            const day = weekday.format(monday.add({ days: at }));
            return html`<div class="hours">
              ${field({ label: text.opens(day), name: `from-${at + 1}`, type: 'time', step: 900, value: value(`from-${at + 1}`, clockOf(from)), errors })}
              ${field({ label: text.closes(day), name: `to-${at + 1}`, type: 'time', step: 900, value: value(`to-${at + 1}`, clockOf(to)) })}
            </div>`;
          })}
          ${area({ label: text.closedDays, name: 'closed', rows: 6, maxlength: CLOSED_CHARACTERS, value: closed, errors, hint: words.formErrors.dates })}
          <button type="submit" class="primary">${words.common.save}</button>`,
      )}
    `,
  };
}
