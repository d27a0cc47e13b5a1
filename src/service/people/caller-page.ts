import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { crmLink } from '../accounts/crm-link.ts';
import { extensionText } from '../accounts/extensions.ts';
import {
  backLink,
  backOf,
  callerAddress,
  callTable,
  customerLink,
  segmentChip,
} from '../calls/call-cells.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
import { displayText, lines, plainText } from '../kit/display-text.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import { mayDelete, type PageRequest, type Pages } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { type Html, html } from '../words/html.ts';
import { callBackButtons, closedText, dialLink, returnFields } from './call-back-pages.ts';
import { type CallBackList, isDialable } from './call-backs.ts';
import type { CallerStore } from './caller-store.ts';
import type { CustomerStore } from './customer-store.ts';

const LAST_CALLS = 10;
const MAX_NOTES = 100;

type Parts = {
  readonly store: {
    readonly calls: CallStore;
    readonly callers: CallerStore;
    readonly customers: CustomerStore;
  };
  readonly callBackList: CallBackList;
};

/** A caller's card: who it is, what to do, colleagues' notes and the last calls. */
export function callerPage(pages: Pages, { store, callBackList }: Parts): void {
  pages.get('/callers', 'agent', async (request) => {
    const { account, query, formats, now, token, extensions, words } = request;
    const text = words.caller;
    const number = query.get('number') ?? '';
    if (number === '' || number.length > limits.referenceLength)
      throw new Refusal(404, ({ noCaller }) => noCaller);
    const [calls, actions, [callBack], customer] = await Promise.all([
      newestCalls(store.calls, account.id, { number: { is: number } }, LAST_CALLS),
      store.callers.actions(account.id, { number }, MAX_NOTES),
      callBackList.read(account.id, number),
      store.customers.withNumber(account.id, number),
    ]);
    const said = actions.filter(({ kind }) => kind === 'note').toReversed();
    const crm = account.crmUrl && crmLink(account.crmUrl, { number, reference: customer?.reference ?? '' });
    const spokeWith = new Set(calls.flatMap(({ callerId }) => callerId ?? []));
    const name = customer?.name ?? spaced(number);
    const mayRemove = mayDelete(request);
    return {
      title: plainText(name, 40),
      scripts: ['live-parts.js'],
      body: html`
        ${backLink(request)}
        <h1>${displayText(name, 80)}</h1>
        <div id="caller" data-live>
          <dl class="facts card">
            <div><dt>${text.number}</dt><dd>${dialLink(number)}</dd></div>
            <div><dt>${text.customer}</dt><dd>${
              customer
                ? html`${customerLink(customer)} ${segmentChip(customer.segment)}`
                : html`<a href=${`/customers/new?${new URLSearchParams({ number })}`}>${text.addCustomer}</a>`
            }</dd></div>
            ${spokeWith.size > 0 && html`<div><dt>${text.spokeWith}</dt><dd>${displayText(Array.from(spokeWith, (extension) => extensionText(extensions, extension)).join(', '), 120)}</dd></div>`}
            ${crm && html`<div><dt>${text.crm}</dt><dd><a href=${crm} target="_blank" rel="noreferrer">${displayText(new URL(crm).host, 60)}</a></dd></div>`}
            ${callBack && html`<div><dt>${text.missed}</dt><dd>${closedText(callBack, request)} ${callBackButtons(callBack, request, 'caller')}</dd></div>`}
          </dl>
        </div>
        <h2>${text.notes}</h2>
        ${
          isDialable(number) &&
          changeForm(
            { action: '/call-back', token, label: text.addNote },
            html`${returnFields(number, 'caller', request)}<input type="hidden" name="kind" value="note" />
              <div class="field"><label for="f-text">${text.note}</label><textarea id="f-text" name="text" rows="2" maxlength="1000" required></textarea></div>
              <button type="submit">${text.addNote}</button>`,
          )
        }
        <div id="notes" data-live>
          ${said.length === 0 && html`<p class="quiet">${text.noNotes}</p>`}
          ${said.length > 0 && html`<ul class="notes">${said.map(({ at, user, text: note }) => html`<li><p class="quiet">${displayText(user, 40)}, ${formats.moment(at, now)}${mayRemove && html` ${removeNote({ number, at, user }, request)}`}</p><p>${lines(note ?? '')}</p></li>`)}</ul>`}
        </div>
        <h2>${text.lastCalls}</h2>
        <div id="last-calls" data-live>
          ${callTable(calls, request, true)}
          ${calls.length === LAST_CALLS && html`<p><a href=${`/calls?${new URLSearchParams({ number })}`}>${text.allCalls}</a></p>`}
        </div>
      `,
    };
  });

  pages.post('/callers/remove-note', 'agent', async (request) => {
    const { account, form } = request;
    if (!mayDelete(request)) throw new Refusal(403, ({ onlyAdministrators }) => onlyAdministrators);
    const read = note.safeParse(Object.fromEntries(form));
    if (!read.success) throw new Refusal(422, ({ noCaller }) => noCaller);
    const { number, user } = read.data;
    if (await store.callers.removeNote(account.id, read.data))
      await request.audit('removal', `note of ${user} about ${number}`);
    return { redirect: callerAddress(number, form.get('back') ?? '') };
  });
}

const note = z.object({ number: z.string(), user: z.string(), at: z.coerce.number().int() });

const removeNote = (noteKey: z.infer<typeof note>, request: PageRequest): Html =>
  changeForm(
    { action: '/callers/remove-note', token: request.token, inline: true },
    html`${hiddenFields({ ...noteKey, at: String(noteKey.at), back: backOf(request) })}
      <button type="submit" class="danger">${request.words.common.remove}</button>`,
  );
