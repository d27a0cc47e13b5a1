import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionText, numberCalledText } from '../accounts/extensions.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import {
  backOf,
  callAddress,
  callerAddress,
  callTable,
  customerLink,
  endText,
  segmentChip,
  stateOf,
} from '../calls/call-cells.ts';
import { FORGOTTEN, rangFor, talkedFor } from '../calls/call-record.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
import { entryTable } from '../history/api-log-table.ts';
import type { RequestStore } from '../history/request-store.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { changeForm } from '../kit/form.ts';
import { duration } from '../kit/formats.ts';
import type { Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { dialLink } from '../people/call-back-pages.ts';
import type { CallerStore } from '../people/caller-store.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { forgetNumber, forgetSummary } from '../people/forget-number.ts';
import { type Html, html } from '../words/html.ts';

const MAX_REQUESTS = 50;
const MAX_OTHER_CALLS = 5;

/** The clocks of a bridge and of the service differ by some seconds; an event that waited is later by more. */
const isOther = (at: number | null, arrived: number | null) =>
  at !== null && arrived !== null && Math.abs(at - arrived) > 30_000;

type Parts = {
  readonly store: {
    readonly calls: CallStore;
    readonly callers: CallerStore;
    readonly requests: RequestStore;
    readonly customers: CustomerStore;
    readonly audit: AuditStore;
    readonly webhooks: { forget(account: number, number: string): Promise<unknown> };
  };
  readonly directory: ServiceDirectory;
};

/** One call: its facts, timeline and requests, and other calls from the same number. */
export function callDetailsPage(pages: Pages, { store, directory }: Parts): void {
  pages.get('/calls/details', 'agent', async (request) => {
    const { account, query, formats, administrates, extensions, words } = request;
    const text = words.calls;
    const call = await store.calls.get(account.id, query.get('id') ?? '');
    if (call === undefined) throw new Refusal(404, ({ noCall }) => noCall);
    const { id, customer, number, segment, priority, callerId } = call;
    const { numberCalled, line, missed } = call.extras;

    const answeredBy = callerId && displayText(extensionText(extensions, callerId), 80);
    const search = { in: 'call', term: id } as const;
    const requests = administrates
      ? await store.requests.search({
          account: account.id,
          search,
          order: 'oldest',
          after: null,
          limit: MAX_REQUESTS,
        })
      : null;
    const ofNumber = { number: { is: number } };
    const others =
      number === FORGOTTEN ? [] : await newestCalls(store.calls, account.id, ofNumber, MAX_OTHER_CALLS + 1);
    const shown = others.filter((other) => other.id !== id).slice(0, MAX_OTHER_CALLS);

    const fact = (name: string, value: Html) =>
      value !== null && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
    return {
      title: text.callFrom(plainText(customer?.name ?? spaced(number), 40)),
      body: html`
        <p class="quiet"><a href="/calls">← ${text.title}</a></p>
        <h1>${text.callFrom(plainText(customer?.name ?? spaced(number), 80))}</h1>
        <dl class="facts card">
          ${fact(text.outcome, stateOf(call, request))}
          ${fact(text.number, number === FORGOTTEN ? number : html`${dialLink(number)} <a href=${callerAddress(number, backOf(request))}>${text.caller}</a>`)}
          ${fact(text.customer, customer && customerLink(customer))}
          ${fact(text.segment, segment && html`${segmentChip(segment)}${priority !== null && ` ${text.priority(priority)}`}`)}
          ${fact(text.answeredBy, answeredBy)}
          ${fact(text.numberCalled, numberCalled && displayText(numberCalledText(extensions, numberCalled), 160))}
          ${fact(text.line, line && displayText(line, 100))}
          ${fact(text.place, endText(call, words) || null)}
          ${fact(text.endedAt, isOther(missed?.at ?? null, call.completedAt) && formats.dateTime(missed?.at ?? 0))}
          ${fact(text.wait, duration(rangFor(call)))}
          ${fact(text.duration, duration(talkedFor(call)))}
          ${fact(text.callId, html`<code>${displayText(id, 255)}</code>`)}
        </dl>
        <h2>${text.timeline}</h2>
        <ol class="events">
          ${[
            [call.ringingAt, text.rings, null],
            [call.answeredAt, answeredBy ? text.isAnsweredBy(answeredBy) : text.isAnswered, rangFor(call)],
            [call.completedAt, call.missed ? text.hungUpMissed : text.hungUp, talkedFor(call)],
          ].map(
            ([at, what, after]) =>
              at !== null &&
              html`<li><time datetime=${new Date(at as number).toISOString()}>${formats.dateTime(at as number)}</time> ${what}${after !== null && html` <span class="quiet">${text.after(duration(after as number))}</span>`}</li>`,
          )}
        </ol>
        ${
          requests !== null &&
          html`<h2>${text.requests}</h2>
            ${entryTable(requests.entries, request, directory.integrations(account.id), html`<p>${text.noRequests}</p>`)}
            ${requests.next !== null && html`<p><a href=${`/api-log?${new URLSearchParams({ in: 'call', term: id })}`}>${text.allRequests}</a></p>`}`
        }
        <h2>${text.others}</h2>
        ${shown.length === 0 ? html`<p class="quiet">${text.noOthers}</p>` : callTable(shown, request, true)}
        ${shown.length === MAX_OTHER_CALLS && html`<p><a href=${`/calls?${new URLSearchParams({ number })}`}>${words.caller.allCalls}</a></p>`}
        ${
          administrates &&
          number !== FORGOTTEN &&
          html`<details>
            <summary>${text.forget}</summary>
            <p>${text.forgetHelp}</p>
            ${changeForm(
              { action: '/calls/forget', token: request.token, inline: true },
              html`<input type="hidden" name="id" value=${id} /><button type="submit" class="danger">${text.forget}</button>`,
            )}
          </details>`
        }
      `,
    };
  });
  pages.post('/calls/forget', 'administrator', async ({ account, form, audit }) => {
    const call = await store.calls.get(account.id, form.get('id') ?? '');
    if (call === undefined || call.number === FORGOTTEN) throw new Refusal(404, ({ noCall }) => noCall);
    await audit('forget', forgetSummary(await forgetNumber(store, account.id, call.number)));
    return { redirect: callAddress(call.id) };
  });
}
