import { spaced } from '../../phone-number/normalise-number.ts';
import { type CallRecord, rangFor, talkedFor } from '../calls/call-record.ts';
import type { ServiceContext } from '../http/context.ts';
import { csvLines } from '../reports/csv.ts';
import type { CallFilter } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import {
  type ActivityAsked,
  addressOf,
  askedOf,
  filterOf,
  outcomes,
  placeIn,
  placeText,
} from './activity-filter.ts';
import { callAddress, customerLink, segmentChip, stateOf } from './call-words.ts';
import { choice, field } from './kit/form.ts';
import { duration, type Formats } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import { shown } from './kit/shown.ts';
import { type Column, pager, table } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

const PER_PAGE = 50;
const PER_CHUNK = 500;

/** The record of every call, newest first; as CSV too. */
export function activityPages(pages: Pages, { store }: ServiceContext): void {
  pages.get('/activity', 'agent', (visit) => activityPage(visit, store));
  pages.get('/activity.csv', 'agent', async ({ account, query, formats }) => {
    const filter = await filterOf(askedOf(query), account, formats.timeZone, store);
    return {
      download: 'calls.csv',
      type: 'text/csv; charset=utf-8',
      content: callsAsCsv(store, account.id, filter, formats),
    };
  });
}

async function activityPage(visit: Visit, store: Store): Promise<Page> {
  const { account, query, formats } = visit;
  const asked = askedOf(query);
  const filter = await filterOf(asked, account, formats.timeZone, store);
  const towards = query.has('newer') ? 'newer' : 'older';
  const read = (from: ReturnType<typeof placeIn>, way: 'older' | 'newer') =>
    store.calls.page({ account: account.id, filter, towards: way, from, limit: PER_PAGE });
  let page = await read(placeIn(query.get(towards)), towards);
  // The newest page is always a full one.
  const onTop = towards === 'newer' && page.next === null;
  if (onTop) page = await read(null, 'older');
  const [older, newer] = towards === 'older' || onTop ? [page.next, page.back] : [page.back, page.next];
  const { calls } = page;

  const asks = addressOf('', asked) !== '';
  const stopped = page.next !== null && calls.length < PER_PAGE;
  const newest = towards === 'older' && !query.has('older');
  const way = (name: 'older' | 'newer', place: typeof older) =>
    place === null ? undefined : addressOf('/activity', asked, { [name]: placeText(place) });
  return {
    title: 'Activity',
    scripts: newest ? ['fresh.js'] : [],
    body: html`
      <h1>Activity</h1>
      ${filterForm(asked, formats)}
      <div id="calls" data-fresh=${newest}>${!stopped || calls.length > 0 ? callTable(calls, visit, asks) : null}</div>
      ${stopped && searchedUntil(page.next?.at ?? 0, towards, formats, way(towards, page.next))}
      ${pager({ newer: way('newer', newer), older: stopped && towards === 'older' ? undefined : way('older', older) })}
      ${
        calls.length > 0 &&
        html`<p class="save"><a href=${addressOf('/activity.csv', asked)} download>Save ${asks ? 'these' : 'all'} calls as CSV</a></p>`
      }
    `,
  };
}

const filterForm = (asked: ActivityAsked, { timeZone }: Formats) => html`
  <form class="filter" action="/activity" role="search" aria-label="Calls">
    ${field({ label: 'Number', name: 'number', type: 'search', value: asked.number, maxlength: 255 })}
    ${field({ label: 'Customer', name: 'customer', type: 'search', value: asked.customer, maxlength: 255 })}
    ${field({ label: 'Extension', name: 'extension', type: 'search', value: asked.extension, maxlength: 255 })}
    ${choice({ label: 'Outcome', name: 'outcome', value: asked.outcome ?? '', options: outcomes })}
    ${field({ label: 'From', name: 'from', type: 'date', value: asked.from })}
    ${field({ label: 'To', name: 'to', type: 'date', value: asked.to })}
    <div class="buttons">
      <button type="submit" class="main">Show</button>
      ${addressOf('', asked) !== '' && html`<a href="/activity">All calls</a>`}
    </div>
    <p class="hint">A number in any form, or a part of it; a customer's name or reference. Times are those of ${timeZone}.</p>
  </form>`;

function searchedUntil(
  at: number,
  towards: 'older' | 'newer',
  formats: Formats,
  further: string | undefined,
): Html {
  const far = towards === 'older' ? 'back' : 'forward';
  return html`<p class="notice" role="status">
    No index finds a part of a text, so this takes a while: looked ${far} until ${formats.dateTime(at)}.
    ${' '}<a href=${further}>Look further</a>
  </p>`;
}

/** Calls as a table; for lists of some on other pages too. */
export function callTable(calls: readonly CallRecord[], { formats, now }: Visit, asks: boolean): Html {
  const columns: Column<CallRecord>[] = [
    {
      head: 'Began',
      cell: ({ id, startedAt }) => html`<a href=${callAddress(id)}>${formats.moment(startedAt, now)}</a>`,
    },
    {
      head: 'From',
      cell: ({ customer, number, segment }) => html`
        ${customer && html`${customerLink(customer)} ${segmentChip(segment)}<br />`}
        <span class="number">${shown(spaced(number), 40)}</span>`,
    },
    { head: 'Outcome', cell: (call) => stateOf(call, now) },
    { head: 'Answered by', cell: ({ callerId }) => callerId && shown(callerId, 40), wide: true },
    { head: 'Waited', cell: (call) => duration(rangFor(call)), numeric: true, wide: true },
    { head: 'Talked', cell: (call) => duration(talkedFor(call)), numeric: true, wide: true },
  ];
  const empty = asks
    ? html`<p>No call is like this. <a href="/activity">All calls</a></p>`
    : html`<p>No call yet. Each one that your phone system tells of is kept here, from its first ring on.</p>`;
  return table({ caption: 'Calls, newest first', columns, rows: calls, empty, stacked: true });
}

/** All that match, newest first, read as they are sent. Times with their offset from UTC, durations in seconds. */
export async function* callsAsCsv(
  store: Store,
  account: number,
  filter: CallFilter,
  { timeZone }: Formats,
): AsyncGenerator<string> {
  const time = (at: number | null) =>
    at === null
      ? null
      : Temporal.Instant.fromEpochMilliseconds(at)
          .toZonedDateTimeISO(timeZone)
          .toString({ timeZoneName: 'never', smallestUnit: 'second' });
  const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));
  // The mark in front has spreadsheets read it as UTF-8.
  yield `\ufeff${csvLines([
    ['id', 'began', 'number', 'customer', 'customer_name', 'segment', 'outcome', 'answered_by'].concat([
      'answered',
      'ended',
      'waited_seconds',
      'talked_seconds',
    ]),
  ])}`;
  let from = null;
  do {
    const { calls, next } = await store.calls.page({
      ...{ account, filter, towards: 'older', from, limit: PER_CHUNK },
    } as const);
    if (calls.length > 0)
      yield csvLines(
        calls.map((call) => [
          call.id,
          time(call.startedAt),
          call.number,
          call.customer?.reference ?? null,
          call.customer?.name ?? null,
          call.segment,
          call.missed ? 'missed' : call.status === 'completed' ? 'answered' : call.status,
          call.callerId,
          time(call.answeredAt),
          time(call.completedAt),
          seconds(rangFor(call)),
          seconds(talkedFor(call)),
        ]),
      );
    from = next;
  } while (from !== null);
}
