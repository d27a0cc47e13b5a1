import type { CompleteNumber } from './parse-number.ts';

/** `2 030 901820` behind a label, without the count of the label. */
export function withoutCount(item: string, complete: CompleteNumber): string {
  const [count = '', mark] =
    /^(?:\([1-9]\d?\)|[1-9]\d?)(?:(\s*[.:)]+(?!\d)\s*)|\s+[-/]?\s*)(?=[+(\d])/.exec(item) ?? [];
  const rest = item.slice(count.length);
  if (mark !== undefined) return rest;
  return complete(rest) && (/^[+(0]/.test(rest) || !complete(item)) ? rest : item;
}

/** More groups of two or three digits, such as `90 18 20`, are more than one number without its area code usually has. */
const MAX_EQUAL_GROUPS = 3;

/** Longer digits beside a word can be a postcode, however the number before them is grouped. */
const LONGEST_COUNT = 3;

type Words = { readonly isBehindWord: boolean; readonly isBeforeWord: boolean };

/**
 * True for digits beside a word that may belong to the word, because a number is left without them: `2` in
 * `Room 2 612 345678`, in `030 901820 2. floor` and in `030 901820 10115 Berlin`. The last digits of `030 90 18 20 Smith` are
 * one group of several.
 */
export function canCount(
  run: string,
  complete: CompleteNumber,
  { isBehindWord, isBeforeWord }: Words,
): boolean {
  const whole = complete(run.trim());
  const isOther = (rest: string) => {
    const number = complete(rest.trim());
    return number !== undefined && number !== whole;
  };
  const [, behindFirst = ''] = /^[^\d+]*[1-9]\d?(?=\D*\s)[^\d+(]*([+(\d].*)$/s.exec(run) ?? [];
  if (isBehindWord && isOther(behindFirst)) return true;
  const [, beforeLast = '', last = ''] = /^(.*\d)[^\d+]*[\s(][^\d+]*(\d+)[^\d+]*$/s.exec(run) ?? [];
  if (!isBeforeWord && !/[.):]\s*$/.test(run)) return false;
  // Without an area code it is no complete number.
  const isNumber = isOther(beforeLast) || /^\s*[1-9]\d{5,}$/.test(beforeLast);
  if (last.length > LONGEST_COUNT) return isNumber && hasLocalDigits(beforeLast);
  const groups = run.replace(/\D+$/, '').split(/ +/).reverse();
  const others = groups.findIndex((group) => !/^\d+$/.test(group) || group.length !== last.length);
  const equal = others < 0 ? groups.length : others;
  return isNumber && (equal < 2 || equal > MAX_EQUAL_GROUPS);
}

/** More than a calling code and an area code. */
function hasLocalDigits(text: string): boolean {
  const national = text.replace(/^[^\d+]*(?:(?:\+|00)\s*\d{1,3}\D+)?(?:0\D+)?/, '');
  return /\d\D+\d|\d{6}/.test(national);
}
