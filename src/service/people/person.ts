import type { PageRequest } from '../kit/page-request.ts';
import type { CallBack } from './call-backs.ts';
import { type Customer, MAX_NUMBERS } from './customer-fields.ts';

/**
 * Numbers of a customer that its page looks up and shows: all, each of which may be stored in two forms. Earlier versions let
 * a customer have thousands.
 */
export const SHOWN_NUMBERS = 2 * MAX_NUMBERS;

/** A customer, or a stranger with the one number. */
export type Person = {
  readonly customer: Customer | undefined;
  readonly numbers: readonly string[];
  /** The one that a note is kept with: as in the address, else the one that called last; '' if there is none. */
  readonly number: string;
  /** When each number called last, Unix ms. */
  readonly lastCalls: ReadonlyMap<string, number>;
  /** Undefined if there was no missed call in the last days. */
  readonly callBack: CallBack | undefined;
};

/** The page that a person's page leads back to, kept by its forms; '' for none. */
export const backIn = ({ query, form }: Pick<PageRequest, 'query' | 'form'>): string =>
  query.get('back') ?? form.get('back') ?? '';

/** The address of a person's page, which leads back to the same page as this one. */
export function personPath(
  { customer, number }: Pick<Person, 'customer' | 'number'>,
  request: Pick<PageRequest, 'query' | 'form'>,
  also: Record<string, string> = {},
): string {
  const back = backIn(request);
  return `/person?${new URLSearchParams({
    ...(customer ? { customer: customer.reference } : { number }),
    ...(back && { back }),
    ...also,
  })}`;
}
