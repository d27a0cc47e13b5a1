import { numberForms } from './normalise-number.ts';

/** What stands between digits: as people write, in the query of an address (a blank is `+` or `%20`), and in JSON. */
const BETWEEN = String.raw`(?:[\s\-./()+\u00a0\u2010-\u2015]|%(?:20|2[89DEF]|C2%A0)|\\/|\\u00a0){0,3}`;

/** No digit stands before it; the end of an escaped character is none. */
const BEFORE = String.raw`(?<=^|\D|%[0-9A-F]\d|\\u[0-9A-F]{4})`;

/**
 * Finds a number (as `normaliseNumber` returns it) in a text, however it is written there: with or without its country,
 * with blanks, hyphens, brackets or slashes, percent-encoded, or in JSON. Digits beside it make it another number. A number
 * without a country is found alone: `110` would be in most texts.
 */
export function writtenNumber(number: string): RegExp {
  if (!number.startsWith('+')) return new RegExp(`^${number.replace(/\W/g, String.raw`\$&`)}$`, 'gi');
  const { own, trunk } = nationalParts(number);
  const digits = number.slice(1);
  const code = digits.slice(0, digits.length - own.length);
  const spread = (text: string) => [...text].join(BETWEEN);
  const dialled = trunk === '' ? '' : `${spread(trunk)}${BETWEEN}`;
  const abroad = `(?:\\+|%2B|0${BETWEEN}0${BETWEEN})?${spread(code)}${BETWEEN}${trunk === '' ? '' : `(?:${dialled})?`}`;
  return new RegExp(`${BEFORE}\\(?(?:${abroad}|${dialled})?${spread(own)}(?!\\d)`, 'gi');
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
