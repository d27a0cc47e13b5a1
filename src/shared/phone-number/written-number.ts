import { digitsOfScripts } from './digits.ts';
import { numberForms } from './normalise-number.ts';

const jsonOf = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** These digits as characters, in percent-encoding, and in JSON. What begins alike is together: it takes a tenth of the time. */
function written(digits: readonly string[]): string {
  const short = digits.filter((digit) => digit.length === 1).join('');
  const long = digits.filter((digit) => digit.length > 1).join('|');
  const percent = digits.map((digit) => encodeURIComponent(digit).slice(1)).join('|');
  const json = digits.map((digit) => jsonOf(digit).slice(3)).join('|');
  return String.raw`[${short}]|(?=[\ud800-\udbff])(?:${long})|%(?:${percent})|\\u(?:${json})`;
}

/** Finds a digit, in whatever script it is written. */
const anyScript = (digit: string): string =>
  `(?:${digit}|${written(digitsOfScripts()[Number(digit)] ?? [])})`;

/** What stands between digits: as people write, in the query of an address (a blank is `+` or `%20`), and in JSON. */
const BETWEEN = [
  // Not the marks between the values of JSON: no number goes over from one value to the next.
  String.raw`(?:[\s\-./()+_|~=*'#[\]{}<>\u00a0\u00ad\u00b4\u00b7\u2010-\u2015\u2018\u2019\u2022\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3\u2212\u301c\u30fb\ufe0f\uff08\uff09\uff0b\uff0d-\uff0f\uff5e]|&nbsp;`,
  String.raw`%(?:20|2[89DEF]|C2%A0|E2%80%(?:8[B-F]|9[0-5]|A[A-E])|E2%81%A\d|E3%80%80|EF%BC%8[89BDEF])`,
  String.raw`\\/|\\u(?:00a0|20(?:0[b-f]|1[0-5]|2[a-e]|6\d)|3000|ff0[89bdef])){0,6}`,
].join('|');

/** What a number begins with: most characters of a text are none of it, and need no other look. */
const BEGINNING = String.raw`(?=[+([{\d%\\\u0080-\uffff])`;

/** No digit stands before it or behind it; the end of an escaped character is none, unless that is a digit. */
function besideNumber(): { before: string; after: string } {
  const other = written(digitsOfScripts().flat());
  return {
    before: String.raw`${BEGINNING}(?<=^|\D|%[0-9A-F]\d|\\u[0-9A-F]{4})(?<!(?:${other})(?<=[\da-f\u0080-\uffff]))`,
    after: String.raw`(?!\d|${other})`,
  };
}

/**
 * Finds a number (as `normaliseNumber` returns it) in a text, however it is written there: with or without its country,
 * with blanks, hyphens, brackets or slashes, in other digits, percent-encoded, or in JSON. Digits beside it make it another
 * number. A number without a country is found alone: `110` would be in most texts.
 */
export function writtenNumber(number: string): RegExp {
  const spread = (text: string) => [...text].map(anyScript).join(BETWEEN);
  if (!number.startsWith('+')) {
    const all = [...number].map((one) =>
      /\d/.test(one) ? anyScript(one) : one.replace(/\W/, String.raw`\$&`),
    );
    return new RegExp(`^${all.join('')}$`, 'gi');
  }
  const { own, trunk } = nationalParts(number);
  const digits = number.slice(1);
  const code = digits.slice(0, digits.length - own.length);
  const dialled = trunk === '' ? '' : `${spread(trunk)}${BETWEEN}`;
  const abroad = `(?:\\+|%2B|\uff0b|%EF%BC%8B|\\\\uff0b|${spread('00')}${BETWEEN})?${spread(code)}${BETWEEN}${trunk === '' ? '' : `(?:${dialled})?`}`;
  const { before, after } = besideNumber();
  return new RegExp(`${before}[([{]?(?:${abroad}|${dialled})?${spread(own)}${after}`, 'gi');
}

/** A number within its country, and the digits dialled before it there, as the 0 in Germany. */
function nationalParts(number: string): { own: string; trunk: string } {
  const forms = numberForms(number).map((form) => form.replace(/\D/g, ''));
  const digits = number.slice(1);
  const national = forms.filter((form) => form !== digits && !form.startsWith('00')).at(-1) ?? digits;
  let own = digits;
  while (own.length > 3 && !national.endsWith(own)) own = own.slice(1);
  return { own, trunk: national.slice(0, national.length - own.length) };
}

/** The digits that a number has however it is dialled. */
export const nationalDigits = (number: string): string => nationalParts(number).own;
