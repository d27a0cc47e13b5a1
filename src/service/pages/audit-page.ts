import type { ServiceContext } from '../http/context.ts';
import { type AuditKind, auditKinds } from '../store/audit-store.ts';
import { cursorIn, cursorText } from './kit/cursor-list.ts';
import { displayText } from './kit/display-text.ts';
import { choice, field } from './kit/form.ts';
import { html } from './kit/html.ts';
import type { Pages } from './kit/page-request.ts';
import { pager, table } from './kit/table.ts';

const PER_PAGE = 50;

/** Who did what in the account, newest first, by kind and person. */
export function auditPage(pages: Pages, { store }: ServiceContext): void {
  pages.get('/audit', 'administrator', async ({ account, query, formats, words }) => {
    const [what, who] = [query.get('kind') || null, query.get('who')?.trim() || null];
    const before = cursorIn(query.get('older'));
    const page = { account: account.id, what, who, before, limit: PER_PAGE };
    const { entries, next } = await store.audit.page(page);
    const address = (also: Record<string, string>) =>
      `/audit?${new URLSearchParams({ ...(what && { kind: what }), ...(who && { who }), ...also })}`;
    const filtered = what !== null || who !== null;
    return {
      title: 'Audit log',
      body: html`
        <p><a href="/users">← Users</a></p>
        <h1>Audit log</h1>
        <form class="filter" action="/audit" role="search" aria-label="Audit log">
          ${field({ label: 'User', name: 'who', type: 'search', value: who ?? '', maxlength: 80 })}
          ${choice({ label: 'Action', name: 'kind', value: what ?? '', options: [['', 'All'], ...Object.entries(auditKinds)] })}
          <div class="buttons">
            <button type="submit" class="main">Search</button>
            ${filtered && html`<a href="/audit">Clear filter</a>`}
          </div>
        </form>
        ${table({
          caption: 'Audit log, newest first',
          rows: entries,
          columns: [
            { head: 'Time', cell: ({ at }) => formats.dateTime(at) },
            { head: 'Action', cell: ({ what: kind }) => auditKinds[kind as AuditKind] ?? displayText(kind) },
            {
              head: 'By',
              cell: ({ who: name }) =>
                html`<a href=${`/audit?${new URLSearchParams({ who: name })}`}>${displayText(name, 40)}</a>`,
            },
            { head: 'From', cell: ({ from }) => displayText(from, 60) },
            { head: 'Details', cell: ({ target }) => target && displayText(target) },
          ],
          empty: html`<p>No matching entries.</p>`,
          stacked: true,
        })}
        ${pager(words.kit, {
          newer: before === null ? undefined : address({}),
          older: next === null ? undefined : address({ older: cursorText(next) }),
          labels: ['Newest', 'Older'],
        })}
      `,
    };
  });
}
