/** How people are recognised before their names are read: up to two letters in a circle of one of six calm colours. */
export type Face = {
  /** Empty for who has no name, such as a telephone number. */
  readonly letters: string;
  /** 1 to 6: the same for the same name, everywhere. */
  readonly tint: number;
};

const TINTS = 6;
const MAX_READ = 120;
/** Firefox has it since April 2024. */
const graphemes = Intl.Segmenter && new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const lettersOf = (word: string): string[] =>
  graphemes ? Array.from(graphemes.segment(word), ({ segment }) => segment) : [...word];
const isLetter = (text: string) => /^\p{L}/u.test(text);

/** `Anna Maier`: AM, `Bilal`: BI, `+49 30 901820`: none. */
export function faceOf(name: string): Face {
  const text = name.slice(0, MAX_READ).normalize('NFC').trim();
  const words = text
    .split(/[\s\-./&,()]+/u)
    .map(lettersOf)
    .filter(([first = '']) => isLetter(first));
  const [one = [], two] = words;
  const letters = two ? [one[0], two[0]] : one.filter(isLetter).slice(0, 2);
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return { letters: letters.join('').toLocaleUpperCase('en'), tint: (sum % TINTS) + 1 };
}
