import { notCalledAs } from '../../../shared/phone-number/number-words.ts';
import { unguarded } from '../../kit/csv.ts';
import { withoutInvisible } from '../../kit/text.ts';
import { plainText } from '../../rules/plain-text.ts';
import { type CodeField, type CustomerField, codeFields, columns, DENIED } from '../customer-fields.ts';
import { isLost, isLostText, textIn } from './blank-cells.ts';
import { LONGEST_CELL } from './cells.ts';
import type { ColumnUse, Mapping } from './choose-columns.ts';
import { nameColumn, nameOfLine } from './line-name.ts';
import type { Table } from './table.ts';

/** A cell with the name of its column. */
type NamedCell = { readonly column: string; readonly cell: string };
/** A cell with numbers, and the one that names its country, if there is one. */
export type NumberCell = NamedCell & { readonly country: NamedCell | undefined };

type TextColumn = Exclude<CustomerField, 'numbers'>;
export type FieldsOfRow = {
  /** Whether it has the columns that are read, and no more than the header; of others, only the reference is read. */
  readonly fits: boolean;
  /** The reference as it stands, which may be `-` or `NULL`. */
  readonly written: string;
  /** Those that the table has columns for, without those that are lost. */
  readonly fields: Partial<Record<TextColumn, string | undefined>>;
  /** The cells that a spreadsheet has lost, but for references, and those with none of the values of their field. */
  readonly lost: readonly NamedCell[];
  readonly numbers: readonly NumberCell[];
};

export const nameOfColumn = (
  header: readonly string[],
  index: number,
  unnamed: (column: number) => string,
) => (header[index] ? plainText(header[index], 60) : unnamed(index + 1));

