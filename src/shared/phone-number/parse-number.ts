import examples from 'libphonenumber-js/examples.mobile.json';
import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

/** This many digits, or as many as a mobile number of the country has, are more than an extension. */
export const LONGEST_EXTENSION = 7;

/** With its plus. Germany's plan in libphonenumber knows longer ones, which nobody can be called at. */
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

/** Parses a number, in the country that it was dialled in. */
export function parse(number: string, defaultCountry?: CountryCode): PhoneNumber | undefined {
  const parsed = parsePhoneNumberFromString(number, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  if (parsed && parsed.number.length > LONGEST_E164) return undefined;
  const [form, today] = outdated[parsed?.countryCallingCode ?? ''] ?? [];
  if (!parsed || !form || today === undefined || parsed.isValid()) return parsed;
  const national = parsed.nationalNumber.replace(form, today);
  const now = parsePhoneNumberFromString(`+${parsed.countryCallingCode}${national}`, { extract: false });
  return now?.isValid() ? now : parsed;
}

const homeOf = (country: string | null | undefined) =>
  isSupportedCountry(country ?? '') ? (country as CountryCode) : undefined;

/**
 * Tells complete numbers of a country from parts of one and from several together: what can be dialled as it is written.
 */
export function completeIn(country: string | null | undefined): (text: string) => boolean {
  const home = homeOf(country);
  return (text) => {
    const digits = text.replace(/\D+/g, '');
    if (text.startsWith('+')) return parse(text)?.isPossible() === true;
    if (/^00[1-9]/.test(digits) && parse(`+${digits.slice(2)}`)?.isPossible()) return true;
    if (home === undefined) return /^(?:0[1-9]\d{5,12}|[1-9]\d{8,14})$/.test(digits);
    if (!digits.startsWith('0') && isExtension(digits, home)) return false;
    if (parse(text, home)?.isValid()) return true;
    return digits.startsWith(getCountryCallingCode(home)) && parse(`+${digits}`)?.isValid() === true;
  };
}

/** A number that is valid in a country, as it is written there, in E.164; undefined if it is none of its numbers. */
export function e164In(text: string, country: string | null | undefined): string | undefined {
  if (!completeIn(country)(text)) return undefined;
  const national = parse(text, homeOf(country));
  if (national?.isValid()) return national.number;
  const full = parse(`+${text.replace(/\D+/g, '').replace(/^00/, '')}`);
  return full?.isValid() ? full.number : undefined;
}

/** In Germany a number of six digits without its 0 can be valid, and is an extension of another PBX all the same. */
export function isExtension(digits: string, country: CountryCode): boolean {
  return digits.length <= LONGEST_EXTENSION && digits.length < mobileLength(country);
}

/** How many digits a mobile number has after the calling code. */
export function mobileLength(country: CountryCode): number {
  return getExampleNumber(country, examples)?.nationalNumber.length ?? 0;
}
