import { isFiller } from '../../../shared/phone-number/number-words.ts';

/** What spreadsheets and databases write where there is nothing, in any language: `#NV`, `#REF!`, `#¡VALOR!`, `NULL`, `-`. */
const blank =
  /^(?:#N\/?[AVDB]|#[¡¿]?[\p{Lu}/0_]+[!?]|#{2,}|NULL|null|\(null\)|undefined|NaN|n\/[aA]|N\/A|[-–—.?_*/\s]+)$/u;
const newcomer = /^(?:neu|new|nouveau|nouvelle|nuevo|nueva|nieuw)$/i;

/** Whether a cell says nothing, whatever its column is. Mr Null and Ms Nan are people. */
export const isBlank = (cell: string): boolean => blank.test(cell);

/** Whether it says that there is no reference, or has lost it. `NO` and `@x` are some. */
export const isNoReference = (cell: string): boolean =>
  isBlank(cell) ||
  isRounded(cell) ||
  newcomer.test(cell) ||
  /^(?:0+|na|k\. ?a\.|n\. ?v\.)$/i.test(cell) ||
  (/^\p{L}[\p{L}\p{M} ]{2,}$/u.test(cell) && isFiller(cell));

/** A number that a spreadsheet has rounded: `1,23457E+11`. */
export const isRounded = (cell: string): boolean => /^\d(?:[.,]\d+E\+?|E\+)\d+$/i.test(cell);
