import { asTyped } from './as-typed.ts';
import { countryOf } from './country-names.ts';
import { hasCountry, isAbroad, isNationalInFull } from './in-full.ts';
import { exportedNumber, normaliseNumber } from './normalise-number.ts';
import { MAX_TEXT, numberTexts, type UnreadText } from './number-texts.ts';
import { givesCodeApart, notCalledAs, tags } from './number-words.ts';
import { completeIn, e164In, isInNewRange, LONGEST_EXTENSION, parse } from './parse-number.ts';
import { sameLine } from './same-line.ts';
import { timesIn } from './times.ts';

/** Digits that are read as a number of the country, and are another number with a plus before them. */
type UnsureNumber = { readonly text: string; readonly number: string; readonly other: string };

/** What is read in a text that people have written. `unsure`: some of the numbers, if there are such. */
type NumbersRead = {
  readonly numbers: string[];
  readonly unread: UnreadText[];
  readonly unsure?: UnsureNumber[];
};

/** Source: E.164. With `00` and the 0 of a national number before them. */
const MAX_DIGITS = 18;
/** The digits of a calling code, and with those of an area code. */
const [MAX_CALLING_CODE, MAX_CODES] = [3, 6];
/** Of a number without its 0, in almost every country. */
const LONGEST_NATIONAL = 11;

