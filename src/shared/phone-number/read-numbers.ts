import { normaliseNumber } from './normalise-number.ts';
import { numberTexts, type UnreadText } from './number-texts.ts';
import { completeIn, e164In, LONGEST_EXTENSION } from './parse-number.ts';
import { sameLine } from './same-line.ts';

/** What is read in a text that people have written. */
export type NumbersRead = { readonly numbers: string[]; readonly unread: UnreadText[] };

/** Source: E.164. With `00` and the 0 of a national number before them. */
const MAX_DIGITS = 18;

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
  if (!/\d +\d/.test(text) || e164In(text, country)) return false;
  const beginnings = [...text.matchAll(/(?<=\d) +(?=\d)/g)].map(({ index }) => text.slice(0, index));
  return (
    beginnings.some((one) => e164In(one, country)) ||
    (!number.startsWith('+') && number.length > LONGEST_EXTENSION && !completeIn(country)(text))
  );
}
