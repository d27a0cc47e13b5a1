import { numberForms } from './normalise-number.ts';

/**
 * The scripts in which phones and people write digits, beside ASCII: full-width, Arabic and Persian. Each as the character
 * of its 0, and what stands before the digit in percent-encoding and in JSON.
 */
const SCRIPTS = [
  { zero: 0xff10, percent: '%EF%BC%9', json: 'ff1' },
  { zero: 0x0660, percent: '%D9%A', json: '066' },
  { zero: 0x06f0, percent: '%DB%B', json: '06f' },
] as const;

/** Finds a digit, in whatever script it is written. */
function anyScript(digit: string): string {
  const characters = SCRIPTS.map(({ zero }) => String.fromCharCode(zero + Number(digit))).join('');
  return `(?:[${digit}${characters}]|${encodedDigits(digit)})`;
}

/** A digit of another script in percent-encoding, or in JSON; `digit`: an expression of its last character. */
const encodedDigits = (digit: string) =>
  `(?:${SCRIPTS.map(({ percent }) => percent).join('|')})${digit}|\\\\u(?:${SCRIPTS.map(({ json }) => json).join('|')})${digit}`;

/** What stands between digits: as people write, in the query of an address (a blank is `+` or `%20`), and in JSON. */
const BETWEEN = [
  // Not the marks between the values of JSON: no number goes over from one value to the next.
  String.raw`(?:[\s\-./()+_|~=*'#[\]{}<>\u00a0\u00ad\u00b4\u00b7\u2010-\u2015\u2018\u2019\u2022\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3\u2212\u301c\u30fb\ufe0f\uff08\uff09\uff0b\uff0d-\uff0f\uff5e]|&nbsp;`,
  String.raw`%(?:20|2[89DEF]|C2%A0|E2%80%(?:8[B-F]|9[0-5]|A[A-E])|E2%81%A\d|E3%80%80|EF%BC%8[89BDEF])`,
  String.raw`\\/|\\u(?:00a0|20(?:0[b-f]|1[0-5]|2[a-e]|6\d)|3000|ff0[89bdef])){0,6}`,
].join('|');

/** No digit stands before it; the end of an escaped character is none, unless that is a digit. */
const OTHER_DIGIT = String.raw`[\uff10-\uff19\u0660-\u0669\u06f0-\u06f9]|${encodedDigits(String.raw`\d`)}`;
const BEFORE = String.raw`(?<=^|\D|%[0-9A-F]\d|\\u[0-9A-F]{4})(?<!${OTHER_DIGIT})`;
const AFTER = String.raw`(?!\d|${OTHER_DIGIT})`;

/**
 * Finds a number (as `normaliseNumber` returns it) in a text, however it is written there: with or without its country,
 * with blanks, hyphens, brackets or slashes, in other digits, percent-encoded, or in JSON. Digits beside it make it another
 * number. A number without a country is found alone: `110` would be in most texts.
 */
export function writtenNumber(number: string): RegExp {
  const spread = (text: string) => [...text].map(anyScript).join(BETWEEN);
  if (!number.startsWith('+')) {
    const written = [...number].map((one) =>
      /\d/.test(one) ? anyScript(one) : one.replace(/\W/, String.raw`\$&`),
    );
    return new RegExp(`^${written.join('')}$`, 'gi');
  }
  const { own, trunk } = nationalParts(number);
  const digits = number.slice(1);
  const code = digits.slice(0, digits.length - own.length);
  const dialled = trunk === '' ? '' : `${spread(trunk)}${BETWEEN}`;
  const abroad = `(?:\\+|%2B|\uff0b|%EF%BC%8B|\\\\uff0b|${spread('00')}${BETWEEN})?${spread(code)}${BETWEEN}${trunk === '' ? '' : `(?:${dialled})?`}`;
  return new RegExp(`${BEFORE}[([{]?(?:${abroad}|${dialled})?${spread(own)}${AFTER}`, 'gi');
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
