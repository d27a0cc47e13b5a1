import { normaliseNumber } from '../../phone-number/normalise-number.ts';
import { dateIn } from '../reports/calendar.ts';
import type { CallCursor, CallFilter } from '../store/call-store.ts';
import type { Account } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';

/** What an address of the activity asks for, as it was typed. */
export type ActivityAsked = {
  readonly number: string;
  readonly customer: string;
  readonly extension: string;
  readonly outcome: CallFilter['outcome'];
  /** `2026-11-20`, of the account's days; '' for none. */
  readonly from: string;
  readonly to: string;
};

export const outcomes = [
  ['', 'All calls'],
  ['open', 'In progress'],
  ['answered', 'Answered'],
  ['missed', 'Missed'],
] as const;

export function askedOf(query: URLSearchParams): ActivityAsked {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 255);
  const day = (name: string) => dateIn(query.get(name))?.toString() ?? '';
  const outcome = outcomes.find(([value]) => value !== '' && value === query.get('outcome'))?.[0] ?? null;
  return {
    number: text('number'),
    customer: text('customer'),
    extension: text('extension'),
    outcome: outcome as CallFilter['outcome'],
    from: day('from'),
    to: day('to'),
  };
}

/** The address that asks for this, with whatever else is given. */
export function addressOf(
  path: string,
  asked: Partial<ActivityAsked>,
  also: Record<string, string> = {},
): string {
  const given = Object.entries({ ...asked, ...also }).filter(([, value]) => value !== '' && value !== null);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}

/**
 * What the store is asked. A number is the one that was meant if somebody called from it, as one dials it or in full;
 * else it is a part of numbers. A customer is a reference that calls have, else a part of names.
 */
export async function filterOf(
  asked: ActivityAsked,
  { id, country }: Account,
  timeZone: string,
  { calls }: Pick<Store, 'calls'>,
): Promise<CallFilter> {
  const any = { number: null, customer: null, extension: null, outcome: null, since: null, until: null };
  const found = async (filter: Partial<CallFilter>) => {
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

  const digits = asked.number.replace(/\D/g, '');
  const whole = normaliseNumber(asked.number, country);
  const isWhole = digits !== '' && (await found({ number: { is: whole } }));
  const isReference = asked.customer !== '' && (await found({ customer: { is: asked.customer } }));
  return {
    // Without the zeros that are dialled before it: they are no part of the number in full.
    number: digits === '' ? null : isWhole ? { is: whole } : { has: digits.replace(/^0+(?=\d)/, '') },
    customer: asked.customer === '' ? null : isReference ? { is: asked.customer } : { has: asked.customer },
    extension: asked.extension || null,
    outcome: asked.outcome,
    since: startOf(dateIn(asked.from)),
    until: startOf(dateIn(asked.to)?.add({ days: 1 })),
  };
}

/** A place in an address: `1763625600000.17`. */
export const placeText = ({ at, id }: CallCursor): string => `${at}.${id}`;

export function placeIn(text: string | null): CallCursor | null {
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? '') ?? [];
  return at === undefined ? null : { at: Number(at), id: Number(id) };
}