/** `*2700`, `**620`, `*21#`: without its star or hash it is another number. */
const starred = /(?<=(?:^|[,;|\n:])\s*)[*#]+\d{1,8}[*#]*(?=\s*(?:$|[,;|\n]))/g;

/** `&nbsp;`, `&#43;`: how HTML writes what tables of web pages and of exports have in numbers. */
const entity =
  /&(?:#(?:x([0-9a-f]{1,6})|(\d{1,7}))|(nbsp|plus|amp|lt|gt|ndash|mdash|minus|shy|sol|lpar|rpar));/gi;
const characters: Record<string, string> = {
  nbsp: ' ',
  plus: '+',
  amp: '&',
  lt: '<',
  gt: '>',
  ndash: '-',
  mdash: '-',
  minus: '-',
  shy: '',
  sol: '/',
  lpar: '(',
  rpar: ')',
};
const withoutEntities = (text: string): string =>
  text.replace(entity, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return characters[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** A name before an address, and the address, as mail programs and PBXs write them: `"Ann" <030 901820>`. */
const named = /(?<=^|[,;|\n])([^<>,;|\n]*|\s*"[^"\n]*"\s*)<([^<>\n]*)>/g;
/** In a name: `Studio 54`. More can be a number. */
const MAX_NAME_DIGITS = 3;

/**
 * The text with round brackets in place of all angle brackets if there is a number before one, which is no name then:
 * `030 901820 <reception> 0171 3920000`.
 */
function withoutLostNames(text: string): string {
  const digitsOf = (part: string) => part.replace(/\P{Nd}+/gu, '');
  const isName = (name: string, address: string) =>
    name.trim() === '' ||
    digitsOf(name) === digitsOf(address) ||
    (/\p{L}|"/u.test(name) && digitsOf(name).length <= MAX_NAME_DIGITS);
  const bare = text.replace(tags, '\n');
  const isLost = [...bare.matchAll(named)].some(([, name = '', address = '']) => !isName(name, address));
  return isLost ? bare.replaceAll('<', '(').replaceAll('>', ')') : text;
}

/** `030 901826 1, 0171 3920006 2`: digits behind numbers that count them, or extensions. */
const lastDigit = /(?<=\d\s+)[1-9](?=\s*(?:$|[,;|\n/&])|\s+[+(0])/g;
const countsNumbers = (text: string): boolean => {
  const counts = text.match(lastDigit) ?? [];
  return counts.length > 1 && counts.every((count, index) => Number(count) === index + 1);
};

/** True for `[{"type":"fax","value":"030 901820"}]`, as programs export the telephones of a person, if one is that of a fax. */
const isJsonOfOthers = (text: string): boolean =>
  /^\s*[[{].*[\]}]\s*$/s.test(text) &&
  [...text.matchAll(/"([^"]*)"/g)].some(([, word = '']) => notCalledAs(word) !== undefined);

/** What a spreadsheet makes of `+1-212-555-2368`: -3134. */
const calculated = /^-[1-9]\d*(?:[.,]\d+)?$/;

/** `06,12,34,56,78`: pairs, as some write what others write with dots. */
const pairs = /(?<![\d,])(?:0\d|\+\d{1,3},\d)(?:,\d\d){4}(?![\d,]*\d)/g;

/**
 * Reads a cell of a table, a field of a form or a pasted text, which may hold several numbers. `numbers` are in the form
 * in which customers have them, each once, in their order. An extension behind a number is left out. What says that there
 * is no number (`-`, `n/a`, zeros) is neither a number nor unread.
 */
export function readNumbers(written: string, country: string | null | undefined): NumbersRead {
  if (written.length > MAX_TEXT) return { numbers: [], unread: numberTexts(written, country).unread };
  const text = withoutLostNames(withoutEntities(written)).replace(pairs, (one) => {
    const number = one.replaceAll(',', ' ');
    return e164In(number, country) ? number : one;
  });
  const plain = asTyped(text).trim();
  if (calculated.test(plain)) return { numbers: [], unread: [{ text: plain, reason: 'rounded' }] };
  if (isJsonOfOthers(written)) return { numbers: [], unread: [{ text: written, reason: 'not-a-number' }] };
  if (countsNumbers(plain)) return { numbers: [], unread: [{ text: plain, reason: 'ambiguous' }] };
  const codes: UnreadText[] = [];
  const rest = plain.replace(starred, (code) => {
    codes.push({ text: code, reason: 'not-a-number' });
    return '';
  });
  const { texts, unread, others = [] } = numberTexts(codes.length > 0 ? rest : text, country, countryOf);
  unread.unshift(...codes);
  const isAlone = texts.length + unread.length === 1;
  const numbers = new Set<string>();
  const unsure: UnsureNumber[] = [];
  // As customers' numbers are exported.
  const isOwn = (one: string) => exportedNumber(normaliseNumber(one, country), country) === one;
  const isOwnList = texts.join('|') === text && texts.every(isOwn);
  let isFirst = true;
  let isBehindAbroad = false;
  for (const [index, one] of texts.entries()) {
    const unreadBefore = others.filter(({ at }) => at === index);
    if (unreadBefore.length > 0) isFirst = false;
    isBehindAbroad ||= unreadBefore.some(({ text }) => isAbroad(normaliseNumber(text, country), country));
    const number = normaliseNumber(one, country);
    if (/^0+$/.test(number)) continue;
    const isNone =
      number === '' ||
      number.length > MAX_DIGITS ||
      (one.startsWith('+') && !number.startsWith('+')) ||
      hasZeroTooMany(number);
    // `9,2127365000`: dialled for an outside line.
    const isPrefix = one.length === 1 && !isAlone;
    if (isNone || isPrefix) unread.push({ text: one, reason: 'not-a-number' });
    else if (isJoined(one, number, country) || (!number.startsWith('+') && givesCodeApart(text)))
      unread.push({ text: one, reason: 'ambiguous' });
    // `0501` can be an extension, but also a part of a number beside it.
    else if (!isNumberOf(one, number, country) && !(isAlone && /^0\d{1,4}$/.test(one)))
      unread.push({ text: one, reason: 'not-a-number' });
    else if (!isFirst && !isOwnList && !isInFull(one, number, country, isBehindAbroad))
      unread.push({ text: one, reason: 'incomplete' });
    else {
      isBehindAbroad ||= isAbroad(number, country);
      const [known] = sameLine(number);
      numbers.add(known);
      const other = withLostPlus(one, number) ?? withZeroForPlus(one, number);
      if (other !== undefined && other !== known) unsure.push({ text: one, number: known, other });
    }
    if (!isPrefix) isFirst = false;
  }
  for (const number of numbers)
    if (!number.startsWith('+') && isPerhapsPart(number, unread)) {
      numbers.delete(number);
      unread.push({ text: number, reason: 'ambiguous' });
    }
  return { numbers: [...numbers], unread, ...(unsure.length > 0 && { unsure }) };
}

/**
 * True for digits that are no extension, but perhaps a part of a number of which another part is not read: in `+49|30|901820` and
 * `49,30,901820`.
 */
function isPerhapsPart(number: string, unread: readonly UnreadText[]): boolean {
  const isBeginning = ({ text }: UnreadText) =>
    /^\(?(?:\+|0\d)/.test(text) && text.replace(/\D+/g, '').length <= MAX_CODES && timesIn(text).rest !== '';
  return (
    unread.some(isBeginning) ||
    (number.length <= MAX_CALLING_CODE && unread.some(({ reason }) => reason === 'incomplete'))
  );
}

/** True for `+49 0049 171 3920000`: behind a calling code, a 0 that belongs to no number. */
function hasZeroTooMany(number: string): boolean {
  const parsed = number.startsWith('+') ? parse(number) : undefined;
  if (parsed === undefined) return false;
  return parsed.number !== number || (parsed.nationalNumber.startsWith('0') && !parsed.isValid());
}

/** An extension, behind other numbers: any longer one can lack its area code. */
const LONGEST_EXTENSION_BESIDE = 5;

/**
 * True for a number that means the same without those before it: with its country, or as it is written in full in the account's
 * country, unless a number of another country is before it. An extension is in full as it is.
 */
function isInFull(
  text: string,
  number: string,
  country: string | null | undefined,
  isBehindAbroad: boolean,
): boolean {
  if (hasCountry(text, number, country)) return true;
  // Without a country, digits stay as they are.
  if (!number.startsWith('+'))
    return number.length <= LONGEST_EXTENSION_BESIDE || completeIn(country)(text) === number;
  return !isBehindAbroad && isNationalInFull(text, number, country);
}

/**
 * The number that digits would be with the plus that a spreadsheet removes. In a country where a 0 is dialled before
 * national numbers, spreadsheets remove that as well, so that it is unclear which of both it was. `number`: as it is read.
 */
function withLostPlus(text: string, number: string): string | undefined {
  const digits = text.replace(/\D+/g, '');
  if (!/^[1-9]/.test(text) || !number.startsWith('+') || number === `+${digits}`) return undefined;
  const full = parse(`+${digits}`);
  if (!full?.isValid()) return undefined;
  const national = parse(number);
  // `(432) 555-0123` in the USA is no number to a spreadsheet; in Russia, 8 is dialled before national numbers.
  const isAsDialled = national?.formatNational().replace(/\D+/g, '') === digits;
  if (isAsDialled && (text !== digits || national.nationalNumber !== digits)) return undefined;
  return sameLine(full.number)[0];
}

/** The number that `049 171 3920000` is if the 0 stands for a plus; a group of its own is seldom the area code. */
function withZeroForPlus(text: string, number: string): string | undefined {
  const [, full] = /^\(?0([1-9]\d*\D.*)$/.exec(text) ?? [];
  const [code = ''] = full?.split(/\D/) ?? [];
  if (!number.startsWith(`+${code}`) || parse(number)?.countryCallingCode !== code) return undefined;
  const other = `+${full?.replace(/\D+/g, '')}`;
  return e164In(other, null) === other ? other : undefined;
}

/**
 * True for a number that is valid in the country, or written with its country code, and for an internal number. What a
 * trunk writes may be none of these, and is the number of the caller all the same.
 */
function isNumberOf(text: string, number: string, country: string | null | undefined): boolean {
  if (number === completeIn(country)(text) || isInNewRange(number, country)) return true;
  // A spreadsheet has removed its plus. Between two numbers there can be a slash: `43-131 / 687 9075` in Tonga.
  if (number === `+${text.replace(/\D+/g, '')}` && !/\/| - /.test(text) && e164In(number, null)) return true;
  return /^[1-9]\d*$/.test(number) && /^\d{1,8}$/.test(text);
}

/**
 * True for digits with blanks that are no number together: several, or a number and what follows it, such as the postcode in
 * `030 901820 10115`.
 */
function isJoined(text: string, number: string, country: string | null | undefined): boolean {
  if (!/\d [ -]*\d/.test(text)) return false;
  // `98765 43210` in India and `244 923 123 456` in Angola are one.
  if (areBare(text) && /^\d{4,} \d+/.test(text) && text.replace(/ /g, '').length > LONGEST_NATIONAL)
    return true;
  const [, beforeLast] = /^(.*\d) +(?:- *)?\d{4,}$/.exec(text) ?? [];
  const national = parse(number)?.nationalNumber ?? '';
  if (beforeLast !== undefined && national.length > LONGEST_NATIONAL && e164In(beforeLast, country))
    return true;
  if (e164In(text, country)) return false;
  const beginnings = [...text.matchAll(/(?<=\d) +(?=\d)/g)].map(({ index }) => text.slice(0, index));
  return (
    areBare(text) ||
    beginnings.some((one) => e164In(one, country)) ||
    (!number.startsWith('+') && number.length > LONGEST_EXTENSION && !completeIn(country)(text))
  );
}

/** `1001 1002`: numbers without area codes. */
function areBare(text: string): boolean {
  const groups = text.split(/ +/);
  const [first = ''] = groups;
  return first.length > 2 && groups.every((one) => /^[1-9]\d*$/.test(one) && one.length === first.length);
}
