import { asTyped } from './as-typed.ts';
import { type CountryNamed, withoutCountryCodes } from './country-codes.ts';
import { canCount, withoutCount } from './counts.ts';
import {
  addressesOf,
  isFiller,
  isFormer,
  isNotCalled,
  LABEL,
  otherLabel,
  separated,
  withLabels,
} from './number-words.ts';
import { type CompleteNumber, completeIn } from './parse-number.ts';
import { splitRun } from './split-run.ts';
import { isTimeBesideNumber, timesIn } from './times.ts';

/** A part of a text in which no number can be read. */
export type UnreadText = {
  readonly text: string;
  /**
   * `rounded`: a spreadsheet has replaced its last digits, or has calculated with it. `ambiguous`: it is not clear which number its digits belong to.
   * `incomplete`: behind another number, it lacks its area code or its country. `former`: the text says that it is wrong, or was the
   * person's.
   */
  readonly reason: 'not-a-number' | 'rounded' | 'ambiguous' | 'incomplete' | 'former';
};

/** Numbers as they are written, and what is none. */
type NumberTexts = {
  readonly texts: string[];
  readonly unread: UnreadText[];
  /** Long digits that are not read, such as those of a fax, each with the number of texts before it. */
  readonly others?: { readonly text: string; readonly at: number }[];
};

/** No cell or field that people write is longer. The time that a text takes grows faster than its length. */
const LONGEST = 1_000;
/** Of a list of the service's own, too: longer texts are not looked at. */
export const MAX_TEXT = 4_000;
/** Nor has it more groups of digits. Each may have to be read several times, in the country's rules. */
const MAX_GROUPS = 100;

/** In a list of the service's own. */
const MAX_LISTED = 100;

/** `4,93012E+11`: how a spreadsheet writes a number of more than eleven digits. */
const scientific = /(?<![\p{L}\d])\d(?:[.,]\d+)?E[+-]?\d{1,2}(?![\p{L}\d])/giu;

/** `491713920000.0`: how a table of floating-point numbers writes it. */
const decimals = /(?<![\d+]|\d[.,])(\+?[1-9]\d{6,})[.,]0{1,2}(?!\d|[.,]\d)/g;

/** Without the decimals of a program that has numbers only, which are zeros. */
export const withoutDecimals = (text: string): string => text.replace(decimals, '$1');

/** `30,901,820`: an amount, or numbers of three digits. */
const thousands = /(?<![\d.,])[1-9]\d{0,2}(?:,\d{3}){2,}(?![\d,])/g;

/** `⁰³⁰ ⁹⁰¹⁸²⁰`: they cannot be dialled, and a single one is a footnote or a count. */
const otherDigits = /[^\p{L}\p{N},;|\n]*\p{No}(?:[^\p{L}\p{N},;|\n]*\p{No}){2,}/gu;

/** `030 : 901820`: an area code or a calling code, and what may be the rest of the number. */
const areaCode =
  /(?<=(?:^|[,;|\n\ue001])\s*)(?:\(?0[1-9]\d{0,3}|\+\d{1,3})(?:[^\w+,;:|\n\ue001]*[,;:|\ue001])+[^\w+,;:|\n]*(?!0)\d[\d .)-]*(?=$|[,;|\n\ue001])/g;

/**
 * The numbers in a text, without what is around them: labels, display names, addresses, extensions. Digits of two
 * numbers are never joined. Where one number ends and the next begins, the numbers of the country decide. `countryNamed`: the
 * names of countries that are looked for.
 */
