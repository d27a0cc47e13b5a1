import { type CountryCode, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import { isLabel, labels } from './number-words.ts';
import { completeIn, e164In } from './parse-number.ts';
import { splitRun } from './split-run.ts';

/** What people write in place of the ISO code. */
export const colloquialCountries: Readonly<Record<string, CountryCode>> = { UK: 'GB', USA: 'US' };

const word = String.raw`\(\s*\p{L}{2,3}\s*\)|\p{L}{2,3}`;
const run = String.raw`[+(]*\d(?:[\d ().*#/-]*\d)?`;
/** `NL 020 1234567`, `(AT) 01 234567`, `CH: 044 668 18 00`, `NL, Tel. 020 1234567`. */
const before = new RegExp(
  String.raw`(?<![\p{L}\p{M}\p{N}.@_-])(${word})(?:[ \n:.,;|=/-]{1,5}|(?<=\)))(?:${labels}[ .:/=)]*)?(${run})`,
  'giu',
);
/** `020 1234567 (NL)`, but not `030 901820 DW 12`. */
const behind = new RegExp(
  String.raw`(${run})[ ,]*(${word})(?![\p{L}\p{M}\p{N}@_-])(?![ :.=]*[+(]*\d)`,
  'giu',
);

type LeaveOut = (reason: 'not-a-number' | 'ambiguous') => (text: string) => string;

/**
 * Writes national numbers that have the code of a country before them in E.164. Only capitals are surely one: `Pr 030 901820`
 * is a private number in Berlin, and not one in Puerto Rico. Left out is what is no number of that country, what has an
 * unknown code before it, and what is a number of the country where it is not sure that its code is meant.
 */
export function withoutCountryCodes(
  text: string,
  home: string | null | undefined,
  leaveOut: LeaveOut,
): string {
  if (!/\p{L}{2}/u.test(text)) return text;
  const homeCode = isSupportedCountry(home ?? '') ? getCountryCallingCode(home as CountryCode) : undefined;

  function read(match: string, written: string, digits: string, canBeSure: boolean): string {
    const letters = written.replace(/[()\s]/g, '');
    const isCapital = letters === letters.toUpperCase();
    if ((letters.length === 3 && !isCapital) || /fax/i.test(match)) return match;
    if (/^\D*(?:\+|00[1-9])/.test(digits)) return match;
    const isSure = canBeSure && isCapital && !isLabel(letters);
    const country = countryOf(letters);
    if (country === undefined) return isSure ? leaveOut('not-a-number')(match) : match;
    if (getCountryCallingCode(country) === homeCode) return match;
    const { texts, unread } = splitRun(digits, completeIn(country));
    const numbers = texts.map((one) => e164In(one, country)).filter((number) => number !== undefined);
    const isRead = numbers.length > 0 && numbers.length === texts.length;
    if (!isSure) return isRead ? leaveOut('ambiguous')(match) : match;
    if (!isRead) return leaveOut('not-a-number')(match);
    return ` ${[...unread.map(leaveOut('ambiguous')), ...numbers].join(';')}`;
  }

  return text
    .replace(before, (match, written: string, digits: string, at: number) =>
      read(match, written, digits, !/\d[ (]*$/.test(text.slice(0, at))),
    )
    .replace(behind, (match, digits: string, written: string) =>
      isLabel(written.replace(/[()\s]/g, '')) ? match : read(match, written, digits, false),
    );
}

function countryOf(letters: string): CountryCode | undefined {
  const code = letters.toUpperCase();
  return colloquialCountries[code] ?? (isSupportedCountry(code) ? code : undefined);
}
