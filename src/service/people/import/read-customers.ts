import { z } from 'zod';
import { countryOf } from '../../../shared/phone-number/country-names.ts';
import { notCalledAs } from '../../../shared/phone-number/number-words.ts';
import { readNumbers } from '../../../shared/phone-number/read-numbers.ts';
import { unguarded } from '../../kit/csv.ts';
import { createPause, pieces } from '../../kit/event-loop-pauses.ts';
import { errorText } from '../../kit/form.ts';
import { line as lineOfText, withoutInvisible } from '../../kit/text.ts';
import { plainText } from '../../rules/plain-text.ts';
import { en } from '../../words/en.ts';
import type { Words } from '../../words/words.ts';
import { type CustomerField, columns, eachText } from '../customer-fields.ts';
import { type LineReports, refusals } from '../import-refusals.ts';
import { isLost, isNoReference, isRounded, textIn } from './blank-cells.ts';
import { type ColumnUse, leftOutTelephones, type Mapping } from './choose-columns.ts';
import type { ImportedCustomer, Line } from './imported-customer.ts';
import { joinLines } from './join-lines.ts';
import { type FindCustomers, type KnownCustomers, readKnown } from './known-customers.ts';
import { nameColumn, nameOfLine } from './line-name.ts';
import type { Table } from './table.ts';

/** How a table is read: which columns, in the country of its numbers, with errors in the words of a language. */
export type Reading = {
  readonly mapping: Mapping;
  readonly country: string | null;
  readonly words?: Words | undefined;
  readonly find: FindCustomers;
};

export type ReadCustomers = LineReports & {
  /** Each once, those with a reference in the table first. */
  readonly customers: readonly ImportedCustomer[];
  /** What the account has of these customers and of their numbers. */
  readonly known: KnownCustomers;
};

/** In digits: a number without its area code. */
const SHORTEST_LOCAL = 6;

const optional = (field: string) => lineOfText(field, { blank: true }).optional();
const schema = z.object({
  reference: optional('reference'),
  ...eachText(optional),
  segment: optional('segment'),
});

/** A line, and what usually says that there is no reference, if that stands there. */
type RawLine = Line & { readonly placeholder: string };

