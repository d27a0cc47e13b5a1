import { callAddress } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { button, changeForm, hiddenFields, oneOf } from '../kit/form.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { pager, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Delivery, Webhook } from './webhook.ts';

const kinds = { new: '', retry: 'ringing', delivered: 'answered', failed: 'missed' } as const;

/** What was sent to a webhook and what waits, newest first, each with its last answer. */
export function deliveriesCard(
  { path, query, token, words, formats, now }: PageRequest,
  { enabled }: Webhook,
  { deliveries, next }: { readonly deliveries: readonly Delivery[]; readonly next: number | null },
): Html {
  const { common, webhooks: text } = words;
  const failed = query.has('failed');
  const address = (also: Record<string, string>) =>
    `${path}?${new URLSearchParams({ ...(failed && { failed: '1' }), ...also })}`;
  const sendAgain = ({ id, state }: Delivery) =>
    enabled &&
    (state === 'delivered' || state === 'failed') &&
    changeForm(
      { action: `${path}/again`, token },
      html`${hiddenFields({ delivery: String(id) })}<button type="submit">${text.sendAgain}</button>`,
    );
  return html`
    <h2 class="after">${text.deliveries}</h2>
    <div class="together">
      ${enabled && button({ action: `${path}/test`, token }, text.test)}
      ${enabled && failed && deliveries.length > 0 && button({ action: `${path}/again`, token }, text.sendAllAgain)}
      ${oneOf(text.deliveries, [
        { text: common.all, href: path, chosen: !failed },
        { text: text.states.failed, href: `${path}?failed=1`, chosen: failed },
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
      empty: common.none,
    })}
    ${pager(words.kit, {
      newer: query.has('older') ? address({}) : undefined,
      older: next === null ? undefined : address({ older: String(next) }),
      labels: [words.kit.newest, words.kit.older],
    })}`;
}
