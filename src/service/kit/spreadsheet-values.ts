import { languages } from '../words/words.ts';
import { monthNamesIn } from './month-names.ts';

/** Of the pages, and others in which people have spreadsheets: a table may be opened by anybody. */
const spreadsheetLanguages = [
  ...languages.keys(),
  ...'it pt pl cs sk hu ro sl hr da sv nb fi tr el ru uk bg'.split(' '),
];

/** Any of these names, with or without its full stop. */
const anyOf = (names: readonly string[]) =>
  `(?:${[...new Set(names.map((name) => name.replace('.', '').toLowerCase()))].join('|')})\\.?`;

const names = monthNamesIn(spreadsheetLanguages)
  .map(([name]) => name)
  .filter((name) => /^\p{L}{3}/u.test(name));
/** Those of Austria and of LibreOffice, too. */
const month = anyOf([...names, ...names.map((name) => name.slice(0, 3)), 'mrz', 'jän', 'jänner']);
const weekday = anyOf(
  spreadsheetLanguages.flatMap((language) =>
    (['long', 'short'] as const).flatMap((weekday) => {
      const { format } = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' });
      return Array.from({ length: 7 }, (_, at) => format(Date.UTC(2026, 0, 1 + at)));
    }),
  ),
);

/** A spreadsheet takes at least those of its language. */
const currency = anyOf([
  ...Intl.supportedValuesOf('currency'),
  'kr',
  'zł',
  'kč',
  'ft',
  'lei',
  'fr',
  'lv',
  'лв',
  'руб',
  'грн',
  'r\\$',
  'us\\$',
  'tl',
]);

/** Numbers and dates that have letters, and truth values. */
const wordedValue = new RegExp(
  [
    '[\\d.,]+ *e *[+-]? *\\d+', // 1E5, 5 E 5
    `${currency} *[+-]?[\\d.,’' ]+|[+-]?[\\d.,’' ]+${currency}`, // CHF 5
    `(?:${weekday},? )?\\d{1,4}[ ./-]*${month}(?:[ ./-]*\\d{1,4})?`, // 3 May 2026, 1-Mar
    `${weekday},? \\d{1,4}(?:[./-]\\d{1,4}){1,2}\\.?`, // Di 3.5.
    `${month}[ ./-]*\\d{1,4}(?:[ ,./-]+\\d{1,4})?`, // Sept 2
    '[\\d:. ]+[ap]m?', // 9:30 pm
    'true|false|wahr|falsch|vrai|faux|verdadero|falso|waar|onwaar|vero|verdadeiro|prawda|fałsz|pravda|nepravda|igaz|hamis',
    'adevărat|fals|istina|laž|sand|falsk|sant|falskt|sann|usann|tosi|epätosi|doğru|yanlış|αληθες|ψευδες|истина|ложь',
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