/** Reads the cells of a line by the chosen columns. */
export function rowReader(
  { header, sample }: Table,
  mapping: Mapping,
  unnamed: (column: number) => string,
): (cells: readonly string[]) => FieldsOfRow {
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
  const words = header.map(headerWords);
  const numberColumns = columnsOf('numbers').map((index) => ({
    index,
    column: nameOfColumn(header, index, unnamed),
    countries: byLikeness(columnsOf('country'), header, index).map((country) => ({
      index: country,
      column: nameOfColumn(header, country, unnamed),
    })),
    labels: labelColumns(words, index, columnsOf('numbers').length === 1),
  }));
  const width = mapping.findLastIndex((field) => field !== '' && field !== 'spare-name') + 1;
  return (cells) => {
    const cell = memoised((index: number) => {
      const text = asText(cells[index] ?? '');
      return hasDecimals && referenceColumns.includes(index) ? text.replace(/\.0$/, '') : text;
    });
    const textOf = memoised((index: number) => textIn(cell(index)));
    const isFirst = (index: number, at: number, all: readonly number[]) =>
      !all.slice(0, at).some((other) => textOf(other) === textOf(index));
    // Many lines with few cells, in a table with hundreds of columns: nothing else is read of them.
    const fits = cells.length >= width && !cells.slice(header.length).some(Boolean);
    const read = fits ? textColumns : textColumns.filter(([field]) => field === 'reference');
    const nameParts = fits ? nameIn(textOf) : [];
    // A spare name that is lost matters where there is no other. A single `?` is what people do not know.
    const matters = (index: number) =>
      nameParts.length === 0 ||
      !(spareNames.includes(index) || (nameColumns.includes(index) && cell(index) === '?'));
    const lostOf = ([field, indexes]: (typeof textColumns)[number]) =>
      indexes.filter(
        (index) =>
          field !== 'reference' &&
          (isLostText(cell(index)) || codeIn(field, textOf(index)) === undefined) &&
          matters(index),
      );
    const isKnown = (column: (typeof textColumns)[number]) => lostOf(column).length === 0;
    return {
      fits,
      written: [...new Set(referenceColumns.map(cell))].filter(Boolean).join(' '),
      fields: Object.fromEntries(
        read
          .filter(isKnown)
          .map(([field, indexes]) => [
            field,
            codeIn(
              field,
              (field === 'name' ? nameParts : indexes.filter(isFirst)).map(textOf).filter(Boolean).join(' '),
            ),
          ]),
      ),
      lost: read
        .flatMap(lostOf)
        .map((index) => ({ column: nameOfColumn(header, index, unnamed), cell: cell(index) })),
      numbers: (fits ? numberColumns : []).map(({ index, column, countries, labels }) => {
        // `schickt Fax` is a note about the customer.
        const isOther = labels
          .map((label) =>
            label.isNote && /\s/.test(cell(label.index)) ? undefined : notCalledAs(cell(label.index)),
          )
          .find((mark) => mark !== undefined);
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

/** A text as it is stored, or DENIED; undefined if the field is one of few values, and this is none of them. */
function codeIn(field: TextColumn, text: string): string | undefined {
  if (!(field in codeFields)) return text;
  const value = codeFields[field as CodeField].read(text);
  return value === '' && text !== '' ? DENIED : value;
}

/** Columns, first those whose headers have the most words of another: `Home Country` belongs to `Home Phone`. */
function byLikeness(some: readonly number[], header: readonly string[], other: number): readonly number[] {
  const wordsOf = (index: number) => new Set((header[index] ?? '').toLowerCase().match(/[\p{L}\d]+/gu));
  const likeness = (index: number) => wordsOf(index).intersection(wordsOf(other)).size;
  return some.toSorted((a, b) => likeness(b) - likeness(a));
}

const labelWords =
  'labels?|types?|flags?|typ|tipos?|soort|art|beschriftung|libelle|kategorie|category|etiquette|etiqueta|etichetta';
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
 * The columns that say what the numbers of another are for, as Google's `Phone 1 - Label` and FreePBX's `phone_1_flags` of
 * `phone_1_number`, wherever they are, or `Type1` beside `Phone1`; beside the only column with numbers, any that is called a type or
 * a note. `words`: those of all headers.
 */
function labelColumns(words: readonly string[][], index: number, isOnly: boolean): readonly LabelColumn[] {
  const own = words[index] ?? [];
  if (own.length === 0) return [];
  const names = [own, own.filter((word) => !isValueWord?.test(word))].map((some) => some.join(' '));
  const count = own.filter((word) => /^\d/.test(word)).join(' ');
  const labels = words.flatMap((some, at) => {
    const isNote = some.some((word) => isNoteWord?.test(word));
    const others = some.filter((word) => !isLabelWord?.test(word) && !isNoteWord?.test(word));
    return others.length === some.length ? [] : [{ index: at, isNote, rest: others.join(' ') }];
  });
  const beside = labels.filter((label) => Math.abs(label.index - index) === 1);
  const named = labels.filter(({ rest }) => rest !== '' && names.includes(rest));
  if (named.length > 0) return named;
  const [counted] = beside.filter(({ rest }) => rest !== '' && rest === count);
  const [only] = isOnly ? beside.filter(({ rest }) => !/\d/.test(rest)) : [];
  return [counted ?? only].filter((one) => one !== undefined);
}

const labelled = (cell: string, label: string) =>
  cell
    .split(':::')
    .map((number) => (number.trim() === '' ? '' : `${label} ${number.trim()}`))
    .join(' ::: ');

/**
 * The text of a cell, without what keeps spreadsheets from reading it as a number: `'0501`, `="0501"`. One that is too long stays
 * so.
 */
const asText = (cell: string) =>
  cell.length > LONGEST_CELL
    ? cell
    : withoutInvisible(unguarded(/^="([^"]*)"$/.exec(cell)?.[1] ?? cell)).trim();

/** A function that computes each value once: of a line with hundreds of columns, each is compared with many others. */
function memoised<T>(compute: (index: number) => T): (index: number) => T {
  const known = new Map<number, T>();
  return (index) => known.getOrInsertComputed(index, compute);
}
