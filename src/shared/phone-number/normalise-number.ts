import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';
import { numberIn } from './number-text.ts';
import {
  isAsDialled,
  isExtension,
  isPossible,
  parse,
  prefixAbroad,
  SHORTEST_NATIONAL,
} from './parse-number.ts';
import { autoNotation, type Notation } from './trunk-notation.ts';

/** What a number text means, and by which rule, as the end of a sentence. */
export type Reading = { readonly number: string; readonly how: string };

/** From this many digits on, a bare number that no numbering plan knows is a new national number rather than an extension. */
const SURELY_NATIONAL = 9;

/** Longer than any number that can be dialled, in characters; a longer text is not cached. */
const LONGEST_CACHED = 64;

/** Parsing takes 10 to 40 µs, and the events of a call, its lookup and its record all have the same number. */
const cache = new LRUCache<string, Reading>({ max: 10_000 });

/** All countries whose national numbers can be read, as ISO 3166-1 alpha-2 codes. */
export const countries = (): readonly string[] => getCountries();

/** True for one of them. */
export function isCountry(text: string): boolean {
  return isSupportedCountry(text);
}

/**
 * The one form in which numbers are reported, looked up and compared: E.164 (`+31201234567`), or the digits alone where
 * it is no number of that country (an extension, say). '' if there is none in it.
 */
export function normaliseNumber(raw: string, country: string | null | undefined): string {
  return readNumber(raw, country).number;
}

