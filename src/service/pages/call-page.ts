import { spaced } from '../../phone-number/normalise-number.ts';
import { rangFor, talkedFor } from '../calls/call-record.ts';
import type { ServiceContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { CallFilter } from '../store/call-store.ts';
import { callTable } from './activity-pages.ts';
import { customerLink, segmentChip, stateOf } from './call-words.ts';
import { entryTable } from './history-table.ts';
import { duration } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import { plain, shown } from './kit/shown.ts';
import type { Pages } from './kit/visit.ts';

/** Requests and earlier calls that are shown with a call. */
const REQUESTS = 50;
const OTHER_CALLS = 5;

/** One call: what happened, who called, what the phone system sent, and what else this caller did. */
export function callPage(pages: Pages, { store, directory }: ServiceContext): void {
  pages.get('/activity/call', 'agent', async (visit) => {
    const { account, query, formats, now, administrates } = visit;
    const call = await store.calls.get(account.id, query.get('id') ?? '');
    if (call === undefined) throw new Refusal(404, 'There is no such call.');
    const { id, customer, number, segment, priority, callerId } = call;

    const search = { in: 'call', term: id } as const;
    const requests = administrates
      ? await store.requests.search({
          account: account.id,
          search,
          order: 'oldest',
          after: null,
          limit: REQUESTS,
        })
      : null;
    const filter: CallFilter = {
      ...{ number: { is: number }, customer: null, extension: null, outcome: null, since: null, until: null },
    };
    const same = {
      account: account.id,
      filter,
      towards: 'older',
      from: null,
      limit: OTHER_CALLS + 1,
    } as const;
    const others = (await store.calls.page(same)).calls
      .filter((other) => other.id !== id)
      .slice(0, OTHER_CALLS);

    const fact = (name: string, value: Html) =>
      value !== null && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
    return {
      title: `Call of ${plain(customer?.name ?? spaced(number), 40)}`,
      body: html`
        <p class="quiet"><a href="/activity">Activity</a></p>
        <h1>Call of ${shown(customer?.name ?? spaced(number), 80)}</h1>
        <dl class="facts card">
          ${fact('Outcome', stateOf(call, now))}
          ${fact('Number', html`<span class="number">${shown(spaced(number), 60)}</span>`)}
          ${fact('Customer', customer && customerLink(customer))}
          ${fact('Segment', segment && html`${segmentChip(segment)}${priority !== null && ` priority ${priority}`}`)}
          ${fact('Answered by', callerId && shown(callerId, 80))}
          ${fact('Waited', duration(rangFor(call)))}
          ${fact('Talked', duration(talkedFor(call)))}
          ${fact('Call id', html`<code>${shown(id, 255)}</code>`)}
        </dl>
        <h2>What happened</h2>
        <ol class="events">
          ${[
            [call.ringingAt, 'rings', null],
            [
              call.answeredAt,
              callerId ? html`is answered by ${shown(callerId, 80)}` : 'is answered',
              rangFor(call),
            ],
            [call.completedAt, call.missed ? 'ends, and nobody has answered' : 'ends', talkedFor(call)],
          ].map(
            ([at, what, after]) =>
              at !== null &&
              html`<li><time datetime=${new Date(at as number).toISOString()}>${formats.dateTime(at as number)}</time> ${what}${after !== null && html` <span class="quiet">after ${duration(after as number)}</span>`}</li>`,
          )}
        </ol>
        ${
          requests !== null &&
          html`<h2>What the phone system sent</h2>
            ${entryTable(requests.entries, visit, directory.integrations(account.id), html`<p>The history keeps no request of this call any more.</p>`)}
            ${requests.next !== null && html`<p><a href=${`/history?${new URLSearchParams({ in: 'call', term: id })}`}>All requests of this call</a></p>`}`
        }
        <h2>Other calls from this number</h2>
        ${others.length === 0 ? html`<p class="quiet">None.</p>` : callTable(others, visit, true)}
        ${others.length === OTHER_CALLS && html`<p><a href=${`/activity?${new URLSearchParams({ number })}`}>All calls from this number</a></p>`}
      `,
    };
  });
}
