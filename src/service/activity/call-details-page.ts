import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { extensionText, numberCalledText } from '../accounts/extensions.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import {
  backLink,
  callAddress,
  dialLink,
  endText,
  personLink,
  rangText,
  segmentChip,
  stateOf,
  talkedText,
} from '../calls/call-cells.ts';
import { type CallRecord, FORGOTTEN, rangFor, talkedFor } from '../calls/call-record.ts';
import type { Screens } from '../calls/screens.ts';
import { entryTable } from '../history/api-log-table.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, fold } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Answer, Page } from '../kit/page-request.ts';
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
export function callDetailsPage(pages: Pages, parts: Parts): void {
  pages.get('/calls/details', 'agent', async (request) => detailsPage(await withSegments(request), parts));
  pages.post('/calls/close', 'agent', (request) => close(request, parts));
  pages.post('/calls/forget', 'administrator', (request) => forget(request, parts), { turn: 'long' });
}

async function detailsPage(request: SegmentRequest, parts: Parts): Promise<Page> {
  const { account, query, administrates, words } = request;
  const text = words.calls;
  const call = await parts.store.calls.get(account.id, query.get('id') ?? '');
  if (call === undefined) throw new Refusal(404, ({ notThere }) => notThere);
  const { customer, number } = call;
  const requests = administrates ? await requestsOf(call, request, parts) : null;
  return {
    title: text.callFrom(plainText(customer?.name ?? spaced(number), 40)),
    body: html`
        ${backLink(request)}
        <h1>${number === FORGOTTEN ? number : personLink(call, request)}</h1>
        ${facts(call, request)}
        ${
          isDoubtful(call, request.now) &&
          callForm(
            call,
            request,
            '/calls/close',
            html`<button type="submit" class="soft">${words.bar.close}</button>`,
          )
        }
        ${timeline(call, request)}
        ${requests}
        ${
          administrates &&
          number !== FORGOTTEN &&
          fold(
            text.forget,
            html`<p>${text.forgetHelp}</p>${callForm(call, request, '/calls/forget', html`<button type="submit" class="danger">${text.forget}</button>`)}`,
          )
        }
      `,
  };
}

/** A form about this call. */
const callForm = ({ id }: CallRecord, { token }: UserRequest, action: string, submit: Html): Html =>
  changeForm({ action, token }, html`<input type="hidden" name="id" value=${id} />${submit}`);

const answererOf = ({ callerId }: CallRecord, { extensions }: UserRequest): Html =>
  callerId && displayText(extensionText(extensions, callerId), 80);

function facts(call: CallRecord, request: SegmentRequest): Html {
  const { words, extensions, formats } = request;
  const text = words.calls;
  const { id, number, segment, completedAt } = call;
  const { numberCalled, line, missed } = call.extras;
  const state = stateOf(call, request);
  const fact = (name: string, value: Html) =>
    value !== null && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts card">
          ${fact(text.outcome, html`<span class="state">${state.picture}${call.missed || state.live === null ? state.word : text.outcomes.open}</span>`)}
          ${fact(text.number, number === FORGOTTEN ? number : dialLink(number))}
          ${fact(text.segment, segmentChip(segment, request))}
          ${fact(text.answeredBy, answererOf(call, request))}
          ${fact(text.rang, rangText(call, extensions) || null)}
          ${fact(text.talked, talkedText(call, extensions, text.thenBy) || null)}
          ${fact(text.numberCalled, numberCalled && displayText(numberCalledText(extensions, numberCalled), 160))}
          ${fact(text.line, line && displayText(line, 100))}
          ${fact(text.place, endText(call, words) || null)}
          ${fact(text.endedAt, isOther(missed?.at ?? null, completedAt) && formats.dateTime(missed?.at ?? 0))}
          ${fact(text.wait, duration(rangFor(call)))}
          ${fact(text.duration, duration(talkedFor(call)))}
          ${fact(text.callId, html`<code>${displayText(id, 255)}</code>`)}
        </dl>`;
}

function timeline(call: CallRecord, request: UserRequest): Html {
  const { formats, words } = request;
  const text = words.calls;
  const by = answererOf(call, request);
  const moments = [
    [call.ringingAt, icon('bell-ring', 'quiet'), text.ringing, null],
    [
      call.answeredAt,
      icon('phone-incoming', 'quiet'),
      by ? text.isAnsweredBy(by) : text.answered,
      rangFor(call),
    ],
    [
      call.completedAt,
      call.missed ? icon('phone-missed', 'is-missed') : icon('check', 'quiet'),
      call.missed ? text.hungUpMissed : text.hungUp,
      talkedFor(call),
    ],
  ] as const;
  return html`<ol class="timeline">
          ${moments.map(
            ([at, picture, what, after]) =>
              at !== null &&
              html`<li>${picture}<div>${what}${after !== null && html` <span class="quiet">${text.after(duration(after))}</span>`}</div><time class="quiet" datetime=${new Date(at).toISOString()}>${formats.dateTime(at)}</time></li>`,
          )}
        </ol>`;
}

/** The first requests that name the call, for administrators. */
async function requestsOf(
  { id }: CallRecord,
  request: UserRequest,
  { store, directory }: Parts,
): Promise<Html> {
  const { account, words } = request;
  const text = words.calls;
  const search = { in: 'call', term: id } as const;
  const { entries, next } = await store.requests.search({
    account: account.id,
    search,
    order: 'oldest',
    after: null,
    limit: MAX_REQUESTS,
  });
  return html`<h2 class="after">${text.requests}</h2>
            ${entryTable(entries, request, directory.integrations(account.id), text.noRequests)}
            ${next !== null && html`<p><a href=${`/api-log?${new URLSearchParams(search)}`}>${text.allRequests}</a></p>`}`;
}

/** A call that is over, was answered in the meantime, or has only just begun stays as it is. */
async function close({ account, form, now, audit }: UserRequest, { store, screens }: Parts): Promise<Answer> {
  const call = await store.calls.get(account.id, form.get('id') ?? '');
  if (call === undefined) throw new Refusal(404, ({ notThere }) => notThere);
  if (isDoubtful(call, now) && (await closeCall({ store, screens }, account.id, call, now)))
    await audit('close-call', call.id);
  return form.get('from') === 'now' ? 'done' : { redirect: callAddress(call.id) };
}

async function forget(
  { account, form, audit }: UserRequest,
  { store, callBackList }: Parts,
): Promise<Answer> {
  const call = await store.calls.get(account.id, form.get('id') ?? '');
  if (call === undefined || call.number === FORGOTTEN) throw new Refusal(404, ({ notThere }) => notThere);
  await audit('forget', forgetSummary(await forgetNumber(store, account.id, call.number)));
  await callBackList.publish(account.id);
  return { redirect: callAddress(call.id) };
}