/** The same, with the rule that made the number what it is, on a trunk that writes numbers in its own way. */
export function readNumber(
  raw: string,
  country: string | null | undefined,
  notation: Notation = autoNotation,
): Reading {
  const key = `${notation.kind} ${notation.rule} ${country ?? ''} ${raw}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  // A copy: V8 cuts a string out of a frame or a session without copying, and what is cached would keep all of it.
  const number = numberIn(Buffer.from(raw).toString(), country);
  const reading = readTrunk(
    number,
    isSupportedCountry(country ?? '') ? (country as CountryCode) : undefined,
    notation,
  );
  if (raw.length <= LONGEST_CACHED) cache.set(key, reading);
  return reading;
}

function readTrunk(text: string, country: CountryCode | undefined, { kind, strip, rule }: Notation): Reading {
  const presented = strip !== '' && text.startsWith(strip) ? text.slice(strip.length) : text;
  const number = kind !== 'as-is' && hasPlusTooMany(presented, country) ? presented.slice(1) : presented;
  const named = (reading: Reading): Reading =>
    rule === '' ? reading : { ...reading, how: `TRUNK_NUMBERS=${rule}: ${reading.how}` };
  const digits = number.replace(/\D+/g, '');
  if (kind === 'as-is')
    return named({ number: `${number.startsWith('+') ? '+' : ''}${digits}`, how: 'as it is' });
  const isBare = !/^(\+|00)/.test(number);
  if (kind === 'e164' && isBare) {
    const parsed = parse(`+${digits}`);
    if (isPossible(parsed)) return named({ number: parsed.number, how: 'E.164 without its plus' });
  }
  if (kind === 'national' && isBare && country !== undefined) {
    const code = getCountryCallingCode(country);
    const isAbroad = parse(number, country)?.countryCallingCode !== code;
    const parsed = isAbroad ? undefined : parse(`+${code}${digits}`);
    if (isPossible(parsed)) return named({ number: parsed.number, how: `a national number of ${country}` });
  }
  return named(read(number, digits, country));
}

/**
 * True for a plus that a trunk has put before what it got, such as `+011442079460123`: no calling code begins with 0, and
 * before a country's own prefix for calls abroad it makes no number.
 */
function hasPlusTooMany(number: string, country: CountryCode | undefined): boolean {
  if (!number.startsWith('+')) return false;
  const digits = number.replace(/\D+/g, '');
  if (digits.startsWith('0')) return true;
  return country !== undefined && prefixAbroad(country).test(digits) && !parse(number)?.isValid();
}

/**
 * `+` and `00` show a number in full, also where another prefix is dialled. Other digits are read as dialled in the
 * country. Those that begin with its calling code, and make a valid number with a plus, are that number: trunks send
 * E.164 without its plus. Valid, and not only possible, because in India or Brazil national numbers that come without
 * their 0 begin with the same digits.
 */
function read(number: string, digits: string, country: CountryCode | undefined): Reading {
  const asDigits = (how: string): Reading => ({ number: digits, how });
  if (/^0+$/.test(digits)) return asDigits('its digits alone: zeros are no number');
  if (!number.startsWith('+') && digits.length < SHORTEST_NATIONAL)
    return asDigits('its digits alone: too short for more');
  const full = /^00[1-9]/.test(number) ? parse(`+${digits.slice(2)}`) : undefined;
  if (full?.isValid()) return { number: full.number, how: 'an international number' };
  if (country === undefined) {
    const parsed = full ?? parse(number);
    if (isPossible(parsed)) return { number: parsed.number, how: 'an international number' };
    return asDigits('its digits alone: no DEFAULT_COUNTRY to read it in');
  }
  const isBare = !/^[+0]/.test(number);
  const national = parse(number, country);
  if (number.startsWith('+'))
    return isPossible(national)
      ? { number: national.number, how: 'an international number' }
      : asDigits('its digits alone: no number of any country');
  const dialled = (parsed: PhoneNumber): Reading => ({
    number: parsed.number,
    how: `as dialled in ${country}`,
  });
  const valid = national?.isValid() ? national : undefined;
  if (valid && isAsDialled(digits, valid)) return dialled(valid);
  if (isBare && isExtension(digits, country)) return asDigits(`its digits alone: too short for ${country}`);
  if (isBare && digits.startsWith(getCountryCallingCode(country))) {
    const withPlus = parse(`+${digits}`);
    if (withPlus?.isValid()) return { number: withPlus.number, how: 'E.164 without its plus' };
  }
  // No number of another country, but with the 0 for an outside line one of this country.
  const outside =
    valid === undefined && number.startsWith('00') ? parse(number.slice(1), country) : undefined;
  if (outside?.isValid()) return { number: outside.number, how: `as dialled in ${country} after a 0` };
  const isNational = valid !== undefined || !isBare || digits.length >= SURELY_NATIONAL;
  if (isNational && isPossible(national)) return dialled(national);
  // The only reading that is left.
  const withPlus = isBare && digits.length >= SURELY_NATIONAL ? parse(`+${digits}`) : undefined;
  return withPlus?.isValid()
    ? { number: withPlus.number, how: 'E.164 without its plus' }
    : asDigits(`its digits alone: no number of ${country}`);
}

/**
 * The text of a number (as `normaliseNumber` returns it) for programs and tables, which is read as the same number again.
 * Digits that came with a plus, and are no number of any country, have it again where they would be another number without
 * it: `+2102345678` in Germany.
 */
export function exportedNumber(number: string, country: string | null | undefined): string {
  if (number.startsWith('+') || normaliseNumber(number, country) === number) return number;
  const withPlus = `+${number}`;
  return normaliseNumber(withPlus, country) === number ? withPlus : number;
}

/** A list shows the same callers again and again. */
const spacedForms = new LRUCache<string, string>({
  max: 20_000,
  memoMethod: (number) => parse(number)?.formatInternational() ?? number,
});

/** A number as people read it: `+49 30 901820`. */
export const spaced = (number: string): string =>
  number.startsWith('+') && number.length <= LONGEST_CACHED ? spacedForms.memo(number) : number;

/** The forms in which a number (as `normaliseNumber` returns it) is usually written. */
export function numberForms(number: string): string[] {
  const parsed = number.startsWith('+') ? parse(number) : undefined;
  if (parsed === undefined) return [number];
  const digits = number.slice(1);
  const national = parsed.formatNational();
  return [
    ...new Set([
      number,
      `00${digits}`,
      digits,
      parsed.formatInternational(),
      national,
      national.replace(/\D/g, ''),
    ]),
  ];
}

/**
 * A number (as `normaliseNumber` returns it), and the forms in which it is dialled in the country: `+49301234567` and, in
 * Germany, `0301234567` and `0049301234567`; `+12125551234`, and in the USA `2125551234` and `12125551234`. None for ''.
 */
export function dialledForms(number: string, country: string | null | undefined): string[] {
  if (!number.startsWith('+') || !isCountry(country ?? '')) return number === '' ? [] : [number];
  // Without its plus, it may begin like a short number of the house. In North America, 1 is dialled before the area code.
  const isDialled = (form: string) =>
    /^\d+$/.test(form) &&
    (form !== number.slice(1) || number.startsWith('+1')) &&
    normaliseNumber(form, country) === number;
  return [number, ...numberForms(number).filter(isDialled)];
}
