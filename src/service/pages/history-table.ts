import type { Integration } from '../store/directory-store.ts';
import type { StoredRequest } from '../store/request-store.ts';
import { placeText } from './activity-filter.ts';
import { type Html, html } from './kit/html.ts';
import { shown } from './kit/shown.ts';
import { type Column, table } from './kit/table.ts';
import type { Visit } from './kit/visit.ts';

/** Of a payload in a list; the whole of it is on the entry's page. */
const SHORT = 200;

/** Entries of the request history as a table. */
export function entryTable(
  entries: readonly StoredRequest[],
  { formats, now }: Visit,
  integrations: readonly Integration[],
  empty: Html,
): Html {
  const columns: Column<StoredRequest>[] = [
    {
      head: 'When',
      cell: (entry) => html`<a href=${entryAddress(entry)}>${formats.moment(entry.at, now)}</a>`,
    },
    {
      head: 'Request',
      cell: (entry) => html`
        <span class="tabular">${entry.method} ${shown(entry.path, 80)}</span><br />
        <code class="payload">${shown(payloadText(entry), SHORT)}</code>`,
    },
    { head: 'Answer', cell: (entry) => statusChip(entry.status) },
    { head: 'ms', cell: ({ duration }) => duration.toFixed(1), numeric: true, wide: true },
    { head: 'Integration', cell: (entry) => shown(integrationName(entry, integrations), 40), wide: true },
  ];
  return table({ caption: 'Requests', columns, rows: entries, empty, stacked: true });
}

const entryAddress = (entry: StoredRequest) => `/history/entry?entry=${placeText(entry)}`;

export function integrationName({ integration }: StoredRequest, all: readonly Integration[]): string {
  return all.find(({ id }) => id === integration)?.name ?? '';
}

/** An HTTP status, and what it means for who sent the request. */
export function statusChip(status: number): Html {
  const word = status < 300 ? 'taken' : status < 500 ? 'refused' : 'failed';
  return html`<span class=${`state ${status < 300 ? 'answered' : 'missed'}`}>${status} ${word}</span>`;
}

/** A payload as text; bytes that are no text are told as such. */
export function payloadText({ request }: StoredRequest): string {
  return typeof request === 'string' ? request : Buffer.from(request).toString('utf8');
}
