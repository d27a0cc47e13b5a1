import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { en } from '../words/en.ts';
import { languages } from '../words/words.ts';
import type { DueDelivery } from './webhook.ts';

type Called = {
  readonly number?: string;
  readonly number_called?: string | null;
  readonly rang?: readonly { readonly name: string }[];
  readonly answered_by?: string | null;
};

const digitsOf = (number: string | null | undefined) => (number ?? '').replace(/\D/g, '');

/**
 * What a template can name: the event as it is sent without one, and what receivers want to know of it in other words. `is` has the
 * words of its name, since a template cannot compare.
 */
export function templateView(
  event: { readonly type: DueDelivery['event']; readonly timestamp: string; readonly data: object },
  { call, person }: Pick<DueDelivery, 'call' | 'person'>,
  language: string,
) {
  const { type, data } = event;
  const { names } = (languages.get(language) ?? en).webhooks;
  const { number, number_called, rang = [], answered_by } = data as Called;
  const owner = call?.customer ?? person?.customer;
  return {
    ...event,
    title: names[type],
    caller: owner?.name || (number !== undefined ? spaced(number) : (person?.about ?? '')),
    is: Object.fromEntries(type.split('.').map((word) => [word, true])),
    /** Numbers without a plus. */
    digits: { from: digitsOf(number), to: digitsOf(number_called) },
    /** Who answered, or whose phones rang. */
    users: answered_by ? [answered_by] : rang.map(({ name }) => name),
  };
}