export function numberTexts(
  text: string,
  country: string | null | undefined,
  countryNamed?: CountryNamed,
): NumberTexts {
  if (text.length > MAX_TEXT)
    return { texts: [], unread: [{ text: text.slice(0, LONGEST), reason: 'not-a-number' }] };
  // Almost every number is written so.
  if (/^\+?\d+$/.test(text)) return { texts: [text], unread: [] };
  const groups = text.match(/\p{Nd}+/gu)?.length ?? 0;
  if (groups > MAX_GROUPS || text.length > LONGEST)
    return numberList(text) ?? { texts: [], unread: [{ text, reason: 'not-a-number' }] };
  const complete = completeIn(country);
  const texts: string[] = [];
  const unread: UnreadText[] = [];
  const leaveOut = (reason: UnreadText['reason']) => (part: string) => {
    unread.push({ text: part, reason });
    return ';-;';
  };
  const ours = text.replace(otherDigits, (part) => leaveOut('not-a-number')(part.trim()));
  const bare = withoutDecimals(addressesOf(asTyped(ours)))
    .replace(scientific, leaveOut('rounded'))
    .replace(thousands, leaveOut('ambiguous'));
  const plain = separated(
    withoutCountryCodes(bare, country, leaveOut, countryNamed).replace(otherLabel, leaveOut('not-a-number')),
  );
  const items = plain.replace(areaCode, leaveOut('ambiguous'));
  const isBehindLongOne = () =>
    texts.some(isLong) || unread.some(({ text, reason }) => reason === 'ambiguous' && isLong(text));
  const others: { text: string; at: number }[] = [];
  let saysNone = false;
  let separator = ';';
  const parts = items.split(/([,;|\n\ue001]|:::)/);
  for (const [index, part] of parts.entries()) {
    const isBehindLabel = parts[index - 1] === LABEL;
    const isBeforeLabel = parts[index + 1] === LABEL;
    const item = isBehindLabel ? withoutCount(part.trim(), complete) : part.trim();
    const known = unread.length;
    if (/^(?:[,;|\ue001]|:::)?$/.test(item)) separator = item === '' && isComma(separator) ? ',' : item;
    else if (isFiller(item)) saysNone = true;
    else if (isNotCalled(item)) leaveOut(isFormer(item) ? 'former' : 'not-a-number')(withLabels(item));
    else if (
      (isTimeBesideNumber(item) && parts.some((other) => other !== part && isLong(other))) ||
      ((isComma(separator) || isPause(separator, part)) &&
        isBehindLongOne() &&
        isLastDigits(item) &&
        !complete(item)) ||
      (isBeforeLabel && isCount(item, items))
    )
      leaveOut('ambiguous')(item);
    else {
      const found = readItem(item, complete, { isBehindLabel, isBeforeLabel });
      texts.push(...found.texts);
      unread.push(...found.unread);
    }
    for (const one of unread.slice(known).filter(isOther))
      others.push({ text: one.text.replace(/^[^\d+]+/, ''), at: texts.length });
  }
  // A label alone: the text of another column, perhaps.
  if (
    texts.length + unread.length === 0 &&
    ((!saysNone && /\p{L}(?!.*:)/u.test(text)) || /\p{No}/u.test(text))
  )
    unread.push({ text: text.trim(), reason: 'not-a-number' });
  return { texts, unread, others };
}

/** A telephone number, and no date or word. */
const isOther = ({ text, reason }: UnreadText) =>
  isLong(text) && (['ambiguous', 'former'].includes(reason) || /^(?:Fax|Pager|Assistant)\b/.test(text));

/** All numbers of a customer who has many, as an export has them: nothing but numbers, with `|` between them. */
function numberList(text: string): NumberTexts | undefined {
  const texts = text.split('|', MAX_LISTED + 1).map((part) => part.trim());
  const isList = texts.length <= MAX_LISTED && texts.every((part) => /^\+?\d[\d ]{0,30}$/.test(part));
  return isList ? { texts, unread: [] } : undefined;
}