/** Reads all lines of a table, and finds out which customers they are about (see joinLines). */
export async function readCustomers(
  table: Table,
  { mapping, country, words = en, find }: Reading,
): Promise<ReadCustomers> {
  const { importing, formErrors, customers: text } = words;
  const pause = createPause();
  const reports: LineReports = {
    refused: refusals(),
    left: refusals(),
    unsure: refusals(),
    repeated: refusals(),
    leftOut: refusals(),
  };
  const lines: RawLine[] = [];
  /** How many lines have each. */
  const placeholders = new Map<string, number>();
  /** The line that is refused of each reference: it may have had numbers. */
  const refusedLines = new Map<string, number>();
  const rowOf = rowReader(table, mapping, importing.column);
  const leftOut = leftOutTelephones(table.header, mapping, country);

  /** The error in a line, if it is not taken. */
  async function take(line: number, cells: readonly string[]): Promise<string | undefined> {
    if (isHeaderAgain(table.header, cells)) return importing.headerAgain;
    leftOut.look(line, cells);
    const row = rowOf(cells);
    const noteRefused = () => refusedLines.set(row.fields.reference ?? '', line);
    if (!row.fits) {
      noteRefused();
      return importing.columnsDiffer;
    }
    const { data, error } = schema.safeParse(row.fields);
    // The API's words name the field.
    const [issue] = error?.issues ?? [];
    if (issue) {
      noteRefused();
      return words === en ? issue.message : errorText(issue, formErrors);
    }
    const { reference, segment, ...texts } = data ?? {};
    const placeholder = isNoReference(row.written) ? row.written : '';
    if (placeholder !== '') placeholders.set(placeholder, (placeholders.get(placeholder) ?? 0) + 1);

    const numbers = new Set<string>();
    const unread: string[] = [];
    const unsure = new Set<string>();
    for (const { column, cell, country: named } of row.numbers) {
      const own = named && countryOf(named.cell);
      if (named && !own && cell !== '')
        unsure.add(importing.unknownCountry(named.column, plainText(named.cell, 40)));
      if (isLost(cell)) unread.push(importing.lost(column, cell));
      const found = readNumbers(isLost(cell) ? '' : cell, own ?? country);
      for (const number of found.numbers) {
        numbers.add(number);
        if ((own ?? country) !== null && number.length >= SHORTEST_LOCAL && /^[1-9]\d*$/.test(number))
          unsure.add(importing.withoutAreaCode(column, number));
      }
      for (const { text, reason } of found.unread)
        unread.push(importing.unread(column, plainText(text, 40), reason));
      for (const { text, number, other } of found.unsure ?? [])
        unsure.add(importing.twoReadings(column, text, number, other));
      // A line may have hundreds of columns with numbers.
      const others = pause();
      if (others) await others;
    }
    if (![...numbers].some((number) => number.replace(/\D/g, '').length >= 6) && isTotal(cells))
      return importing.total;
    lines.push({
      line,
      placeholder,
      texts,
      segment,
      unread,
      unsure: [...unsure],
      lost: row.lost.map(({ column, cell }) => importing.lost(column, cell)),
      reference: placeholder === '' && reference ? reference : undefined,
      numbers: row.numbers.length > 0 ? [...numbers] : undefined,
    });
    return undefined;
  }

  for (const { line, cells, joins = 0 } of table.rows()) {
    await pause();
    if (cells.length === 0) continue;
    for (let nth = 0; nth < joins; nth += 1) reports.refused.add(line + nth, importing.openQuote);
    const error = joins > 0 ? undefined : await take(line, cells);
    if (error !== undefined) reports.refused.add(line, error);
  }

  for (const { column, line } of leftOut.found())
    reports.leftOut.add(line, importing.telephonesLeftOut(nameOf(table.header, column, importing.column)));
  const known = await readKnown(find, referencesIn(lines, placeholders.keys()), numbersIn(lines));
  /**
   * Whether a text that usually says that there is no reference is one here: a customer of the account has it, and one line of
   * the table, as in our own export. In a list in which several lines have it, it says what it usually says.
   */
  const isReference = (placeholder: string) =>
    known.byReference.has(placeholder) && placeholders.get(placeholder) === 1;
  const refer = ({ placeholder, ...line }: RawLine): Line => {
    if (placeholder === '') return line;
    if (isReference(placeholder)) return { ...line, reference: placeholder };
    if (isLost(placeholder))
      return { ...line, lost: [importing.lost(text.reference, placeholder), ...line.lost] };
    if (!isRounded(placeholder)) return line;
    return { ...line, unread: [importing.unread(text.reference, placeholder, 'rounded'), ...line.unread] };
  };
  const referred: Line[] = [];
  for await (const some of pieces(lines)) referred.push(...some.map(refer));
  const customers = await joinLines(referred, known, reports, words);
  for await (const some of pieces(customers))
    for (const customer of some)
      if (customer.hasKey) customer.unreadLine ??= refusedLines.get(customer.reference ?? '');
  return { ...reports, known, customers };
}

/** Those that are looked for. A customer without a reference gets a number as one. */
function* referencesIn(lines: readonly Line[], others: Iterable<string>): Generator<string> {
  for (const { reference, numbers = [] } of lines) {
    if (reference === undefined) yield* numbers;
    else yield reference;
  }
  yield* others;
}

function* numbersIn(lines: readonly Line[]): Generator<string> {
  for (const { numbers = [] } of lines) yield* numbers;
}

/** A page of a printed list begins with the header once more. */
const isHeaderAgain = (header: readonly string[], cells: readonly string[]): boolean =>
  header.some(Boolean) && header.every((name, column) => name === (cells[column] ?? ''));

const total =
  /^(?:(?:zwischen|gesamt)?summe|(?:gesamt|kunden)?anzahl|(?:ins)?gesamt|(?:sub)?totale?|totaal|sum|count|suma|somme|soma|cantidad|nombre|aantal)\b[^\p{L}\d]*[\d.,\s]*$/iu;

