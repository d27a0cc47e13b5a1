import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { extensionText, numberCalledText } from '../accounts/extensions.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { duration } from '../kit/formats.ts';
import { topPageOf } from '../kit/layout.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import { type CallRecord, rangFor, talkedFor } from './call-record.ts';

/** A call that is open for longer has ended without a report. */
const MAX_CALL_MS = 24 * 3_600_000;

/** `Queue sales, caller hung up after 0:35`; '' if the bridge reports no end. */
export function endText({ extras: { missed } }: CallRecord, { calls: text }: Words): string {
  if (missed === null) return '';
  const { where, name, by, after } = missed;
  const place = [text.places[where ?? 'unknown'], name && plainText(name, 64)].filter(Boolean).join(' ');
  const end = [by && text.endedBy[by], after !== null && text.after(duration(after * 1000))];
  return [place, end.filter(Boolean).join(' ')].filter(Boolean).join(', ');
}

/** A call's state or outcome. */
export function stateOf(
  { status, missed, startedAt }: CallRecord,
  { now, words: { calls: text } }: PageRequest,
): Html {
  const [kind, word] = missed
    ? ['missed', text.missed]
    : status === 'completed'
      ? ['answered', text.answered]
      : now - startedAt > MAX_CALL_MS
        ? ['', text.endUnknown]
        : status === 'answered'
          ? ['answered', text.onACall]
          : ['ringing', text.ringing];
  return html`<span class=${`state ${kind}`}>${word}</span>`;
}

/** The page of the caller with this number; `back`: the page that it leads back to. */
export const callerAddress = (number: string, back: string) =>
  `/callers?${new URLSearchParams({ number, back })}`;

/** Where a caller's page leads back to from here. */
export const backOf = ({ path, query }: PageRequest): string =>
  query.get('back') ?? (query.size > 0 ? `${path}?${query}` : path);

/** A link to the page that led here, if it is one of those at the top or under one. */
export function backLink({ query, words: { layout } }: PageRequest): Html {
  const back = query.get('back') ?? '';
  const top = topPageOf(back.split('?')[0] ?? '');
  return html`<p class="quiet"><a href=${top ? back : '/calls'}>← ${layout[top?.label ?? 'calls']}</a></p>`;
}

export const callAddress = (id: string) => `/calls/details?${new URLSearchParams({ id })}`;

/** A customer's name, linked to its page. */
export function customerLink({ reference, name }: NonNullable<CallRecord['customer']>): Html {
  return html`<a href=${`/customers/edit?${new URLSearchParams({ reference })}`}>${displayText(name, 80)}</a>`;
}

export const segmentChip = (segment: string | null): Html =>
  segment !== null && html`<span class="chip">${displayText(segment, 40)}</span>`;

/** What client/live-parts.js says of calls that came. */
export const newCalls = ({ words: { kit } }: PageRequest) => ({
  'data-new-one': kit.newCall,
  'data-new-many': kit.newCalls,
});

/** Calls as a table, on this and other pages. */
export function callTable(calls: readonly CallRecord[], request: PageRequest, filtered: boolean): Html {
  const { formats, now, extensions, words } = request;
  const text = words.calls;
  const columns: Column<CallRecord>[] = [
    {
      head: text.time,
      cell: ({ id, startedAt }) => html`<a href=${callAddress(id)}>${formats.moment(startedAt, now)}</a>`,
    },
    {
      head: text.caller,
      cell: ({ customer, number, segment }) => html`
        ${customer && html`${customerLink(customer)} ${segmentChip(segment)}<br />`}
        <a href=${callerAddress(number, backOf(request))}><span class="number">${displayText(spaced(number), 40)}</span></a>`,
    },
    {
      head: text.outcome,
      cell: (call) => {
        const end = endText(call, words);
        return html`${stateOf(call, request)}${end && html`<br /><span class="quiet">${end}</span>`}`;
      },
    },
    ...(calls.some(({ extras }) => extras.numberCalled !== null)
      ? [
          {
            head: text.numberCalled,
            cell: ({ extras: { numberCalled } }: CallRecord) =>
              numberCalled && displayText(numberCalledText(extensions, numberCalled), 60),
            wide: true,
          } as const,
        ]
      : []),
    {
      head: text.answeredBy,
      cell: ({ callerId }) => callerId && displayText(extensionText(extensions, callerId), 60),
      wide: true,
    },
    { head: text.wait, cell: (call) => duration(rangFor(call)), numeric: true, wide: true },
    { head: text.duration, cell: (call) => duration(talkedFor(call)), numeric: true, wide: true },
  ];
  const empty = filtered
    ? html`<p>${text.noMatch} <a href="/calls">${text.showAll}</a></p>`
    : html`<p>${text.none}</p>`;
  const key = ({ id }: CallRecord) => id;
  return table({ caption: text.caption, columns, rows: calls, key, empty, stacked: true });
}
