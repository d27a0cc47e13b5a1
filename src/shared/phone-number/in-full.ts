import { getCountryCallingCode } from 'libphonenumber-js/max';
import { homeOf, parse, prefixAbroad } from './parse-number.ts';

/** Numbers without area code have fewer digits, also those that begin as the country's calling code does. */
const SHORTEST_WITHOUT_PLUS = 10;

/** True for a number with its country: `+49 30 901820`, `0049 30 901820`, `011 49 30 901820` in the USA, `4930901820` in Germany. */
export function hasCountry(text: string, number: string, country: string | null | undefined): boolean {
  if (/^(?:\+|00[1-9])/.test(text)) return true;
  const home = homeOf(country);
  if (home === undefined || !number.startsWith('+')) return false;
  const digits = text.replace(/\D+/g, '');
  if (isAbroad(number, country)) return prefixAbroad(home).test(digits);
  return number === `+${digits}` && digits.length >= SHORTEST_WITHOUT_PLUS;
}

/**
 * True for a number of the country as it is written there in full: with its 0 where there is one. Without it the digits are as
 * well a number without its area code, and in large cities most of those are numbers of another town. `number`: as it is read.
 */
export function isNationalInFull(text: string, number: string, country: string | null | undefined): boolean {
  const parsed = isAbroad(number, country) ? undefined : parse(number);
  if (parsed === undefined) return false;
  const digits = text.replace(/\D+/g, '');
  const dialled = digits.endsWith(parsed.nationalNumber)
    ? digits.slice(0, -parsed.nationalNumber.length)
    : '';
  if (dialled !== '' && dialled !== parsed.countryCallingCode) return true;
  // `(212) 555-0123`; where the 0 is often left out, as in India, both.
  const forms = [parsed.formatNational(), parsed.formatNational({ nationalPrefix: false })];
  return forms.some((form) => form.replace(/\D+/g, '') === digits);
}

/** True for a number with the calling code of another country. */
export function isAbroad(number: string, country: string | null | undefined): boolean {
  const home = homeOf(country);
  return (
    home !== undefined && number.startsWith('+') && !number.startsWith(`+${getCountryCallingCode(home)}`)
  );
}