/** Whether a line is what stands below a list: `Summe;2;`. No company has such a name and nothing but amounts. */
function isTotal(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells.filter(Boolean);
  return (
    first.length <= 100 &&
    total.test(first) &&
    others.every((cell) => /^[^\p{L}]*(?:EUR|USD|GBP|CHF)?$/u.test(cell))
  );
}

type TextColumn = Exclude<CustomerField, 'numbers'>;
type FieldsOfRow = {
  /** Whether it has the columns that are read, and no more than the header. */
  readonly fits: boolean;
  /** The reference as it stands, which may be `-` or `NULL`. */
  readonly written: string;
  /** Those that the table has columns for, without those that a spreadsheet has lost. */
  readonly fields: Partial<Record<TextColumn, string>>;
  /** The cells that it has lost, but for references. */
  readonly lost: readonly NamedCell[];
  /** Each with the cell that names its country, if there is one. */
  readonly numbers: readonly (NamedCell & { readonly country: NamedCell | undefined })[];
};
type NamedCell = { readonly column: string; readonly cell: string };

const nameOf = (header: readonly string[], index: number, unnamed: (column: number) => string) =>
  header[index] ? plainText(header[index], 60) : unnamed(index + 1);

/** Reads the cells of a line by the chosen columns. */
function rowReader(
  { header, sample }: Table,
  mapping: Mapping,
  unnamed: (column: number) => string,
): RowReader {
  const columnsOf = (field: ColumnUse) => [...mapping.keys()].filter((index) => mapping[index] === field);
  const spareNames = columnsOf('spare-name');
  const nameColumns = [...columnsOf('name'), ...spareNames].toSorted((a, b) => a - b);
  const nameIn = nameOfLine(
    nameColumns.map((index) => nameColumn(header[index] ?? '', index, spareNames.includes(index))),
  );
  const textColumns = columns
    .filter((field) => field !== 'numbers')
    .map((field) => [field, field === 'name' ? nameColumns : columnsOf(field)] as const)
    .filter(([, indexes]) => indexes.length > 0);
  const referenceColumns = columnsOf('reference');
  const references = sample
    .flatMap((cells) => referenceColumns.map((index) => cells[index] ?? ''))
    .filter(Boolean);
  // Python reads whole numbers of a column with gaps as `1001.0`.
  const hasDecimals = references.length > 0 && references.every((cell) => /^\d+\.0$/.test(cell));
  const numberColumns = columnsOf('numbers').map((index) => ({
    index,
    column: nameOf(header, index, unnamed),
    countries: byLikeness(columnsOf('country'), header, index).map((country) => ({
      index: country,
      column: nameOf(header, country, unnamed),
    })),
    label: labelColumn(header, index, columnsOf('numbers').length === 1),
  }));
  const width = mapping.findLastIndex((field) => field !== '' && field !== 'spare-name') + 1;
  return (cells) => {
    const cell = (index: number) => {
      const text = asText(cells[index] ?? '');
      return hasDecimals && referenceColumns.includes(index) ? text.replace(/\.0$/, '') : text;
    };
    const textOf = (index: number) => textIn(cell(index));
    const isFirst = (index: number, at: number, all: readonly number[]) =>
      !all.slice(0, at).some((other) => textOf(other) === textOf(index));
    const nameParts = nameIn(textOf);
    // A spare name that is lost matters where there is no other.
    const lostOf = ([field, indexes]: (typeof textColumns)[number]) =>
      indexes.filter(
        (index) =>
          field !== 'reference' &&
          isLost(cell(index)) &&
          !(spareNames.includes(index) && nameParts.length > 0),
      );
    const isKnown = (column: (typeof textColumns)[number]) => lostOf(column).length === 0;
    return {
      fits: cells.length >= width && !cells.slice(header.length).some(Boolean),
      written: [...new Set(referenceColumns.map(cell))].filter(Boolean).join(' '),
      fields: Object.fromEntries(
        textColumns
          .filter(isKnown)
          .map(([field, indexes]) => [
            field,
            (field === 'name' ? nameParts : indexes.filter(isFirst)).map(textOf).filter(Boolean).join(' '),
          ]),
      ),
      lost: textColumns
        .flatMap(lostOf)
        .map((index) => ({ column: nameOf(header, index, unnamed), cell: cell(index) })),
      numbers: numberColumns.map(({ index, column, countries, label }) => {
        const said = label === undefined ? '' : cell(label.index);
        // `schickt Fax` is a note about the customer.
        const isOther = label?.isNote && /\s/.test(said) ? undefined : notCalledAs(said);
        const named = countries.find(
          (country) => isLost(cell(country.index)) || textOf(country.index) !== '',
        );
        return {
          column,
          cell: isOther ? labelled(cell(index), isOther) : cell(index),
          country: named && { column: named.column, cell: cell(named.index) },
        };
      }),
    };
  };
}