/** `0171 392****`, `030 9018…`, `***1820`, `0171 392 XXXX`: some digits are hidden. Not `*72` or `#31#`, which are dialled. */
const isMasked = (text: string) =>
  /\d[\s()./-]*(?:[*#_?]|\.{2}|x{2})|(?:[*#_]{3}|\.{2}|x{2})[\s.-]*\d/i.test(
    text.replace(/^\s*[*#]{1,2}\d[\d*#]*(?=[\d+\s]*$)/, ''),
  );

const isComma = (separator: string) => separator === ',' || separator === LABEL;
/** `030 901820;21`: phones write so what they dial after a pause. In a list, a blank follows. */
const isPause = (separator: string, part: string) => separator === ';' && /^\S/.test(part);

/** Behind another number, what can be other last digits of it. */
const isLastDigits = (item: string) => /^[-/ (#]*\d[\d .()-]*[:#*]?$/.test(item) && !/^0+$/.test(item);

/** `2 Mobile 0171 3920000`, but not `12 office`, which is an extension. */
const isCount = (item: string, text: string) => /^[^\d+]*\d{1,2}\D*$/.test(item) && /\d\D*\d\D*\d/.test(text);

/** More digits than an extension has. */
const isLong = (text: string) => text.replace(/\D+/g, '').length > 6;

/** Dates and hours beside a number are no part of it, unless what is left without them is no number. */
function readBesideTime(item: string, complete: CompleteNumber): NumberTexts | undefined {
  const { times, rest, isSure } = timesIn(item);
  if (times.length === 0) return undefined;
  const whole = (reason: UnreadText['reason']) => ({ texts: [], unread: [{ text: item, reason }] });
  const isYearFirst = /^\d{4}-/.test(item);
  // In countries with numbers of eight digits, `20-10-2011` can be one.
  if (!/\d/.test(rest))
    return whole(!isSure || (complete(item) && !isYearFirst) ? 'ambiguous' : 'not-a-number');
  const { texts } = readItem(rest, complete);
  const isNumber = (text: string) => complete(text) && (isSure || isLong(text.replace(/^\+\d/, '')));
  if (texts.length === 0 || !texts.every(isNumber)) return undefined;
  // `030 901820 20-21`, `08-12 34 56 78`
  if (!isSure && (complete(item) || !texts.every((text) => /^[+0]/.test(text)))) return whole('ambiguous');
  return { texts, unread: times.map((text) => ({ text, reason: 'not-a-number' })) };
}

/** What stands beside an item. */
type Beside = { readonly isBehindLabel: boolean; readonly isBeforeLabel: boolean };
const alone: Beside = { isBehindLabel: false, isBeforeLabel: false };

/** Reads what stands between two separators: numbers, and words that are no known labels. */
function readItem(item: string, complete: CompleteNumber, beside: Beside = alone): NumberTexts {
  const whole = (reason: UnreadText['reason']): NumberTexts => ({
    texts: [],
    unread: [{ text: item, reason }],
  });
  const core = item.replace(/@[\w.:()-]*$/, '').replace(/(?<=\d):(?:\d{4,5})?$/, '');
  const timed = readBesideTime(core, complete);
  if (timed !== undefined) return timed;
  if (/\d:\d/.test(core) || isMasked(core)) return whole('not-a-number');
  const runs = [...core.matchAll(/[\d\s().+*#/-]+/g)].filter(([run]) => /\d/.test(run));
  const isGlued = runs.some(
    ({ 0: run, index }) =>
      (!/^[^\d+(]*\s/.test(run) && /[^\s:=(]$/.test(core.slice(0, index))) ||
      (!/\s[^\d)]*$/.test(run) && /^[^\s:!)]/.test(core.slice(index + run.length))),
  );
  if (isGlued || runs.length === 0) return whole('not-a-number');
  const hasWord = (text: string) => /[^\d\s().+*#/:=!-]/.test(text);
  const isUnclear = runs.some(({ 0: run, index }) =>
    canCount(run, complete, {
      isBehindWord: beside.isBehindLabel || hasWord(core.slice(0, index)),
      isBeforeWord: beside.isBeforeLabel || hasWord(core.slice(index + run.length)),
    }),
  );
  if (isUnclear) return whole('ambiguous');
  const found = runs.map(([run]) => splitRun(run, complete));
  const texts = found.flatMap((one) => one.texts);
  // `Haus 12`, `0800 REIMANN`
  if (hasWord(core) && !(texts.length > 0 && texts.every(complete))) return whole('not-a-number');
  const unread = found.flatMap((one) => one.unread.map((text) => ({ text, reason: 'ambiguous' as const })));
  // `030 901820 8-17 / 0171 3920000`
  const isSeveral = texts.length + unread.length > 1;
  if (isSeveral && texts.some((text) => readBesideTime(text, complete) !== undefined))
    return whole('ambiguous');
  return { texts, unread };
}
