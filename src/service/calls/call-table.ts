import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { extensionText, numberCalledText } from '../accounts/extensions.ts';
import { displayText } from '../kit/display-text.ts';
import { duration } from '../kit/formats.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import {
  backOf,
  callAddress,
  callerAddress,
  customerLink,
  endText,
  segmentChip,
  stateOf,
} from './call-cells.ts';
import { type CallRecord, rangFor, talkedFor } from './call-record.ts';

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
