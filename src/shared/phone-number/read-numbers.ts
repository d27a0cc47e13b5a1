import { normaliseNumber } from './normalise-number.ts';
import { numberTexts, type UnreadText } from './number-texts.ts';
import { completeIn, e164In, LONGEST_EXTENSION } from './parse-number.ts';
import { sameLine } from './same-line.ts';

/** What is read in a text that people have written. */
export type NumbersRead = { readonly numbers: string[]; readonly unread: UnreadText[] };

/** Source: E.164. With `00` and the 0 of a national number before them. */
const MAX_DIGITS = 18;
/** Of a number without its 0, in almost every country. */
const LONGEST_NATIONAL = 11;

/**
 * Reads a cell of a table, a field of a form or a pasted text, which may hold several numbers. `numbers` are in the form
 * in which customers have them, each once, in their order. An extension behind a number is left out. What says that there
 * is no number (`-`, `n/a`, zeros) is neither a number nor unread.
 */
export function readNumbers(text: string, country: string | null | undefined): NumbersRead {
  const { texts, unread } = numberTexts(text, country);
  const numbers = new Set<string>();
  for (const one of texts) {
    const number = normaliseNumber(one, country);
    if (/^0+$/.test(number)) continue;
    const isNone =
      number === '' || number.length > MAX_DIGITS || (one.startsWith('+') && !number.startsWith('+'));
    if (isNone) unread.push({ text: one, reason: 'not-a-number' });
    else if (isJoined(one, number, country)) unread.push({ text: one, reason: 'ambiguous' });
    else numbers.add(sameLine(number)[0]);
  }
  return { numbers: [...numbers], unread };
}

/** True for digits with blanks that are no number together: a number and what follows it, or several. */
function isJoined(text: string, number: string, country: string | null | undefined): boolean {
  if (!/\d +\d/.test(text)) return false;
  // `98765 43210` in India and `244 923 123 456` in Angola are one.
  if (areBare(text) && /^\d{4,} \d+/.test(text) && text.replace(/ /g, '').length > LONGEST_NATIONAL)
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
