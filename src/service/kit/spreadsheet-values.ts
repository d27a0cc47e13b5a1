import { monthNames } from './month-names.ts';

const months = monthNames.map(([name]) => name.replace('.', '').toLowerCase());
const month = `(?:${[...new Set([...months, ...months.map((name) => name.slice(0, 3))])].join('|')})\\.?`;

/** Numbers and dates that have letters, and truth values. */
const wordedValue = new RegExp(
  [
    '[\\d.,]+e[+-]?\\d+', // 1E5
    `\\d{1,4}[ ./-]*${month}(?:[ ./-]*\\d{1,4})?`, // 3 May 2026, 1-Mar
    `${month}[ ./-]*\\d{1,4}(?:[ ,./-]+\\d{1,4})?`, // Sept 2
    '[\\d:. ]+[ap]m?', // 9:30 pm
    'true|false|wahr|falsch|vrai|faux|verdadero|falso|waar|onwaar',
  ]
    .map((form) => `^(?:${form})$`)
    .join('|'),
  'i',
);

/** Whether a spreadsheet could read a text as a number, a date, a time or a truth value: in doubt, yes. */
export const isValue = (text: string): boolean =>
  /^[^\p{L}|]*\p{Nd}[^\p{L}|]*$/u.test(text) || wordedValue.test(text);

/** Whether it would then be written back as another text. Whole numbers of up to eleven digits stay as they are. */
export const isChangedBySpreadsheets = (text: string): boolean =>
  isValue(text) && !/^(?:0|[1-9]\d{0,10})$/.test(text);
