import { callExtrasSchema } from '../../shared/api/contract/call-extras.ts';
import type { Integration } from '../accounts/directory-store.ts';
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
  { formats, now, words }: PageRequest,
  integrations: readonly Integration[],
  empty: Html,
): Html {
  const text = words.apiLog;
  const columns: Column<StoredRequest>[] = [
    {
      head: words.common.time,
      cell: (entry) => html`<a href=${entryAddress(entry)}>${formats.moment(entry.at, now, 'seconds')}</a>`,
    },
    {
      head: text.request,
      cell: (entry) => html`
        <span class="tabular">${entry.method} ${displayText(entry.path, 80)}</span><br />
        <code class="payload">${displayText(payloadText(entry), PREVIEW_LENGTH)}</code>`,
    },
    {
      head: text.response,
      cell: (entry) =>
        html`${statusChip(entry, words)}${extrasLeftOut(entry) !== undefined && html`<br /><span class="error">${text.noExtras}</span>`}`,
    },
    { head: 'ms', cell: ({ duration }) => formats.number(duration, 1), numeric: true, wide: true },
    {
      head: text.integration,
      cell: (entry) => displayText(integrationName(entry, integrations), 40),
      wide: true,
    },
  ];
  return table({ caption: text.requests, columns, rows: entries, key: cursorText, empty, stacked: true });
}

export const entryAddress = (entry: StoredRequest) => `/api-log/entry?entry=${cursorText(entry)}`;

export function integrationName({ integration }: StoredRequest, all: readonly Integration[]): string {
  return all.find(({ id }) => id === integration)?.name ?? '';
}

/** An HTTP status with its meaning for the sender, and an event that did nothing to its call. */
export function statusChip({ status, effect }: StoredRequest, { apiLog: text }: Words): Html {
  const word = status < 300 ? text.accepted : status < 500 ? text.refused : text.failed;
  const nothing = effect === 'discarded' ? text.discarded : effect === 'repeated' && text.repeated;
  return html`<span class=${`state ${status < 300 ? 'answered' : 'missed'}`}>${status} ${word}</span>${
    nothing && html`<br /><span class=${effect === 'discarded' ? 'error' : 'quiet'}>${nothing}</span>`
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
