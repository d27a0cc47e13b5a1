import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { choice, field } from '../kit/form.ts';
import type { Page } from '../kit/page-request.ts';
import { cursorIn, cursorText, pager, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import type { AuditStore } from './audit-store.ts';

const PER_PAGE = 50;

type Parts = { readonly store: { readonly audit: AuditStore } };

/** Who did what in the account, newest first, by kind and person. */
export function auditPage(pages: Pages, parts: Parts): void {
  pages.get('/audit', 'administrator', (request) => page(request, parts));
}

async function page(request: UserRequest, { store }: Parts): Promise<Page> {
  const { account, query, words } = request;
  const { common, audit: text } = words;
  const title = words.settings.audit;
  const [what, who] = [query.get('kind') || null, query.get('who')?.trim() || null];
  const before = cursorIn(query.get('older'));
  const { entries, next } = await store.audit.page({
    account: account.id,
    what,
    who,
    before,
    limit: PER_PAGE,
  });
  const address = (also: Record<string, string>) =>
    `/audit?${new URLSearchParams({ ...(what && { kind: what }), ...(who && { who }), ...also })}`;
  const filtered = what !== null || who !== null;
  return {
    title,
    body: html`
        <div class="head"><h1>${title}</h1></div>
        <form class="filters" action="/audit" role="search" aria-label=${title}>
          ${field({ label: words.users.user, name: 'who', type: 'search', value: who ?? '', maxlength: 80 })}
          ${choice({ label: text.action, name: 'kind', value: what ?? '', options: [['', common.all], ...Object.entries(text.kinds)] })}
          <div class="together">
            <button type="submit" class="primary">${common.search}</button>
            ${filtered && html`<a href="/audit">${common.clearFilter}</a>`}
          </div>
        </form>
        ${entryTable(request, entries)}
        ${pager(words.kit, {
          newer: before === null ? undefined : address({}),
          older: next === null ? undefined : address({ older: cursorText(next) }),
          labels: [words.kit.newest, words.kit.older],
        })}
      `,
  };
}

function entryTable(
  { formats, now, words }: UserRequest,
  rows: Awaited<ReturnType<AuditStore['page']>>['entries'],
): Html {
  const { common, audit: text } = words;
  return table({
    caption: words.settings.audit,
    rows,
    kind: 'audit',
    heads: 'unseen',
    columns: [
      {
        head: words.users.user,
        name: true,
        cell: ({ who }) =>
          html`<a href=${`/audit?${new URLSearchParams({ who })}`}>${displayText(who, 40)}</a>`,
      },
      {
        head: text.action,
        cell: ({ what, target }) =>
          html`${text.kinds[what] ?? displayText(what)} <span class="quiet">${target && displayText(target)}</span>`,
      },
      { head: words.account.from, is: 'quiet', cell: ({ from }) => displayText(from, 60) },
      {
        head: common.time,
        is: 'when quiet',
        end: true,
        cell: ({ at }) => formats.moment(at, now, 'seconds'),
      },
    ],
    empty: text.none,
  });
}
