import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { LRUCache } from 'lru-cache';

/** Shorter numbers without a country code are extensions and services, though a country's plan may allow them. */
const SHORTEST = 6;

/** Parsing a number takes some 8 µs, and the events of a call, and its lookup, have the same one. */
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * The form in which numbers are compared (decision `number-format`): E.164, numbers without a country code as dialled
 * in `country` (ISO 3166-1 alpha-2, or null); what is no such number by its digits.
 */
export function comparable(number: string, country: string | null): string {
  const key = `${country} ${number}`;
  let form = known.get(key);
  if (form === undefined) {
    form = parse(number, country);
    known.set(key, form);
  }
  return form;
}

function parse(number: string, country: string | null): string {
  const digits = number.replace(/\D/g, '');
  if (digits.length < SHORTEST && !number.startsWith('+')) return digits;
  const defaultCountry =
    country !== null && isSupportedCountry(country) ? (country as CountryCode) : undefined;
  const international = defaultCountry ? number : number.replace(/^00(?=[1-9])/, '+');
  const parsed = parsePhoneNumberFromString(international, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return parsed?.isPossible() ? parsed.number : digits;
}

/** A number as people read it: `+49 30 901820`. */
export function spaced(number: string): string {
  if (!number.startsWith('+')) return number;
  return parsePhoneNumberFromString(number, { extract: false })?.formatInternational() ?? number;
}

/** True for a country that numbers can be read in. */
export function isCountry(text: string): boolean {
  return isSupportedCountry(text);
}
