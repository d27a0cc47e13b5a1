import { callExtrasSchema } from '../../shared/api/contract/call-extras.ts';
import type { Integration } from '../accounts/account.ts';
import { backOf } from '../calls/call-cells.ts';
import { displayText } from '../kit/display-text.ts';
import type { PageRequest } from '../kit/page-request.ts';
import { type Column, cursorText, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { StoredRequest } from './request-store.ts';

/** Characters of a payload in the list; the entry's page has all. */
const PREVIEW_LENGTH = 200;

/** Requests as a table. */
export function entryTable(
  entries: readonly StoredRequest[],
  request: PageRequest,
  integrations: readonly Integration[],
  empty: Html,
): Html {
  const { formats, now, words, moved } = request;
  const text = words.apiLog;
  const columns: Column<StoredRequest>[] = [
    {
      head: text.response,
      is: 'by',
      cell: (entry) =>
        html`${statusChip(entry, words)}${extrasLeftOut(entry) !== undefined && html` <span class="is-missed">${text.noExtras}</span>`}`,
    },
    {
      head: text.request,
      name: true,
      cell: (
        entry,
      ) => html`<a href=${entryAddress(entry, request)}>${entry.method} ${displayText(entry.path, 80)}</a>
        <code class="small quiet payload">${displayText(payloadText(entry), PREVIEW_LENGTH)}</code>`,
    },
    {
      head: text.integration,
      is: 'quiet seg',
      cell: (entry) => displayText(integrationName(entry, integrations), 40),
    },
    { head: 'ms', is: 'quiet long', cell: ({ duration }) => formats.number(duration, 1), end: true },
    {
      head: words.common.time,
      is: 'when quiet',
      end: true,
      cell: (entry) => formats.moment(entry.at, now, 'seconds'),
    },
  ];
  return table({
    kind: 'log',
    caption: text.requests,
    columns,
    rows: entries,
    key: cursorText,
    empty,
    moved,
  });
}

const entryAddress = (entry: StoredRequest, request: PageRequest) =>
  `/api-log/entry?${new URLSearchParams({ entry: cursorText(entry), back: backOf(request) })}`;

export function integrationName({ integration }: StoredRequest, all: readonly Integration[]): string {
  return all.find(({ id }) => id === integration)?.name ?? '';
}

/** An HTTP status with its meaning for the sender, and an event that did nothing to its call. */
export function statusChip({ status, effect }: StoredRequest, { apiLog: text }: Words): Html {
  const word = status < 300 ? text.outcomes.accepted : status < 500 ? text.refused : text.failed;
  const nothing = effect === 'discarded' ? text.outcomes.discarded : effect === 'repeated' && text.repeated;
  return html`<span class=${`state ${status < 300 ? 'answered' : 'missed'}`}>${status} ${word}</span>${
    nothing && html` <span class=${effect === 'discarded' ? 'is-missed' : 'quiet'}>${nothing}</span>`
  }`;
}

/** Why an accepted event counts without its `extras`; undefined if it has none, or they were read. */
export const extrasLeftOut = (entry: StoredRequest): string | undefined =>
  entry.effect !== null && entry.method === 'POST' ? extrasProblem(payloadText(entry)) : undefined;

/** A payload as text; invalid bytes become \ufffd. */
export function payloadText({ request }: StoredRequest): string {
  return typeof request === 'string' ? request : Buffer.from(request).toString('utf8');
}

/** Why the `extras` of an event's payload were left out; undefined if they were not, or there are none. */
function extrasProblem(payload: string): string | undefined {
  if (!payload.includes('extras')) return undefined;
  let extras: unknown;
  try {
    extras = JSON.parse(payload)?.extras;
  } catch {
    return undefined;
  }
  const issue = extras == null ? undefined : callExtrasSchema.safeParse(extras).error?.issues[0];
  return issue && `${['extras', ...issue.path].join('.')}: ${issue.message}`;
}
