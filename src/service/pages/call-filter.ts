import { normaliseNumber } from '../../phone-number/normalise-number.ts';
import { extensionsNamed, extensionsOf } from '../accounts/extensions.ts';
import { dateIn } from '../reports/calendar.ts';
import type { CallFilter } from '../store/call-store.ts';
import type { Account } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';
import type { User } from '../store/user-store.ts';
import type { PageRequest } from './kit/page-request.ts';

/** The search in the address of the call list, as typed. */
export type CallQuery = {
  readonly number: string;
  readonly customer: string;
  readonly extension: string;
  /** `1`: calls that the user answered. */
  readonly mine: '1' | '';
  readonly outcome: CallFilter['outcome'];
  /** `2026-11-20` in the account's time zone; '' for none. */
  readonly from: string;
  readonly to: string;
};

export const outcomes = [
  ['', 'All calls'],
  ['open', 'In progress'],
  ['answered', 'Answered'],
  ['missed', 'Missed'],
] as const;

export function callQueryIn(query: URLSearchParams): CallQuery {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 255);
  const day = (name: string) => dateIn(query.get(name))?.toString() ?? '';
  const outcome = outcomes.find(([value]) => value !== '' && value === query.get('outcome'))?.[0] ?? null;
  return {
    number: text('number'),
    customer: text('customer'),
    extension: text('extension'),
    mine: query.has('mine') ? '1' : '',
    outcome: outcome as CallFilter['outcome'],
    from: day('from'),
    to: day('to'),
  };
}

/** The address of a page with this query and further parameters. */
export function addressOf(
  path: string,
  callQuery: Partial<CallQuery>,
  also: Record<string, string> = {},
): string {
  const given = Object.entries({ ...callQuery, ...also }).filter(
    ([, value]) => value !== '' && value !== null,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}

/**
 * The store's filter for a query. A number that has called, in national or international format, is searched exactly,
 * any other as a part of numbers. A customer is searched by reference if a call has it, else by a part of the name.
 */
export async function filterOf(
  callQuery: CallQuery,
  { id, country }: Account,
  timeZone: string,
  { calls }: Pick<Store, 'calls'>,
  { extensions, user }: Pick<PageRequest, 'extensions'> & { readonly user: Pick<User, 'id'> },
): Promise<CallFilter> {
  const any = { number: null, customer: null, extensions: null, outcome: null, since: null, until: null };
  const exists = async (filter: Partial<CallFilter>) => {
    const one = {
      account: id,
      filter: { ...any, ...filter },
      towards: 'older',
      from: null,
      limit: 1,
    } as const;
    return (await calls.page(one)).calls.length > 0;
  };
  const startOf = (date: Temporal.PlainDate | undefined) =>
    date?.toZonedDateTime(timeZone).epochMilliseconds ?? null;

  const digits = callQuery.number.replace(/\D/g, '');
  const whole = normaliseNumber(callQuery.number, country);
  const isWhole = digits !== '' && (await exists({ number: { is: whole } }));
  const isReference = callQuery.customer !== '' && (await exists({ customer: { is: callQuery.customer } }));
  return {
    // Without leading zeros, which are not part of the international number.
    number: digits === '' ? null : isWhole ? { is: whole } : { has: digits.replace(/^0+(?=\d)/, '') },
    customer:
      callQuery.customer === ''
        ? null
        : isReference
          ? { is: callQuery.customer }
          : { has: callQuery.customer },
    extensions: callQuery.mine
      ? extensionsOf(extensions, user.id)
      : callQuery.extension === ''
        ? null
        : [callQuery.extension, ...extensionsNamed(extensions, callQuery.extension)],
    outcome: callQuery.outcome,
    since: startOf(dateIn(callQuery.from)),
    until: startOf(dateIn(callQuery.to)?.add({ days: 1 })),
  };
}
