import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

/** Fewer digits than any country's national number has, dialled without + or 0: an extension of some PBX. */
const SHORTEST_NATIONAL = 6;

/** Longer than any number that can be dialled, in characters; a longer text is not cached. */
const LONGEST_CACHED = 64;

/** Parsing takes 20 to 40 µs, and the events of a call, its lookup and its record all have the same number. */
const cache = new LRUCache<string, string>({ max: 10_000 });

/** True for an ISO 3166-1 alpha-2 country whose national numbers can be read. */
export function isCountry(text: string): boolean {
  return isSupportedCountry(text);
}

/**
 * The number in what the PBX calls one: `0171392` in `sip:0171392@10.0.0.1:5060` and `tel:0171392`. '' if there is
 * nothing in it that could be dialled: `anonymous`, `reception`, `alice7`.
 */
export function numberIn(text: string): string {
  const [address = ''] = text
    .trim()
    .replace(/^(sips?|tel):/i, '')
    .split(/[@;]/);
  return /^\+?[\d().*# /-]*\d[\d().*# /-]*$/.test(address) ? address : '';
}

/** True for a number text that says that the number is kept back, or that has nothing in it that could be dialled. */
export function isWithheld(raw: string): boolean {
  return numberIn(raw) === '';
}

/**
 * The one form in which numbers are reported, looked up and compared: E.164 (`+31201234567`), or the digits alone where
 * it is no number of that country (an extension, say). '' if there is none in it.
 *
 * Without a country, only `+` and `00` show a number in full. With one, what is dialled there is read as dialled there.
 * Other digits that begin with its calling code, and make a valid number with a plus, are that number: trunks send
 * E.164 without its plus. Valid, and not only possible, because in India or Brazil national numbers that come without
 * their 0 begin with the same digits.
 */
export function normaliseNumber(raw: string, country: string | null | undefined): string {
  const key = `${country ?? ''} ${raw}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  // A copy: V8 cuts a string out of a frame or a session without copying, and what is cached would keep all of it.
  const number = parse(numberIn(Buffer.from(raw).toString()), country);
  if (raw.length <= LONGEST_CACHED) cache.set(key, number);
  return number;
}

function parse(number: string, country: string | null | undefined): string {
  const digits = number.replace(/\D+/g, '');
  if (digits.length < SHORTEST_NATIONAL && !/^[+0]/.test(number)) return digits;
  if (country == null || !isSupportedCountry(country)) {
    const parsed = read(number.replace(/^00(?=[1-9])/, '+'));
    return parsed?.isPossible() ? parsed.number : digits;
  }
  const national = read(number, country);
  if (number.startsWith('+')) return national?.isPossible() ? national.number : digits;
  if (national?.isValid() && national.formatNational().replace(/\D+/g, '') === digits) return national.number;
  const withPlus =
    number.startsWith('0') || !digits.startsWith(getCountryCallingCode(country))
      ? undefined
      : read(`+${digits}`);
  if (withPlus?.isValid()) return withPlus.number;
  return national?.isPossible() ? national.number : digits;
}

function read(number: string, defaultCountry?: CountryCode): PhoneNumber | undefined {
  return parsePhoneNumberFromString(number, { extract: false, ...(defaultCountry && { defaultCountry }) });
}

/** A number as people read it: `+49 30 901820`. */
export function spaced(number: string): string {
  if (!number.startsWith('+')) return number;
  return parsePhoneNumberFromString(number, { extract: false })?.formatInternational() ?? number;
}
