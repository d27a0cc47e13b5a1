import { z } from 'zod';
import { readNumbers } from '../../../shared/phone-number/read-numbers.ts';
import { unguarded } from '../../kit/csv.ts';
import { plainText } from '../../kit/display-text.ts';
import { errorText } from '../../kit/form.ts';
import { line as lineOfText } from '../../kit/text.ts';
import { en } from '../../words/en.ts';
import type { Words } from '../../words/words.ts';
import { type CustomerField, columns, eachText, MAX_NUMBERS, textNames } from '../customer-fields.ts';
import { type Refusals, refusals } from '../import-refusals.ts';
import { isBlank, isNoReference, isRounded } from './blank-cells.ts';
import type { Mapping } from './choose-columns.ts';
import { nameOrder } from './header-words.ts';
import { type ImportedCustomer, labelOf } from './imported-customer.ts';
import type { Table } from './table.ts';
import { takeTurns } from './take-turns.ts';

/** How a table is read: which columns, in the country of its numbers, with errors in the words of a language. */
export type Reading = {
  readonly mapping: Mapping;
  readonly country: string | null;
  readonly words?: Words | undefined;
};

export type ReadCustomers = {
  /** Each once, in the order of their first lines. */
  readonly customers: readonly ImportedCustomer[];
  /** Lines that say nothing of a customer, or something that no customer can have. */
  readonly refused: Refusals;
  /** Cells that are left out of lines that are imported. */
  readonly left: Refusals;
  /** Lines that add to the customer of an earlier line. */
  readonly repeated: Refusals;
};

/** What a table's lines came to, for a report. */
export const linesReport = ({ refused, left, repeated }: ReadCustomers) => ({
  ...{ refused: refused.count(), errors: refused.reasons() },
  ...{ left: left.count(), warnings: [...left.reasons(), ...repeated.reasons()] },
});

const optional = (field: string) => lineOfText(field, { blank: true }).optional();
const schema = z.object({
  reference: optional('reference'),
  ...eachText(optional),
  segment: optional('segment'),
});

/**
 * Reads all lines of a table. The numbers of lines with one reference add up; of its names and segments the last counts. A
 * customer without a reference gets the first of its numbers that no customer of another name has in the table.
 */
export async function readCustomers(
  table: Table,
  { mapping, country, words = en }: Reading,
): Promise<ReadCustomers> {
  const { importing, formErrors, customers: text } = words;
  const refused = refusals();
  const left = refusals();
  const byReference = new Map<string, ImportedCustomer>();
  const owners = new Map<string, ImportedCustomer>();
  const rowOf = rowReader(table.header, mapping, importing.column);
  const repeated = refusals();

  /** The error in a line, if it is not taken. */
  function take(line: number, cells: readonly string[]): string | undefined {
    const row = rowOf(cells);
    if (row === undefined) return importing.columnsDiffer;
    const { data, error } = schema.safeParse(row.fields);
    // The API's words name the field.
    const [issue] = error?.issues ?? [];
    if (issue) return words === en ? issue.message : errorText(issue, formErrors);
    const { reference: written = '', segment, ...texts } = data ?? {};
    const reference = isRounded(written) || isNoReference(written) ? '' : written;

    const found = row.numbers.map(({ column, cell }) => ({ column, ...readNumbers(cell, country) }));
    const numbers = [...new Set(found.flatMap(({ numbers }) => numbers))];
    const unread = found.flatMap(({ column, unread }) =>
      unread.map(({ text, reason }) => importing.unread(column, plainText(text, 40), reason)),
    );
    if (isRounded(written)) unread.unshift(importing.unread(text.reference, written, 'rounded'));
    const isFree = (number: string) => {
      const owner = owners.get(number);
      return owner === undefined || (owner.texts.name ?? '') === (texts.name ?? '');
    };
    const key = reference || numbers.find(isFree);
    if (key === undefined) {
      const [number] = numbers;
      const owner = number === undefined ? undefined : owners.get(number);
      return number !== undefined && owner
        ? text.numberTaken(number, labelOf(owner))
        : (unread[0] ?? importing.nothing);
    }

    const known = reference ? byReference.get(reference) : (owners.get(key) ?? byReference.get(key));
    if (known) repeated.add(line, repetition(known, texts.name));
    const customer = known ?? added(key, reference !== '');
    customer.lines.push(line);
    for (const name of textNames) {
      const value = texts[name];
      if (value !== undefined && (value !== '' || !known)) customer.texts[name] = value;
    }
    if (!known || segment) customer.segment = segment === '' ? null : segment;
    if (row.numbers.length > 0) customer.numbers ??= new Map();
    for (const message of unread) left.add(line, message);
    if (unread.length > 0) customer.isPartial = true;
    for (const number of numbers) {
      if (!owners.has(number)) owners.set(number, customer);
      if (customer.numbers?.has(number)) continue;
      if (customer.numbers?.size === MAX_NUMBERS) left.add(line, formErrors.manyNumbers);
      else customer.numbers?.set(number, line);
    }
    return undefined;
  }

  function repetition({ reference, texts, lines }: ImportedCustomer, name: string | undefined): string {
    if (!name || !texts.name || name === texts.name) return importing.repeated;
    return importing.otherName(reference, name, texts.name, lines[0] ?? 0);
  }

  function added(reference: string, hasKey: boolean): ImportedCustomer {
    const customer: ImportedCustomer = {
      ...{ reference, hasKey, lines: [], texts: {} },
      ...{ segment: undefined, numbers: undefined, isPartial: false },
    };
    byReference.set(reference, customer);
    return customer;
  }

  const turn = takeTurns();
  for (const { line, cells } of table.rows()) {
    await turn();
    const error = take(line, cells);
    if (error !== undefined) refused.add(line, error);
  }
  return { customers: [...byReference.values()], refused, left, repeated };
}

