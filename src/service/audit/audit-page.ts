import { displayText } from '../kit/display-text.ts';
import { choice, field } from '../kit/form.ts';
import type { Pages } from '../kit/page-request.ts';
import { cursorIn, cursorText, pager, table } from '../kit/table.ts';
import { html } from '../words/html.ts';
import type { AuditStore } from './audit-store.ts';

const PER_PAGE = 50;

/** Who did what in the account, newest first, by kind and person. */
export function auditPage(pages: Pages, audit: AuditStore): void {
  pages.get('/audit', 'administrator', async ({ account, query, formats, words }) => {
    const { common, audit: text } = words;
    const [what, who] = [query.get('kind') || null, query.get('who')?.trim() || null];
    const before = cursorIn(query.get('older'));
    const { entries, next } = await audit.page({ account: account.id, what, who, before, limit: PER_PAGE });
    const address = (also: Record<string, string>) =>
      `/audit?${new URLSearchParams({ ...(what && { kind: what }), ...(who && { who }), ...also })}`;
    const filtered = what !== null || who !== null;
    return {
      title: text.title,
      body: html`
        <p><a href="/users">← ${words.users.title}</a></p>
        <h1>${text.title}</h1>
        <form class="filter" action="/audit" role="search" aria-label=${text.title}>
          ${field({ label: text.user, name: 'who', type: 'search', value: who ?? '', maxlength: 80 })}
          ${choice({ label: text.action, name: 'kind', value: what ?? '', options: [['', common.all], ...Object.entries(text.kinds)] })}
          <div class="buttons">
            <button type="submit" class="main">${common.search}</button>
            ${filtered && html`<a href="/audit">${common.clearFilter}</a>`}
          </div>
        </form>
        ${table({
          caption: text.caption,
          rows: entries,
          columns: [
            { head: common.time, cell: ({ at }) => formats.dateTime(at) },
            { head: text.action, cell: ({ what: kind }) => text.kinds[kind] ?? displayText(kind) },
            {
              head: text.by,
              cell: ({ who: name }) =>
                html`<a href=${`/audit?${new URLSearchParams({ who: name })}`}>${displayText(name, 40)}</a>`,
            },
            { head: text.from, cell: ({ from }) => displayText(from, 60) },
            { head: text.details, cell: ({ target }) => target && displayText(target) },
          ],
          empty: html`<p>${text.none}</p>`,
          stacked: true,
        })}
        ${pager(words.kit, {
          newer: before === null ? undefined : address({}),
          older: next === null ? undefined : address({ older: cursorText(next) }),
          labels: [text.newest, words.kit.older],
        })}
      `,
    };
  });
}
