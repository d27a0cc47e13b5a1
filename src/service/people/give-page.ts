import type { User } from '../accounts/user.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { displayText } from '../kit/display-text.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { nameOf, pageAfter, subject, subjectFields } from './call-back-form.ts';
import type { CallBackList } from './call-back-list.ts';
import type { CallBack } from './call-backs.ts';

/** Who else may call back. */
export type Colleague = Pick<User, 'uid' | 'name'>;

export type ColleagueStore = {
  readonly users: { list(account: number): Promise<readonly Colleague[]> };
};

/** The other users of the account. */
export async function colleaguesOf(
  { users }: ColleagueStore,
  { account, user }: Pick<UserRequest, 'account' | 'user'>,
): Promise<Colleague[]> {
  return (await users.list(account.id)).filter(({ uid }) => uid !== user.uid);
}

type Parts = { readonly store: ColleagueStore; readonly callBackList: CallBackList };

/**
 * Gives a person whom the user has taken to a colleague. A page of its own: with the colleagues in each row of the list, the
 * list would have as many buttons as rows times colleagues.
 */
export function givePage(pages: Pages, parts: Parts): void {
  pages.get('/call-back/give', 'agent', (request) => page(request, parts));
}

async function page(request: UserRequest, { store, callBackList }: Parts): Promise<Page> {
  const { query, account, words, token } = request;
  const { give } = words.callBack;
  const read = subject.safeParse(Object.fromEntries(query));
  if (!read.success) throw new Refusal(422, ({ notDialable }) => notDialable);
  const { number } = read.data;
  const [person] = (await callBackList.read(account.id, [number])).people;
  if (person === undefined) throw new Refusal(404, ({ notThere }) => notThere);
  const colleagues = (await colleaguesOf(store, request)).sort((a, b) => a.name.localeCompare(b.name));
  const leadsTo = pageAfter(read.data, 'taken');
  return {
    title: `${give}: ${nameOf(person)}`,
    body: html`
        <a class="back" href=${leadsTo}>${icon('chevron-left')}${read.data.from === 'person' ? nameOf(person) : words.layout.callBack}</a>
        <div class="head"><h1>${nameOf(person)}</h1></div>
        <p class="quiet">${give}</p>
        ${changeForm(
          { action: '/call-back', token, label: give },
          html`${hiddenFields({ ...read.data, kind: 'taken' })}
            <div class="together">${colleagues.map(({ uid, name }) => html`<button type="submit" name="to" value=${uid} aria-label=${`${give} ${plainText(name, 40)}`}>${displayText(name, 40)}</button>`)}</div>`,
        )}
      `,
  };
}

/** To the page on which one gives a person to a colleague. */
export function giveLink(one: CallBack, request: UserRequest): Html {
  const { give } = request.words.callBack;
  const address = `/call-back/give?${new URLSearchParams(subjectFields(one, request))}`;
  return html`<a href=${address} aria-label=${`${give}: ${nameOf(one)}`}>${icon('users')}${give} …</a>`;
}
