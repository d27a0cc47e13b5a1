import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { numberTexts } from '../../shared/phone-number/number-texts.ts';
import { completeIn } from '../../shared/phone-number/parse-number.ts';
import { sameLine } from '../../shared/phone-number/same-line.ts';
import { nationalDigits } from '../../shared/phone-number/written-number.ts';
import { folded } from './folded.ts';

/** A search for a number or a part of one. */
type NumberTerm = {
  /** Without separators. */
  readonly typed: string;
  /** The number as calls have it, in all forms; of a part of a number, its digits. */
  readonly numbers: readonly string[];
  /** What is searched for in the international numbers of calls and customers. */
  readonly digits: string;
};

/** The number in a search, however it was typed or copied; null if the search is for something else. */
export function numberTerm(term: string, country?: string | null): NumberTerm | null {
  const { texts, unread } = numberTexts(term, country);
  const [text = '', ...others] = texts;
  // A part such as `+49 (0)171` is not parsed. In Italy the 0 belongs to the number.
  const typed = text.replace(/^((?:\+|00)(?!39)\d{1,3})\D+0(?=\D)/, '$1').replace(/[^\d+]+/g, '');
  if (others.length + unread.length > 0 || typed.replace('+', '').length < 3) return null;
  const number = normaliseNumber(typed, country);
  const [listed] = sameLine(number);
  const part = typed.replace(/^(?:\+|0+)(?=\d)/, '');
  const isFull = number.startsWith('+') && completeIn(country)(typed) !== undefined;
  const whole = /^(?:\+|00)/.test(typed) ? listed.slice(1) : nationalDigits(listed);
  return { typed, numbers: [...new Set([number, ...sameLine(number)])], digits: isFull ? whole : part };
}

/** Whether all of these words of a search are in a text; the digits of a number, however it is written there. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const said = folded(text);
  const joined = said.replace(/(?<=\d)[\s()/.-]+(?=\d)/g, '');
  return words.every((word) => said.includes(word) || (/^\d+$/.test(word) && joined.includes(word)));
}

/** The parts of a search, each of which the text of what is found holds; a number may be written in any way. */
export function searchWords(term: string, country?: string | null): string[] {
  const number = numberTerm(term, country);
  if (number !== null) return [number.digits];
  // Whatever apostrophe is typed; and of a Greek word, whose last sigma is another letter, what is before it.
  return folded(term)
    .split(/[\s'’‘`ʼ]+/)
    .map((word) => word.replace(/(?<=.)[σς]$/, ''))
    .filter(Boolean)
    .slice(0, 8);
}
