import { extensionsOf } from '../accounts/extensions.ts';
import type { User } from '../accounts/user.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { numberedPage, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';

/** The users, and when each was last seen. */
export function userTable(
  { words: { common, users: text }, extensions, formats, now }: UserRequest,
  users: readonly User[],
  seen: ReadonlyMap<number, number>,
): Html {
  const lastSeen = ({ id, password }: User) => {
    const at = seen.get(id);
    return at === undefined ? password === null && text.invited : formats.moment(at, now);
  };
  return table({
    kind: 'users',
    caption: text.user,
    rows: users,
    empty: null,
    columns: [
      {
        head: common.name,
        name: true,
        cell: ({ uid, name }) => html`<a href=${`/users/${uid}`}>${displayText(name, 80)}</a>`,
      },
      {
        head: text.extensions,
        is: 'by',
        cell: ({ id }) => {
          const own = extensionsOf(extensions, id).join(', ');
          return own && displayText(own, 60);
        },
      },
      { head: text.role, is: 'role', cell: ({ role }) => text.roles[role] },
      { head: text.lastSeen, is: 'when quiet', end: true, cell: lastSeen },
    ],
  });
}

/** Extensions, or numbers, on a page of them. */
const PER_PAGE = 200;

/** Extensions or numbers called, by their names; a row opens its form. */
export function numberTable(
  request: UserRequest,
  caption: string,
  rows: readonly string[],
  filter: 'extension' | 'called',
): Html {
  const { layout, users: text } = request.words;
  const { extensions } = request;
  const address = (path: string, name: string, value: string) =>
    `${path}?${new URLSearchParams({ [name]: value })}`;
  const place = numberedPage(request, '/users', `${filter}-page`, PER_PAGE);
  const shown = rows.slice(place.skipped, place.skipped + PER_PAGE);
  return (
    rows.length > 0 &&
    html`<h2 class="after">${caption}</h2>
      ${table({
        kind: 'ext',
        caption,
        rows: shown,
        heads: 'unseen',
        empty: null,
        columns: [
          {
            head: caption,
            name: true,
            cell: (one) =>
              html`<a href=${`${address('/users', 'extension', one)}#edit`}>${displayText(extensions.get(one)?.name || one, 80)}</a>`,
          },
          { head: text.extension, cell: (one) => extensions.get(one)?.name && displayText(one, 60) },
          {
            head: layout.calls,
            end: true,
            cell: (one) => html`<a class="tel" href=${address('/calls', filter, one)}>${layout.calls}</a>`,
          },
        ],
      })}
      ${place.links(place.skipped + PER_PAGE < rows.length)}`
  );
}
