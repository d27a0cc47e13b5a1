import { limits } from '../../../shared/api/contract/decisions.ts';
import { type Meaning, meaningOf, type NamePart, namePartOf } from './header-words.ts';

/** A column that a name may be put together of. */
export type NameColumn = {
  readonly index: number;
  readonly meaning: Meaning;
  readonly part: NamePart | undefined;
  /** Whether it only adds what the others lack. */
  readonly isSpare: boolean;
};

export function nameColumn(header: string, index: number, isSpare: boolean): NameColumn {
  const meaning = meaningOf(header);
  return { index, meaning, part: namePartOf(header, meaning), isSpare };
}

type Piece = NameColumn & { readonly text: string; readonly words: ReadonlySet<string> };

/** What programs write for nothing, beside a name. */
const saysNothing = /^(?:0+|false|true)$/i;

const isOneOf = (part: NamePart | undefined, ...some: NamePart[]) =>
  part !== undefined && some.includes(part);

/**
 * Finds the columns that a line's name is put together of: first names before last names, wherever the table has them, then what
 * else the line calls the customer. What other columns have said is left out, whatever they are called: of `Anna`, `Berg` and
 * `Berg, Anna` the last, and of `Anna`, `Smith` and `Anna Smith Ltd` the first two.
 */
export function nameOfLine(
  columns: readonly NameColumn[],
): (textOf: (index: number) => string) => readonly number[] {
  const has = (part: NamePart) => columns.some((one) => !one.isSpare && one.part === part);
  // Next to a first name alone, `Name` is the last name, and next to a last name alone, `Nombre` is the first name.
  const lacking = has('given') === has('family') ? undefined : has('given') ? 'family' : 'given';
  const firstFull = columns.find(({ isSpare, part }) => !isSpare && part === 'full')?.index;
  return (textOf) => {
    const all = columns
      .filter(({ index, isSpare }) => textOf(index) !== '' && !(isSpare && !/\p{L}/u.test(textOf(index))))
      .map((one): Piece => ({ ...one, text: textOf(one.index), words: wordsOf(textOf(one.index)) }));
    const worded = all.filter(({ text }) => !saysNothing.test(text));
    const filled = worded.length > 0 ? worded : all;
    if (filled.length === 0) return [];
    const pieces = needed(filled);
    const ofKnown = allWords(pieces.filter(({ part }) => isOneOf(part, 'given', 'family')));
    const mayAct = ({ part, words, index }: Piece) =>
      part === 'full' && (!contains(words, ofKnown) || (index === firstFull && words.size === ofKnown.size));
    const acting = lacking && pieces.find(mayAct);
    const partOf = (one: Piece) => (one === acting ? lacking : one.part);
    const isPart = (one: Piece) => isOneOf(partOf(one), 'given', 'middle', 'family');
    // Martin Martin has his last name, too.
    const isSame = (one: Piece, other: Piece) =>
      one.text === other.text &&
      isPart(other) &&
      (partOf(one) === partOf(other) || [one, other].some((each) => partOf(each) === 'middle'));
    const parts = pieces.filter(
      (one, at) => isPart(one) && !pieces.slice(0, at).some((other) => isSame(one, other)),
    );
    const ofPerson = allWords(parts);
    const others = pieces.filter((one) => !isPart(one));
    const isRepeated = (one: Piece, at: number) =>
      pieces.some((other) => other.text === one.text && parts.includes(other)) ||
      (one.meaning !== 'unknown' && isSaidIn(one.words, ofPerson)) ||
      others
        .slice(0, at)
        .some(
          (other) => other.text === one.text || (other.part === 'full' && contains(other.words, one.words)),
        );
    const kept = others.filter((one, at) => !isRepeated(one, at));
    const isWhole = kept.some(({ part, words }) => part === 'full' && contains(words, ofPerson));
    const inOrder = (['given', 'middle', 'family'] as const).flatMap((part) =>
      parts.filter((one) => partOf(one) === part),
    );
    return pieces
      .flatMap((one) => {
        if (kept.includes(one)) return [one];
        const next = parts.includes(one) ? inOrder.shift() : undefined;
        return next === undefined || isWhole ? [] : [next];
      })
      .map(({ index }) => index);
  };
}

/** Without the spare ones of which others say as much, and without names for display beside any other of a person. */
function needed(filled: readonly Piece[]): readonly Piece[] {
  const own = filled.filter(({ isSpare, meaning }) => !isSpare || !['display', 'alias'].includes(meaning));
  const isPart = (...some: NamePart[]) => own.some(({ part }) => isOneOf(part, ...some));
  const isHalf = !isPart('full') && isPart('given') !== isPart('family');
  const isDisplayed = !isPart('given', 'middle', 'family', 'full');
  const isNeeded = (one: Piece) => {
    if (one.meaning === 'display') return isDisplayed;
    if (own.includes(one)) return true;
    return isHalf && one.part !== undefined && !isPart(one.part);
  };
  const some = filled.filter(isNeeded);
  if (some.length > 0) return some;
  // A full name, also of a company, rather than who is to be asked for there.
  const isFull = ({ part }: Piece) => part === 'full';
  const best = filled.find(isFull) ?? filled.find(({ part }) => part === undefined) ?? filled[0];
  return best === undefined ? [] : [best];
}

/** In characters: no name may be longer. */
const LONGEST_NAME = limits.referenceLength;

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .slice(0, LONGEST_NAME)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu),
  );

const allWords = (pieces: readonly Piece[]): ReadonlySet<string> =>
  new Set(pieces.flatMap(({ words }) => [...words]));

const contains = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  others.size > 0 && others.isSubsetOf(words);

/** Whether a text is the name of a person once more, also with initials: `A. Smith`. */
const isSaidIn = (words: ReadonlySet<string>, ofPerson: ReadonlySet<string>): boolean =>
  words.size > 0 &&
  words
    .keys()
    .every(
      (one) =>
        ofPerson.has(one) || (one.length === 1 && ofPerson.keys().some((word) => word.startsWith(one))),
    );
