import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { matchesStars } from '../../shared/phone-number/star-pattern.ts';
import type { DueDelivery, EventFilter } from './webhook.ts';

const withoutSeparators = (text: string) => text.replace(/[\s()/.-]/g, '');

/** Whether a number called is one that a filter names: `*` is any digits, and the country is that of the account. */
function isCalled(pattern: string, numberCalled: string, country: string | null): boolean {
  const digits = withoutSeparators(pattern);
  const called = withoutSeparators(numberCalled);
  const whole = normaliseNumber(called, country);
  if (!digits.includes('*'))
    return [called, whole].includes(digits) || normaliseNumber(digits, country) === whole;
  return matchesStars(digits, called) || matchesStars(digits, whole);
}

/**
 * Whether a webhook with this filter wants an event. A test it always does; what is gone is nothing to send. An event without a number
 * called (all but calls), a segment or a customer does not match a list of them.
 */
export function wantsEvent(
  { called, segments, customers }: EventFilter,
  { event, call, person }: Pick<DueDelivery, 'event' | 'call' | 'person'>,
  country: string | null,
): boolean {
  if (event === 'test') return true;
  if (person !== null && isGone(event, person)) return false;
  const numberCalled = call?.extras.numberCalled ?? null;
  const segment = call?.segment ?? person?.customer?.segment ?? null;
  const customer = call?.customer?.reference ?? referenceOf(event, person);
  return (
    (called.length === 0 ||
      (numberCalled !== null && called.some((one) => isCalled(one, numberCalled, country)))) &&
    (segments.length === 0 || (segment !== null && segments.includes(segment))) &&
    (customers.length === 0 || (customer !== null && customers.includes(customer)))
  );
}

const referenceOf = (event: DueDelivery['event'], person: DueDelivery['person']) =>
  person && (event.startsWith('customer.') ? person.about : (person.customer?.reference ?? null));

const isGone = (event: DueDelivery['event'], { action, customer }: NonNullable<DueDelivery['person']>) =>
  !event.endsWith('.removed') && (event.startsWith('customer.') ? customer : action) === null;
