import { withoutCountryCodes } from './country-codes.ts';
import { addressesOf, FAX, isFiller, otherLabel, separated } from './number-words.ts';
import { completeIn } from './parse-number.ts';
import { plainText } from './plain-text.ts';
import { type IsComplete, splitRun } from './split-run.ts';
import { timesIn } from './times.ts';

/** A part of a text in which no number can be read. */
export type UnreadText = {
  readonly text: string;
  /** `rounded`: a spreadsheet has replaced its last digits. `ambiguous`: it is not clear which number its digits belong to. */
  readonly reason: 'not-a-number' | 'rounded' | 'ambiguous';
};

/** Numbers as they are written, and what is none. */
export type NumberTexts = { readonly texts: string[]; readonly unread: UnreadText[] };

/** No cell or field of telephone numbers is longer. The time that a text takes grows faster than its length. */
const LONGEST = 1_000;

/** `4,93012E+11`: how a spreadsheet writes a number of more than eleven digits. */
const scientific = /(?<![\p{L}\d])\d(?:[.,]\d+)?E[+-]?\d{1,2}(?![\p{L}\d])/giu;

/** `491713920000.0`: how a table of floating-point numbers writes it. */
const decimals = /(?<![\d+]|\d[.,])(\+?[1-9]\d{6,})[.,]0{1,2}(?!\d|[.,]\d)/g;

/** `30,901,820`: an amount, or numbers of three digits. */
const thousands = /(?<![\d.,])[1-9]\d{0,2}(?:,\d{3}){2,}(?![\d,])/g;

/** `030 : 901820`: an area code or a calling code, and what may be the rest of the number. */
const areaCode =
  /(?<=^|[,;|\n]\s*)(?:\(?0[1-9]\d{0,3}|\+\d{1,3})[^\w+,;:|\n]*[,;:|][^\w+,;:|\n]*(?!0)\d[\d .)-]*(?=$|[,;|\n])/g;

/**
 * The numbers in a text, without what is around them: labels, display names, addresses, extensions. Digits of two
 * numbers are never joined. Where one number ends and the next begins, the numbers of the country decide.
 */
export function numberTexts(text: string, country: string | null | undefined): NumberTexts {
  // Almost every number is written so.
  if (/^\+?\d+$/.test(text)) return { texts: [text], unread: [] };
  if (text.length > LONGEST) return { texts: [], unread: [{ text, reason: 'not-a-number' }] };
  const isComplete = completeIn(country);
  const texts: string[] = [];
  const unread: UnreadText[] = [];
  const leaveOut = (reason: UnreadText['reason']) => (part: string) => {
    unread.push({ text: part, reason });
    return ';-;';
  };
  const bare = addressesOf(plainText(text))
    .replace(decimals, '$1')
    .replace(scientific, leaveOut('rounded'))
    .replace(thousands, leaveOut('ambiguous'));
  const plain = separated(
    withoutCountryCodes(bare, country, leaveOut).replace(otherLabel, leaveOut('not-a-number')),
  );
  const items = plain.replace(areaCode, leaveOut('ambiguous'));
  let saysNone = false;
  let separator = ';';
  for (const part of items.split(/([,;|\n]|:::)/)) {
    const item = part.trim();
    if (/^(?:[,;|]|:::)?$/.test(item)) separator = item === '' && separator === ',' ? ',' : item;
    else if (isFiller(item)) saysNone = true;
    else if (item.includes(FAX)) leaveOut('not-a-number')(item.replaceAll(FAX, 'Fax').replace(/\s+/g, ' '));
    else if (
      separator === ',' &&
      /^[-/ ]*[1-9][\d .-]*$/.test(item) &&
      texts.some(isLong) &&
      !isComplete(item)
    )
      leaveOut('ambiguous')(item);
    else {
      const found = readItem(item, isComplete);
      texts.push(...found.texts);
      unread.push(...found.unread);
    }
  }
  // A label alone: the text of another column, perhaps.
  if (texts.length + unread.length === 0 && !saysNone && /\p{L}(?!.*:)/u.test(text))
    unread.push({ text: text.trim(), reason: 'not-a-number' });
  return { texts, unread };
}

/** `0171 392****`, `030 9018…`, `***1820`, `0171 392 XXXX`: some digits are hidden. Not `*72` or `#31#`, which are dialled. */
const isMasked = (text: string) =>
  /\d[\s()./-]*(?:[*#_?]|\.{2}|x{2})|(?:[*#_]{3}|\.{2}|x{2})[\s.-]*\d/i.test(
    text.replace(/^\s*[*#]{1,2}\d+(?:[*#]+\d*)*#?(?=[\d+\s]*$)/, ''),
  );

/** More digits than an extension has. */
const isLong = (text: string) => text.replace(/\D+/g, '').length > 6;

/** Dates and hours beside a number are no part of it, unless what is left without them is no number. */
function readBesideTime(item: string, isComplete: IsComplete): NumberTexts | undefined {
  const { times, rest, isSure } = timesIn(item);
  if (times.length === 0) return undefined;
  const whole = (reason: UnreadText['reason']) => ({ texts: [], unread: [{ text: item, reason }] });
  const isYearFirst = /^\d{4}-/.test(item);
  // In countries with numbers of eight digits, `20-10-2011` can be one.
  if (!/\d/.test(rest))
    return whole(!isSure || (isComplete(item) && !isYearFirst) ? 'ambiguous' : 'not-a-number');
  const { texts } = readItem(rest, isComplete);
  const isNumber = (text: string) => isComplete(text) && (isSure || isLong(text.replace(/^\+\d/, '')));
  if (texts.length === 0 || !texts.every(isNumber)) return undefined;
  // `030 901820 20-21`
  if (!isSure && isComplete(item)) return whole('ambiguous');
  return { texts, unread: times.map((text) => ({ text, reason: 'not-a-number' })) };
}

/** Reads what stands between two separators: numbers, and words that are no known labels. */
function readItem(item: string, isComplete: IsComplete): NumberTexts {
  const none: NumberTexts = { texts: [], unread: [{ text: item, reason: 'not-a-number' }] };
  const core = item.replace(/@[\w.:()-]*$/, '').replace(/(?<=\d):(?:\d{4,5})?$/, '');
  const timed = readBesideTime(core, isComplete);
  if (timed !== undefined) return timed;
  if (/\d:\d/.test(core) || isMasked(core)) return none;
  const runs = [...core.matchAll(/[\d\s().+*#/-]+/g)].filter(([run]) => /\d/.test(run));
  const isGlued = runs.some(
    ({ 0: run, index }) =>
      (!/^[^\d+(]*\s/.test(run) && /[^\s:=(]$/.test(core.slice(0, index))) ||
      (!/\s[^\d)]*$/.test(run) && /^[^\s:!)]/.test(core.slice(index + run.length))),
  );
  if (isGlued || runs.length === 0) return none;
  const hasWords = /[^\d\s().+*#/:=!-]/.test(core);
  const found = runs.map(([run]) => splitRun(run, isComplete));
  const texts = found.flatMap((one) => one.texts);
  // `Haus 12`, `0800 REIMANN`
  if (hasWords && !(texts.length > 0 && texts.every(isComplete))) return none;
  const unread = found.flatMap((one) => one.unread.map((text) => ({ text, reason: 'ambiguous' as const })));
  return { texts, unread };
}
