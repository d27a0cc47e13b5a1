import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionText, numberCalledText } from '../accounts/extensions.ts';
import {
  backLink,
  callAddress,
  dialLink,
  endText,
  personLink,
  segmentChip,
  stateOf,
} from '../calls/call-cells.ts';
import { FORGOTTEN, rangFor, talkedFor } from '../calls/call-record.ts';
import type { Screens } from '../calls/screens.ts';
import { entryTable } from '../history/api-log-table.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, fold } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import type { CallBackList } from '../people/call-back-list.ts';
import { type ForgettingStore, forgetNumber, forgetSummary } from '../people/forget-number.ts';
import { isDoubtful } from '../rules/doubtful.ts';
import { duration } from '../rules/duration.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { closeCall } from './close-call.ts';

const MAX_REQUESTS = 50;

/** The clocks of a bridge and of the service differ by some seconds; an event that waited is later by more. */
const isOther = (at: number | null, arrived: number | null) =>
  at !== null && arrived !== null && Math.abs(at - arrived) > 30_000;

type Parts = {
  readonly store: ForgettingStore & Parameters<typeof closeCall>[0]['store'];
  readonly screens: Pick<Screens, 'publish'>;
  readonly directory: ServiceDirectory;
  readonly callBackList: CallBackList;
};

/** One call: its facts, timeline and requests, and other calls from the same number. */
export function callDetailsPage(pages: Pages, { store, screens, directory, callBackList }: Parts): void {
  pages.get('/calls/details', 'agent', async (request) => {
    const { account, query, formats, administrates, extensions, words } = request;
    const text = words.calls;
    const call = await store.calls.get(account.id, query.get('id') ?? '');
    if (call === undefined) throw new Refusal(404, ({ notThere }) => notThere);
    const { id, customer, number, segment, callerId } = call;
    const state = stateOf(call, request);
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

    const fact = (name: string, value: Html) =>
      value !== null && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
    return {
      title: text.callFrom(plainText(customer?.name ?? spaced(number), 40)),
      body: html`
        ${backLink(request)}
        <h1>${number === FORGOTTEN ? number : personLink(call, request)}</h1>
        <dl class="facts card">
          ${fact(text.outcome, html`<span class="state">${state.picture}${call.missed || state.live === null ? state.word : text.outcomes.open}</span>`)}
          ${fact(text.number, number === FORGOTTEN ? number : dialLink(number))}
          ${fact(text.segment, segmentChip(segment, request))}
          ${fact(text.answeredBy, answeredBy)}
          ${fact(text.numberCalled, numberCalled && displayText(numberCalledText(extensions, numberCalled), 160))}
          ${fact(text.line, line && displayText(line, 100))}
          ${fact(text.place, endText(call, words) || null)}
          ${fact(text.endedAt, isOther(missed?.at ?? null, call.completedAt) && formats.dateTime(missed?.at ?? 0))}
          ${fact(text.wait, duration(rangFor(call)))}
          ${fact(text.duration, duration(talkedFor(call)))}
          ${fact(text.callId, html`<code>${displayText(id, 255)}</code>`)}
        </dl>
        ${
          isDoubtful(call, request.now) &&
          changeForm(
            { action: '/calls/close', token: request.token },
            html`<input type="hidden" name="id" value=${id} /><button type="submit" class="soft">${words.bar.close}</button>`,
          )
        }
        <ol class="timeline">
          ${[
            [call.ringingAt, icon('bell-ring', 'quiet'), text.ringing, null],
            [
              call.answeredAt,
              icon('phone-incoming', 'quiet'),
              answeredBy ? text.isAnsweredBy(answeredBy) : text.answered,
              rangFor(call),
            ],
            [
              call.completedAt,
              call.missed ? icon('phone-missed', 'is-missed') : icon('check', 'quiet'),
              call.missed ? text.hungUpMissed : text.hungUp,
              talkedFor(call),
            ],
          ].map(
            ([at, picture, what, after]) =>
              at !== null &&
              html`<li>${picture}<div>${what}${after !== null && html` <span class="quiet">${text.after(duration(after as number))}</span>`}</div><time class="quiet" datetime=${new Date(at as number).toISOString()}>${formats.dateTime(at as number)}</time></li>`,
          )}
        </ol>
        ${
          requests !== null &&
          html`<h2 class="after">${text.requests}</h2>
            ${entryTable(requests.entries, request, directory.integrations(account.id), text.noRequests)}
            ${requests.next !== null && html`<p><a href=${`/api-log?${new URLSearchParams({ in: 'call', term: id })}`}>${text.allRequests}</a></p>`}`
        }
        ${
          administrates &&
          number !== FORGOTTEN &&
          fold(
            text.forget,
            html`<p>${text.forgetHelp}</p>${changeForm(
              { action: '/calls/forget', token: request.token },
              html`<input type="hidden" name="id" value=${id} /><button type="submit" class="danger">${text.forget}</button>`,
            )}`,
          )
        }
      `,
    };
  });
  // Of a call that is over, was answered in the meantime, or has only just begun, nothing changes.
  pages.post('/calls/close', 'agent', async ({ account, form, now, audit }) => {
    const call = await store.calls.get(account.id, form.get('id') ?? '');
    if (call === undefined) throw new Refusal(404, ({ notThere }) => notThere);
    if (isDoubtful(call, now) && (await closeCall({ store, screens }, account.id, call, now)))
      await audit('close-call', call.id);
    return form.get('from') === 'now' ? 'done' : { redirect: callAddress(call.id) };
  });
  pages.post(
    '/calls/forget',
    'administrator',
    async ({ account, form, audit }) => {
      const call = await store.calls.get(account.id, form.get('id') ?? '');
      if (call === undefined || call.number === FORGOTTEN) throw new Refusal(404, ({ notThere }) => notThere);
      await audit('forget', forgetSummary(await forgetNumber(store, account.id, call.number)));
      await callBackList.publish(account.id);
      return { redirect: callAddress(call.id) };
    },
    { turn: 'long' },
  );
}
