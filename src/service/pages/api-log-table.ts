import type { Integration } from '../store/directory-store.ts';
import type { StoredRequest } from '../store/request-store.ts';
import { cursorText } from './kit/cursor-list.ts';
import { displayText } from './kit/display-text.ts';
import { type Html, html } from './kit/html.ts';
import type { PageRequest } from './kit/page-request.ts';
import { type Column, table } from './kit/table.ts';

/** Characters of a payload in the list; the entry's page has all. */
const PREVIEW_LENGTH = 200;

/** Requests as a table. */
export function entryTable(
  entries: readonly StoredRequest[],
  { formats, now }: PageRequest,
  integrations: readonly Integration[],
  empty: Html,
): Html {
  const columns: Column<StoredRequest>[] = [
    {
      head: 'Time',
      cell: (entry) => html`<a href=${entryAddress(entry)}>${formats.moment(entry.at, now)}</a>`,
    },
    {
      head: 'Request',
      cell: (entry) => html`
        <span class="tabular">${entry.method} ${displayText(entry.path, 80)}</span><br />
        <code class="payload">${displayText(payloadText(entry), PREVIEW_LENGTH)}</code>`,
    },
    { head: 'Response', cell: (entry) => statusChip(entry.status) },
    { head: 'ms', cell: ({ duration }) => duration.toFixed(1), numeric: true, wide: true },
    {
      head: 'Integration',
      cell: (entry) => displayText(integrationName(entry, integrations), 40),
      wide: true,
    },
  ];
  return table({ caption: 'Requests', columns, rows: entries, empty, stacked: true });
}

const entryAddress = (entry: StoredRequest) => `/api-log/entry?entry=${cursorText(entry)}`;

export function integrationName({ integration }: StoredRequest, all: readonly Integration[]): string {
  return all.find(({ id }) => id === integration)?.name ?? '';
}

/** An HTTP status with its meaning for the sender. */
export function statusChip(status: number): Html {
  const word = status < 300 ? 'Accepted' : status < 500 ? 'Refused' : 'Failed';
  return html`<span class=${`state ${status < 300 ? 'answered' : 'missed'}`}>${status} ${word}</span>`;
}

/** A payload as text; invalid bytes become \ufffd. */
export function payloadText({ request }: StoredRequest): string {
  return typeof request === 'string' ? request : Buffer.from(request).toString('utf8');
}
