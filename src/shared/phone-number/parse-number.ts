import examples from 'libphonenumber-js/examples.mobile.json';
import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

/** Fewer digits than any country's national number has, dialled without + or 0: an extension of some PBX. */
export const SHORTEST_NATIONAL = 6;

/** This many digits, or as many as a mobile number of the country has, are more than an extension. */
export const LONGEST_EXTENSION = 7;

/** With its plus. Germany's plan in libphonenumber knows longer ones, which cannot be called. */
const LONGEST_E164 = 16;

/**
 * By calling code: national numbers that people and programs still write, and what they are today. Sources: the national
 * numbering plans that the ITU publishes (E.129): Mexico 2019, Brazil 2016, Benin 2024; Italy's 0 belongs to the number.
 */
const outdated: Record<string, readonly [RegExp, string]> = {
  52: [/^(?:044|045|01|1)(\d{10})$/, '$1'],
  55: [/^([1-9]\d)([6-9]\d{7})$/, '$19$2'],
  39: [/^([1-9]\d{5,9})$/, '0$1'],
  229: [/^(\d{8})$/, '01$1'],
};

/** Whether a country can have this number, which is then read as itself: the parser takes a zero of `+49 00 ...` each time. */
export const isPossible = (parsed: PhoneNumber | undefined): parsed is PhoneNumber =>
  parsed?.isPossible() === true && (parsed.isValid() || parse(parsed.number)?.number === parsed.number);

