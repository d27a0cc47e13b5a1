import { type CountryCode, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import { hasCountry, isNationalInFull } from './in-full.ts';
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

/** The letters of cars of countries around ours, where they are no labels as in `P 030 901820`. */
const carCountries: Readonly<Record<string, CountryCode>> = { A: 'AT', B: 'BE', D: 'DE', I: 'IT', L: 'LU' };
/** `A 0664 1234567`, `A: 0664 1234567`, `(A) 0664 1234567`. */
const carBefore = new RegExp(
  String.raw`(?<![\p{L}\p{M}\p{N}.@_-])(\(\s*[ABDIL]\s*\)|[ABDIL])(?:[ :.|=]{1,3}|(?<=\)))(${run})`,
  'gu',
);

type LeaveOut = (reason: 'not-a-number' | 'ambiguous') => (text: string) => string;

/** The country that some words name, as people call it; undefined for any others. */
export type CountryNamed = (words: string) => string | undefined;

const words = String.raw`\p{L}[\p{L}.-]*(?: \p{L}[\p{L}.-]*){0,3}`;
/** `Schweiz: 044 668 18 00`, `Frau Meier (Schweiz) 044 668 18 00`, `Suisse, tél. 044 668 18 00`. */
const namedBefore = new RegExp(
  String.raw`(?<![\p{L}\p{M}\p{N}.@_-])(\(?${words}\)?)[ \n:.,;|=/()-]{1,5}(?:${labels}[ .:/=)]*)?(${run})`,
  'giu',
);
/** `044 668 18 00 Schweiz`, `044 668 18 00 (Schweiz)`. */
const namedBehind = new RegExp(String.raw`(${run})[ ,(]+(${words})(?![\p{L}\p{M}@_-])`, 'giu');
const labelsBehind = new RegExp(`(?:[ .:,()-]*${labels})+[ .:()-]*$`, 'iu');
/** Shorter ones are codes. */
const SHORTEST_NAME = 4;

/**
 * Writes national numbers that have a country before them in E.164. Two capitals may be its code, or say whose number it is:
 * `IT: 030 901821` is that of a department. They are its code if the number is none of `home`, and say nothing if it is one
 * of `home` only. Small letters are less: `Pr 030 901820` is a private number in Berlin. Left out is what is a number of
 * both, what is one of neither, and what has an unknown code before it. So is what has the one letter of another country's cars
 * before it, if it is a number there: it may be a label, too.
 */
export function withoutCountryCodes(
  text: string,
  home: string | null | undefined,
  leaveOut: LeaveOut,
  countryNamed: CountryNamed = () => undefined,
): string {
  if (!/[ABDIL]|\p{L}{2}/u.test(text)) return text;
  const homeCode = isSupportedCountry(home ?? '') ? getCountryCallingCode(home as CountryCode) : undefined;

  /** The numbers in digits, as those of a country. */
  function numbersIn(digits: string, country: string) {
    const { texts, unread } = splitRun(digits, completeIn(country));
    const found = texts.map((one) => ({ one, number: e164In(one, country) ?? '' }));
    const isRead = found.length > 0 && found.every(({ number }) => number !== '');
    const isInFull = found.every(
      ({ one, number }) => hasCountry(one, number, country) || isNationalInFull(one, number, country),
    );
    return { numbers: found.map(({ number }) => number), unread, isRead, isInFull: isRead && isInFull };
  }
  const isOfHome = (digits: string) => typeof home === 'string' && numbersIn(digits, home).isInFull;
  const isSettled = (country: string, digits: string) =>
    /^\D*(?:\+|00[1-9])/.test(digits) || getCountryCallingCode(country as CountryCode) === homeCode;

  function read(match: string, written: string, digits: string, canBeSure: boolean): string {
    const letters = written.replace(/[()\s]/g, '');
    const isCapital = letters === letters.toUpperCase();
    if ((letters.length === 3 && !isCapital) || /fax/i.test(match)) return match;
    if (/^\D*(?:\+|00[1-9])/.test(digits)) return match;
    const isSure = canBeSure && isCapital && !isLabel(letters);
    const country = countryOfCode(letters);
    if (country === undefined) return isSure ? leaveOut('not-a-number')(match) : match;
    if (isSettled(country, digits)) return match;
    const { numbers, unread, isRead, isInFull } = numbersIn(digits, country);
    if (!isSure) return isRead ? leaveOut('ambiguous')(match) : match;
    if (isOfHome(digits) && letters.length < 3) return isInFull ? leaveOut('ambiguous')(match) : match;
    if (!isRead) return leaveOut('not-a-number')(match);
    return ` ${[...unread.map(leaveOut('ambiguous')), ...numbers].join(';')}`;
  }

  /** The country that the words at one end of some name. */
  function namedIn(some: string, isAtEnd: boolean): string | undefined {
    const all = some.replace(/[()]/g, ' ').trim().split(/ +/);
    for (const at of all.keys()) {
      const part = (isAtEnd ? all.slice(at) : all.slice(0, all.length - at)).join(' ');
      const country = part.length < SHORTEST_NAME ? undefined : countryNamed(part);
      if (country !== undefined) return country;
    }
    return undefined;
  }

  return text
    .replace(carBefore, (match, written: string, digits: string) => {
      const country = carCountries[written.replace(/[()\s]/g, '')];
      if (country === undefined || typeof home !== 'string' || isSettled(country, digits)) return match;
      return numbersIn(digits, country).isInFull ? leaveOut('ambiguous')(match) : match;
    })
    .replace(namedBefore, (match, words: string, digits: string, at: number, all: string) => {
      const country = /\d[ (]*$/.test(all.slice(0, at))
        ? undefined
        : namedIn(words.replace(labelsBehind, ''), true);
      if (country === undefined || isSettled(country, digits)) return match;
      if (/fax/i.test(words)) return `;${leaveOut('not-a-number')(match)}`;
      const { numbers, unread, isRead } = numbersIn(digits, country);
      if (!isRead) return isOfHome(digits) ? match : `;${leaveOut('not-a-number')(match)}`;
      return ` ${[...unread.map(leaveOut('ambiguous')), ...numbers].join(';')}`;
    })
    .replace(namedBehind, (match, digits: string, words: string) => {
      const country = namedIn(words, false);
      if (country === undefined || isSettled(country, digits)) return match;
      return numbersIn(digits, country).isRead ? leaveOut('ambiguous')(match) : match;
    })
    .replace(before, (match, written: string, digits: string, at: number, all: string) =>
      read(match, written, digits, !/\d[ (]*$/.test(all.slice(0, at))),
    )
    .replace(behind, (match, digits: string, written: string) =>
      isLabel(written.replace(/[()\s]/g, '')) ? match : read(match, written, digits, false),
    );
}

function countryOfCode(letters: string): CountryCode | undefined {
  const code = letters.toUpperCase();
  return colloquialCountries[code] ?? (isSupportedCountry(code) ? code : undefined);
}
