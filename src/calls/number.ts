import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Fewer digits than any country's national number has, dialled without + or 0: an extension of some PBX. */
const SHORTEST_NATIONAL = 6;

/** An ISO 3166 country that national numbers can be read in. */
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

/**
 * The caller's number as it is told: E.164 (`+31201234567`), or its own digits where it is no number that the
 * country knows (an extension of another PBX, say). '' if there is none in it.
 */
export function normaliseNumber(raw: string, country: string | undefined): string {
  const number = numberIn(raw);
  const digits = number.replace(/\D+/g, '');
  if (digits.length < SHORTEST_NATIONAL && !/^[+0]/.test(number)) return digits;
  const parsed = parsePhoneNumberFromString(number, {
    ...(country === undefined ? {} : { defaultCountry: country as CountryCode }),
    extract: false,
  });
  return parsed?.isPossible() ? parsed.number : digits;
}

/** True for a number text that says that the number is kept back, or that has nothing in it that could be dialled. */
export function isWithheld(raw: string): boolean {
  return numberIn(raw) === '';
}
