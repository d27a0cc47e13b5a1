import type { UserRequest } from '../accounts/user-request.ts';
import { hasWords, searchWords } from '../kit/search-text.ts';
import type { CallBack } from './call-backs.ts';

export const whichPeople = ['mine', 'free'] as const;

/** Whom the list shows; '' for all. */
export type CallBackFilter = {
  readonly q: string;
  readonly which: '' | (typeof whichPeople)[number];
  readonly segment: string;
};

export function filterIn(query: URLSearchParams): CallBackFilter {
  const which = whichPeople.find((one) => one === query.get('which')) ?? '';
  return { q: query.get('q') ?? '', which, segment: query.get('segment') ?? '' };
}

/** What stands in an address. */
export const filterFields = (filter: CallBackFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));

type Asking = {
  readonly user: Pick<UserRequest['user'], 'name'>;
  readonly account: Pick<UserRequest['account'], 'country'>;
};

/** Whether somebody is shown: each word is in the name, a number or the newest note. */
export function matcherOf({ q, which, segment }: CallBackFilter, { user, account }: Asking) {
  const words = searchWords(q, account.country);
  return ({ call, numbers, note, taken }: CallBack): boolean => {
    if (which !== '' && (which === 'mine' ? taken?.user !== user.name : taken !== null)) return false;
    if (segment !== '' && call.segment !== segment) return false;
    return (
      words.length === 0 ||
      hasWords([call.customer?.name ?? '', ...numbers, note?.text ?? ''].join(' | '), words)
    );
  };
}