/** Parses a number, in the country that it was dialled in. */
export function parse(number: string, defaultCountry?: CountryCode): PhoneNumber | undefined {
  const parsed = parsePhoneNumberFromString(number, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  if (parsed && parsed.number.length > LONGEST_E164) return undefined;
  const [form, today] = outdated[parsed?.countryCallingCode ?? ''] ?? [];
  if (!parsed || parsed.isValid()) return parsed;
  // `+48 (0) 22 123 45 67`: a 0 that is not dialled behind the calling code, where libphonenumber knows of none.
  const { nationalNumber } = parsed;
  const isOneZero = number.replace(/\D+/g, '') === `${parsed.countryCallingCode}${nationalNumber}`;
  const digits =
    number.startsWith('+') && isOneZero ? nationalNumber.replace(/^0(?=[1-9])/, '') : nationalNumber;
  for (const national of [digits, form && today !== undefined ? digits.replace(form, today) : digits]) {
    if (national === nationalNumber) continue;
    const now = parsePhoneNumberFromString(`+${parsed.countryCallingCode}${national}`, { extract: false });
    if (now?.isValid()) return now;
  }
  return parsed;
}

/** What is dialled in a country before a number of another one: `011` in the USA, `810` in Russia. */
export function prefixAbroad(country: CountryCode): RegExp {
  const plan = new Metadata();
  plan.selectNumberingPlan(country);
  return new RegExp(`^(?:${plan.numberingPlan?.IDDPrefix()})`);
}

export const homeOf = (country: string | null | undefined) =>
  isSupportedCountry(country ?? '') ? (country as CountryCode) : undefined;

/** The number that a text is, if it can be dialled as it is written; undefined for a part of one and several together. */
export type CompleteNumber = (text: string) => string | undefined;

/** Fewer digits are no complete number anywhere. */
const SHORTEST = 4;
/** Longer texts are not remembered. */
const LONGEST_REMEMBERED = 64;
/** Parsing takes 10 to 40 µs, and a text is looked at several times until it is clear what it is; '' if it is no number. */
const remembered = new LRUCache<string, string>({ max: 1_000 });

/** Reads complete numbers, as they are written in a country. */
export function completeIn(country: string | null | undefined): CompleteNumber {
  const home = homeOf(country);
  return (text) => {
    if (text.length < SHORTEST) return undefined;
    if (text.length > LONGEST_REMEMBERED) return completeNumber(text, home);
    const key = `${home ?? ''} ${text}`;
    const known = remembered.get(key) ?? completeNumber(text, home) ?? '';
    remembered.set(key, known);
    return known || undefined;
  };
}

function completeNumber(text: string, home: CountryCode | undefined): string | undefined {
  const digits = text.replace(/\D+/g, '');
  if (digits.length < SHORTEST) return undefined;
  const possible = (number: string) => {
    const parsed = parse(number);
    return isPossible(parsed) ? parsed.number : undefined;
  };
  if (text.startsWith('+')) return possible(text);
  const full = /^00[1-9]/.test(digits) ? possible(`+${digits.slice(2)}`) : undefined;
  if (full !== undefined) return full;
  if (home === undefined) return /^(?:0[1-9]\d{5,12}|[1-9]\d{8,14})$/.test(digits) ? digits : undefined;
  const national = parse(text, home);
  const isShort = !digits.startsWith('0') && isExtension(digits, home);
  const isWhole =
    digits.length >= SHORTEST_NATIONAL && national !== undefined && isAsDialled(digits, national);
  if (national?.isValid() && (!isShort || isWhole)) return national.number;
  if (isShort) return undefined;
  const withPlus = digits.startsWith(getCountryCallingCode(home)) ? parse(`+${digits}`) : undefined;
  return withPlus?.isValid() ? withPlus.number : undefined;
}

/** E.164 numbers, by whether they are valid: `splitRun` asks for one many times, and exports for those of frequent callers. */
const validity = new LRUCache<string, boolean>({ max: 20_000 });

/** True for an E.164 number that its country's numbering plan has; a possible one only has as many digits as some. */
export function isValidE164(number: string): boolean {
  const known = validity.get(number) ?? parse(number)?.isValid() === true;
  validity.set(number, known);
  return known;
}

/** True for a valid number in the form in which libphonenumber, and with it most programs, shows it. */
export function isDisplayForm(text: string, number: string): boolean {
  const parsed = isValidE164(number) ? parse(number) : undefined;
  return parsed !== undefined && [parsed.formatInternational(), parsed.formatNational()].includes(text);
}

/** True for an area code that the country writes in brackets: `(2) 2123 4567` in Chile. */
export function isAreaInBrackets(digits: string, number: string): boolean {
  return parse(number)?.formatNational().startsWith(`(${digits})`) === true;
}

/** A number that is valid in a country, as it is written there, in E.164; undefined if it is none of its numbers. */
export function e164In(text: string, country: string | null | undefined): string | undefined {
  if (!completeIn(country)(text)) return undefined;
  const national = parse(text, homeOf(country));
  if (national?.isValid()) return national.number;
  const full = parse(`+${text.replace(/\D+/g, '').replace(/^00/, '')}`);
  return full?.isValid() ? full.number : undefined;
}

/** True for all digits of a number that are dialled in its country: where there are no area codes, few are a number. */
export const isAsDialled = (digits: string, national: PhoneNumber): boolean =>
  national.formatNational().replace(/\D+/g, '') === digits;

/** In Germany a number of six digits without its 0 can be valid, and is an extension of another PBX all the same. */
export function isExtension(digits: string, country: CountryCode): boolean {
  return digits.length <= LONGEST_EXTENSION && digits.length < mobileLength(country);
}

/** How many digits a mobile number has after the calling code. */
function mobileLength(country: CountryCode): number {
  return getExampleNumber(country, examples)?.nationalNumber.length ?? 0;
}

/**
 * True for a number of a country whose numbers all have one length, if it has it, too: perhaps its range is newer than the
 * library.
 */
export function isInNewRange(number: string, country: string | null | undefined): boolean {
  const home = homeOf(country);
  if (home === undefined) return false;
  const plan = new Metadata();
  plan.selectNumberingPlan(home);
  const [length, ...others] = plan.numberingPlan?.possibleLengths() ?? [];
  const code = `+${getCountryCallingCode(home)}`;
  const national = number.startsWith(code) ? number.slice(code.length) : '';
  return others.length === 0 && national.length === length && !national.startsWith('0');
}
