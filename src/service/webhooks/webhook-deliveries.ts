import { callAddress } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import { button, changeForm } from '../kit/form.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { pager, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Delivery, Webhook } from './webhook-store.ts';

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
      { action: `${path}/again`, token, inline: true },
      html`<input type="hidden" name="delivery" value=${String(id)} /><button type="submit">${text.sendAgain}</button>`,
    );
  return html`
    <h2>${text.deliveries}</h2>
    <div class="buttons above">
      ${enabled && button({ action: `${path}/test`, token }, text.test)}
      ${enabled && failed && deliveries.length > 0 && button({ action: `${path}/again`, token }, text.sendAllAgain)}
      <a href=${failed ? path : `${path}?failed=1`}>${failed ? text.allDeliveries : text.onlyFailed}</a>
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
          head: words.integrations.state,
          cell: ({ state }) => html`<span class=${`state ${kinds[state]}`}>${text.states[state]}</span>`,
        },
        { head: text.tries, numeric: true, cell: ({ tries }) => tries },
        {
          head: text.answer,
          cell: ({ answer, triedAt }) =>
            triedAt !== null &&
            html`${displayText(answer ?? '–', 120)} <span class="quiet">${formats.moment(triedAt, now, 'seconds')}</span>`,
        },
        { head: text.sendAgain, cell: sendAgain },
      ],
      empty: html`<p>${text.nothingSent}</p>`,
      stacked: true,
    })}
    ${pager(words.kit, {
      newer: query.has('older') ? address({}) : undefined,
      older: next === null ? undefined : address({ older: String(next) }),
      labels: [words.audit.newest, words.kit.older],
    })}`;
}
