import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** What trunks and SIP phones write in place of a number that they do not want to show. */
const withheldWords = new Set([
  'anonymous',
  'blocked',
  'private',
  'restricted',
  'unavailable',
  'unknown',
  'withheld',
]);

/** An ISO 3166 country that national numbers can be read in. */
export function isCountry(text: string): boolean {
  return isSupportedCountry(text);
}

/**
 * The caller's number as it is told: E.164 (`+31201234567`), or its own digits where it is no number that the
 * country knows (an extension of another PBX, say). '' if there are no digits in it at all.
 */
export function normaliseNumber(raw: string, country: string | undefined): string {
  const parsed = parsePhoneNumberFromString(raw, {
    ...(country === undefined ? {} : { defaultCountry: country as CountryCode }),
    extract: false,
  });
  if (parsed?.isPossible()) return parsed.number;
  return raw.replace(/\D+/g, '');
}

/** True for a number text that says that the number is kept back, or that has nothing in it that could be dialled. */
export function isWithheld(raw: string): boolean {
  return withheldWords.has(raw.trim().toLowerCase()) || !/\d/.test(raw);
}
