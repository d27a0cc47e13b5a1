import { isFiller } from '../../../shared/phone-number/number-words.ts';
import { NULL } from './cells.ts';

/** What databases and people write where there is nothing. */
const blank =
  /^(?:NULL|null|\(null\)|undefined|NaN|nan|NaT|None|<NA>|n\/[aA]|N\/A|\((?:leer|blank|vide|vac[ií]o|en blanco|vuoto|vazio|leeg)\)|[-–—.?_*/\s]+)$/u;
/** What spreadsheets write for what they cannot find, calculate or show, in any language: `#NV`, `#REF!`, `#¡VALOR!`, `Err:509`. */
const lost = /^(?:#N\/?[AVDB]|#[¡¿]?[\p{Lu}/0_]+[!?]|#{2,}|Err:\d{3})$/u;
/** What a code page leaves of letters that it lacks, or people write for what they do not know: `??`, `?.?.`, `__` on a Mac. */
const marks = /^[-–—.?_*/\s]+$/u;
const newcomer = /^(?:neu|new|nouveau|nouvelle|nuevo|nueva|nieuw)$/i;

/** Whether a spreadsheet has lost what was in a cell: there may be something. */
export const isLost = (cell: string): boolean => lost.test(cell);

/** The same of a name, a segment or a reference. */
export const isLostText = (cell: string): boolean => isLost(cell) || (/[?_]/.test(cell) && marks.test(cell));

/** Whether a cell says nothing, whatever its column is. Mr Null and Ms Nan are people. */
const isBlank = (cell: string): boolean => cell === NULL || blank.test(cell) || isLost(cell);
const isBlankBehindApostrophes = (cell: string): boolean => isBlank(cell.replace(/^'+/, ''));

/**
 * A cell that `textIn` reads as this text: a customer can be called `n/a`. Behind apostrophes it gets one more, so that each
 * text can be read back.
 */
export const asLiteral = (text: string): string => (isBlankBehindApostrophes(text) ? `'${text}` : text);

/** The text of a cell; '' if it says nothing. */
export const textIn = (cell: string): string => (isBlank(cell) ? '' : literalIn(cell));

/** The text that was written by `asLiteral`. */
export const literalIn = (cell: string): string =>
  cell.startsWith("'") && isBlankBehindApostrophes(cell) ? cell.slice(1) : cell;

/** Whether it says that there is no reference, or has lost it. `NO` and `@x` are some. */
export const isNoReference = (cell: string): boolean =>
  isBlank(cell) || (cell.length <= LONGEST_WORDS && isWordForNone(cell));

/** In characters: more than people write for nothing. */
const LONGEST_WORDS = 100;

const isWordForNone = (cell: string): boolean =>
  isRounded(cell) ||
  newcomer.test(cell) ||
  /^(?:0+|na|k\. ?a\.|n\. ?v\.)$/i.test(cell) ||
  (/^\p{L}[\p{L}\p{M} ]{2,}$/u.test(cell) && isFiller(cell));

/** A number that a spreadsheet has rounded: `1,23457E+11`. */
export const isRounded = (cell: string): boolean => /^\d(?:[.,]\d+E\+?|E\+)\d+$/i.test(cell);