type RowReader = (cells: readonly string[]) => FieldsOfRow;

/** Columns, first those whose headers have the most words of another: `Home Country` belongs to `Home Phone`. */
function byLikeness(some: readonly number[], header: readonly string[], other: number): readonly number[] {
  const wordsOf = (index: number) => new Set((header[index] ?? '').toLowerCase().match(/[\p{L}\d]+/gu));
  const likeness = (index: number) => wordsOf(index).intersection(wordsOf(other)).size;
  return some.toSorted((a, b) => likeness(b) - likeness(a));
}

const labelWords =
  'labels?|types?|typ|tipos?|soort|art|beschriftung|libelle|kategorie|category|etiquette|etiqueta|etichetta';
const noteWords =
  'bemerkung|beschreibung|notiz|kommentar|notes?|remarks?|comments?|description|remarque|commentaire|opmerking|omschrijving|observaciones|descripcion|nota';
const [isLabelWord, isNoteWord, isValueWord] = [
  labelWords,
  noteWords,
  'value|wert|valeur|valor|waarde|valore|number|nummer|numero',
].map((words) => new RegExp(`^(?:${words})$`));

/** Words and counts, in lower case and without accents: `Telefon1Typ`, and `Telefonart` as two. */
const headerWords = (header: string): string[] =>
  header
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/(?<=\p{L}{5})(?:art|typ)(?!\p{L})/gu, ' $&')
    .match(/\p{L}+|\d+/gu) ?? [];

type LabelColumn = { readonly index: number; readonly isNote: boolean };

/**
 * The column that says what the numbers of another are for, as Google's `Phone 1 - Label` before `Phone 1 - Value`,
 * `Phone Type` behind `Phone`, or `Type1` behind `Phone1`; beside the only column with numbers, any that is called a type or a note.
 */
function labelColumn(header: readonly string[], index: number, isOnly: boolean): LabelColumn | undefined {
  const own = headerWords(header[index] ?? '');
  const names = [own, own.filter((word) => !isValueWord?.test(word))].map((words) => words.join(' '));
  const beside = [index - 1, index + 1].flatMap((at) => {
    const words = headerWords(header[at] ?? '');
    const isNote = words.some((word) => isNoteWord?.test(word));
    const rest = words.filter((word) => !isLabelWord?.test(word) && !isNoteWord?.test(word)).join(' ');
    return rest === words.join(' ') ? [] : [{ index: at, isNote, rest }];
  });
  const count = own.filter((word) => /^\d/.test(word)).join(' ');
  return own.length === 0
    ? undefined
    : (beside.find(({ rest }) => rest !== '' && (names.includes(rest) || rest === count)) ??
        (isOnly ? beside.find(({ rest }) => !/\d/.test(rest)) : undefined));
}

const labelled = (cell: string, label: string) =>
  cell
    .split(':::')
    .map((number) => (number.trim() === '' ? '' : `${label} ${number.trim()}`))
    .join(' ::: ');

/** The text of a cell, without what keeps spreadsheets from reading it as a number: `'0501`, `="0501"`. */
const asText = (cell: string) => withoutInvisible(unguarded(/^="([^"]*)"$/.exec(cell)?.[1] ?? cell)).trim();
