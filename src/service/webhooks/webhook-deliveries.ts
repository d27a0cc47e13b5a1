import { limits } from '../../shared/api/contract/decisions.ts';
import { callAddress } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { button, changeForm, field, hiddenFields, oneOf } from '../kit/form.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { pager, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** The id of the call whose deliveries a page shows; null: those of all. */
export const callIn = (query: URLSearchParams): string | null =>
  (query.get('call') ?? '').trim().slice(0, limits.referenceLength) || null;

const kinds = { new: '', retry: 'ringing', delivered: 'answered', failed: 'missed' } as const;

/** What was sent to a webhook and what waits, newest first, each with its last answer. */
export function deliveriesCard(
  { path, query, token, words, formats, now }: PageRequest,
  { enabled }: Webhook,
  /** How many events were given up, if any. */
  givenUp: string | undefined,
  { deliveries, next }: { readonly deliveries: readonly Delivery[]; readonly next: number | null },
): Html {
  const { common, webhooks: text } = words;
  const failed = query.has('failed');
  const call = callIn(query);
  const address = (also: Record<string, string>) =>
    `${path}?${new URLSearchParams({ ...(call !== null && { call }), ...also })}`;
  const ofState = failed ? { failed: '1' } : {};
  const sendAgain = ({ id, state }: Delivery) =>
    enabled &&
    (state === 'delivered' || state === 'failed') &&
    changeForm(
      { action: `${path}/again`, token },
      html`${hiddenFields({ delivery: String(id) })}<button type="submit">${text.sendAgain}</button>`,
    );
  return html`
    <h2 class="after">${text.deliveries}</h2>
    <form class="filters" action=${path} role="search" aria-label=${text.deliveries}>
      ${hiddenFields(ofState)}
      ${field({ label: words.calls.callId, name: 'call', type: 'search', value: call ?? '', maxlength: limits.referenceLength })}
      <div class="together">
        <button type="submit">${common.search}</button>
        ${call !== null && html`<a href=${path}>${common.clearFilter}</a>`}
      </div>
    </form>
    <div class="together">
      ${enabled && button({ action: `${path}/test`, token }, text.test)}
      ${enabled && failed && call === null && deliveries.length > 0 && button({ action: `${path}/again`, token }, text.sendAllAgain)}
      ${oneOf(text.deliveries, [
        { text: common.all, href: address({}), chosen: !failed },
        {
          text: [text.states.failed, call === null && givenUp].filter(Boolean).join(': '),
          href: address({ failed: '1' }),
          chosen: failed,
        },
      ])}
    </div>
    ${table({
      caption: text.deliveries,
      rows: deliveries,
      columns: [
        { head: common.time, cell: ({ at }) => formats.moment(at, now, 'seconds') },
        {
          head: text.event,
          cell: ({ event, callId }) =>
            callId === null
              ? text.names[event]
              : html`<a href=${callAddress(callId)}>${text.names[event]}</a>`,
        },
        {
          head: common.state,
          cell: ({ state }) => html`<span class=${`state ${kinds[state]}`}>${text.states[state]}</span>`,
        },
        { head: text.tries, end: true, cell: ({ tries }) => tries },
        {
          head: text.answer,
          is: 'answer',
          cell: ({ answer, triedAt }) =>
            triedAt !== null &&
            html`${displayText(answer ?? '–', 120)} <span class="quiet">${formats.moment(triedAt, now, 'seconds')}</span>`,
        },
        { head: text.sendAgain, cell: sendAgain },
      ],
      empty: text.noDeliveries,
    })}
    ${pager(words.kit, {
      newer: query.has('older') ? address(ofState) : undefined,
      older: next === null ? undefined : address({ ...ofState, older: String(next) }),
      labels: [words.kit.newest, words.kit.older],
    })}`;
}
