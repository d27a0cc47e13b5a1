import { completeIn, normaliseNumber } from './normalise-number.ts';
import { isWithheld } from './number-text.ts';
import { numberTexts, type UnreadText } from './number-texts.ts';

/** What is read in a text that people have written. */
export type NumbersRead = { readonly numbers: string[]; readonly unread: UnreadText[] };

/**
 * Reads a cell of a table, a field of a form or a pasted text, which may hold several numbers. `numbers` are in the form
 * in which they are compared, each once, in their order. An extension behind a number is left out. What says that there
 * is no number (`-`, `n/a`, zeros) is neither a number nor unread.
 */
export function readNumbers(text: string, country: string | null | undefined): NumbersRead {
  const { texts, unread } = numberTexts(text, completeIn(country));
  const numbers = texts
    .filter((number) => !isWithheld(number))
    .map((number) => normaliseNumber(number, country));
  return { numbers: [...new Set(numbers)], unread };
}