type TextColumn = Exclude<CustomerField, 'numbers'>;
type FieldsOfRow = {
  /** Those that the table has columns for. */
  readonly fields: Partial<Record<TextColumn, string>>;
  readonly numbers: readonly { readonly column: string; readonly cell: string }[];
};

/** Reads the cells of a line by the chosen columns; undefined if it does not have them, or has more than the header. */
function rowReader(
  header: readonly string[],
  mapping: Mapping,
  unnamed: (column: number) => string,
): (cells: readonly string[]) => FieldsOfRow | undefined {
  const columnsOf = (field: CustomerField) => [...mapping.keys()].filter((index) => mapping[index] === field);
  const textColumns = columns
    .filter((field) => field !== 'numbers')
    .map((field) => [field, nameOrder(header, columnsOf(field))] as const)
    .filter(([, indexes]) => indexes.length > 0);
  const numberColumns = columnsOf('numbers').map((index) => ({
    index,
    column: header[index] ? plainText(header[index], 60) : unnamed(index + 1),
    label: labelColumn(header, index),
  }));
  const width = mapping.findLastIndex((field) => field !== '') + 1;
  return (cells) => {
    if (cells.length < width || cells.slice(header.length).some(Boolean)) return undefined;
    const cell = (index: number) => asText(cells[index] ?? '');
    const textOf = (index: number) => (isBlank(cell(index)) ? '' : cell(index));
    return {
      fields: Object.fromEntries(
        textColumns.map(([field, indexes]) => [
          field,
          [...new Set(indexes.map(textOf))].filter(Boolean).join(' '),
        ]),
      ),
      numbers: numberColumns.map(({ index, column, label }) => {
        const isFax = label !== undefined && /fax/i.test(cell(label));
        return { column, cell: isFax ? asFax(cell(index)) : cell(index) };
      }),
    };
  };
}

/** The column that says what the numbers of another are for, as Google's `Phone 1 - Label` before `Phone 1 - Value`. */
function labelColumn(header: readonly string[], index: number): number | undefined {
  const [, name] = /^(.+?)\W+value$/i.exec(header[index] ?? '') ?? [];
  const [, labelled] = /^(.+?)\W+(?:label|type)$/i.exec(header[index - 1] ?? '') ?? [];
  return name !== undefined && name === labelled ? index - 1 : undefined;
}

const asFax = (cell: string) =>
  cell
    .split(':::')
    .map((number) => (number.trim() === '' ? '' : `Fax ${number.trim()}`))
    .join(' ::: ');

/** The text of a cell, without what keeps spreadsheets from reading it as a number: `'0501`, `="0501"`. */
const asText = (cell: string) => unguarded(/^="([^"]*)"$/.exec(cell)?.[1] ?? cell).trim();
