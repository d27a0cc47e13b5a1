import type { Words } from '../../words/words.ts';
import { type Customer, customerFields, textNames } from '../customer-fields.ts';
import { isLostText } from './blank-cells.ts';
import type { Line } from './imported-customer.ts';
import type { KnownCustomers } from './known-customers.ts';

/** Whether question marks seem to stand for letters that a code page lacks: `?ód?`, `Lu?a`, `Berg & ??`. `Wer?` is a name. */
const hasMarks = (text: string): boolean => /\?(?=\p{L})|(?<![^\s(/&,.-])\?{2,}(?![^\s)/&,.-])/u.test(text);

/** The same of the underscores that Excel writes on a Mac: `_ód_`, `Berg & __`. `key_account` is a word. */
const hasUnderscores = (text: string): boolean => /(?<![^\s(/&,.-])_+(?=\p{L}|(?:$|[\s)/&,.-]))/u.test(text);

/** What Windows writes for a letter that is no other letter with an accent ("best fit", as in bestfit1252.txt). */
const fits: ReadonlyMap<string, string> = new Map(
  'ŁL łl ĐD đd ĦH ħh ŦT ŧt ØO øo ÆA æa ŒO œo ıi ðd ÐD ΓG ΘT ΣS ΦF ΩO αa δd εe πp σs τt φf'
    .split(' ')
    .map(([letter = '', written = '']) => [letter, written]),
);
const fitOf = (letter: string): string => fits.get(letter) ?? letter.normalize('NFKD').replace(/\p{M}/gu, '');

/** What is beyond ASCII in the code pages with which Excel saves letters of the Latin alphabet: of western and of central Europe. */
const pages = ['windows-1252', 'windows-1250'].map(
  (page) => new Set(new TextDecoder(page).decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at))),
);

/**
 * Whether a text is another one in which each character that a code page lacks became a question mark, an underscore or the
 * letter that Windows takes for the most similar, as in Excel's plain CSV. All code pages have ASCII. Windows writes two
 * for what is two units of UTF-16. Without its `ü`, which both pages have, `Muller` is another name.
 */
function isDamaged(text: string, known: string): boolean {
  const written = [...text];
  const isMade = (units: readonly string[], page: ReadonlySet<string>) =>
    written.length === units.length &&
    written.every((char, at) => {
      const unit = units[at] ?? '';
      if (char === unit) return true;
      return unit > '\x7f' && (char === '?' || char === '_' || (!page.has(unit) && char === fitOf(unit)));
    });
  return text !== known && pages.some((page) => isMade([...known], page) || isMade(known.split(''), page));
}

/**
 * A line in which the letters of known customers are back that a code page has lost, by its reference or else its numbers. What
 * else seems to have lost letters is named. `placeholder`: in place of the reference, which can have lost all of its letters.
 */
export function withKnownLetters<Of extends Line & { readonly placeholder: string }>(
  line: Of,
  { byReference, byNumber }: KnownCustomers,
  words: Words,
): Of {
  const written = line.reference ?? line.placeholder;
  const { importing } = words;
  const lost = [...line.lost];
  const unsure = [...line.unsure];
  const named = byReference.get(written);
  const candidates = named ? [named] : (line.numbers ?? []).flatMap((number) => byNumber.get(number) ?? []);
  const read = (field: 'reference' | 'segment' | (typeof textNames)[number], text: string): string => {
    const column = customerFields[field].label(words);
    const textOf = (customer: Customer) => customer[field] ?? '';
    if (candidates.some((one) => textOf(one) === text)) return text;
    const known = candidates.map(textOf).find((one) => isDamaged(text, one));
    if (known !== undefined) lost.push(importing.lettersKept(column, text, known));
    else if (!isLostText(text)) {
      if (hasMarks(text)) unsure.push(importing.lettersLost(column, text, '?'));
      // Many a key has underscores.
      else if (field !== 'reference' && hasUnderscores(text))
        unsure.push(importing.lettersLost(column, text, '_'));
    }
    return known ?? text;
  };
  const reference = written === '' ? '' : read('reference', written);
  const isFound = reference !== written;
  return {
    ...line,
    ...(line.reference !== undefined || isFound ? { reference } : {}),
    ...(isFound && { placeholder: '' }),
    texts: {
      ...line.texts,
      ...Object.fromEntries(
        textNames
          .filter((name) => name in line.texts)
          .map((name) => [name, line.texts[name] && read(name, line.texts[name])]),
      ),
    },
    segment: line.segment && read('segment', line.segment),
    lost,
    unsure,
  };
}
