import { z } from 'zod';
import { countryOf } from '../../../shared/phone-number/country-names.ts';
import { isFiller } from '../../../shared/phone-number/number-words.ts';
import { readNumbers } from '../../../shared/phone-number/read-numbers.ts';
import { createPause, pieces } from '../../kit/event-loop-pauses.ts';
import { errorText } from '../../kit/form.ts';
import { line as lineOfText } from '../../kit/text.ts';
import { plainText } from '../../rules/plain-text.ts';
import { en } from '../../words/en.ts';
import type { Words } from '../../words/words.ts';
import { eachStored } from '../customer-fields.ts';
import { type LineReports, refusals } from '../import-refusals.ts';
import { isLost, isLostText, isNoReference, isRounded } from './blank-cells.ts';
import { leftOutTelephones, type Mapping } from './choose-columns.ts';
import type { ImportedCustomer, Line } from './imported-customer.ts';
import { joinLines } from './join-lines.ts';
import { type FindCustomers, type KnownCustomers, readKnown } from './known-customers.ts';
import { withKnownLetters } from './lost-letters.ts';
import { allCells, type NumbersOfCell, withKnownPlus, withPlus } from './lost-plus.ts';
import { type FieldsOfRow, type NumberCell, nameOfColumn, rowReader } from './read-row.ts';
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

/**
 * A line, what usually says that there is no reference, if that stands there, and its cells if one may lack a plus or has
 * something that is left out.
 */
type RawLine = Line & { readonly placeholder: string; readonly cells: readonly NumbersOfCell[] };

/** `refused`: why the line is not taken; `reference`: which customer it may be about. */
type ReadLine = { readonly taken: RawLine } | { readonly refused: string; readonly reference?: string };

/** In digits. A number without its area code, and what is no amount. */
const SHORTEST_LOCAL = 6;

const optional = (field: string) => lineOfText(field, { blank: true }).optional();
const schema = z.object({
  reference: optional('reference'),
  ...eachStored(optional),
  segment: optional('segment'),
});

/** Reads all lines of a table, and finds out which customers they are about (see joinLines). */
export async function readCustomers(table: Table, reading: Reading): Promise<ReadCustomers> {
  const { words = en, find } = reading;
  const reports: LineReports = {
    refused: refusals(),
    left: refusals(),
    unsure: refusals(),
    repeated: refusals(),
    leftOut: [],
  };
  const { lines, refusedLines } = await readLines(table, { ...reading, words }, reports);
  const placeholders = new Map<string, number>();
  for (const { placeholder } of lines)
    if (placeholder !== '') placeholders.set(placeholder, (placeholders.get(placeholder) ?? 0) + 1);
  const known = await readKnown(find, referencesIn(lines, placeholders.keys()), numbersIn(lines));
  /**
   * Whether a text that usually says that there is no reference is one here: a customer of the account has it, and one line of
   * the table, as in our own export. In a list in which several lines have it, it says what it usually says.
   */
  const isReference = (placeholder: string) =>
    known.byReference.has(placeholder) && placeholders.get(placeholder) === 1;
  const referred: Line[] = [];
  for await (const some of pieces(lines))
    referred.push(
      ...some.map((line) =>
        refer(withKnownPlus(withKnownLetters(line, known, words), known), isReference, words),
      ),
    );
  const customers = await joinLines(referred, known, reports, words);
  for await (const some of pieces(customers))
    for (const customer of some)
      if (customer.hasKey) customer.unreadLine ??= refusedLines.get(customer.reference ?? '');
  return { ...reports, known, customers };
}

/** The lines that are taken; and the line that is refused of each reference, which may have had numbers. */
async function readLines(
  table: Table,
  { mapping, country, words }: Reading & { words: Words },
  { refused, leftOut }: LineReports,
) {
  const { importing } = words;
  const lines: RawLine[] = [];
  const refusedLines = new Map<string, number>();
  const unused = leftOutTelephones(table.header, mapping, country);
  const pause = createPause();
  const rowOf = rowReader(table, mapping, importing.column);
  for (const { line, cells, joins = 0 } of table.rows()) {
    await pause();
    if (cells.length === 0) continue;
    for (let nth = 0; nth < joins; nth += 1) refused.add(line + nth, importing.openQuote);
    if (joins > 0) continue;
    if (isHeaderAgain(table.header, cells)) {
      refused.add(line, importing.headerAgain);
      continue;
    }
    unused.look(line, cells);
    const read = await readLine(line, cells, rowOf(cells), { country, words, pause });
    if ('taken' in read) lines.push(read.taken);
    else {
      refused.add(line, read.refused);
      if (read.reference !== undefined) refusedLines.set(read.reference, line);
    }
  }
  for (const { column, line, examples } of unused.found()) {
    const name = nameOfColumn(table.header, column, importing.column);
    const message = importing.telephonesLeftOut(name, [...examples]);
    leftOut.push({ column, examples, message, count: 1, lines: [line] });
  }
  return { lines, refusedLines };
}

type LineParts = {
  readonly country: string | null;
  readonly words: Words;
  readonly pause: () => Promise<void> | undefined;
};

async function readLine(
  line: number,
  cells: readonly string[],
  row: FieldsOfRow,
  parts: LineParts,
): Promise<ReadLine> {
  const { words } = parts;
  const { importing } = words;
  const { reference: ofRefused = '' } = row.fields;
  if (!row.fits) return { refused: importing.columnsDiffer, reference: ofRefused };
  const { data, error } = schema.safeParse(row.fields);
  if (!data) return { refused: issueText(error, words), reference: ofRefused };
  const { reference, segment, ...texts } = data;
  const read = await readCells(row.numbers, parts);
  const { numbers, ...doubts } = allCells(read);
  const hasNumber = numbers.some((number) => number.replace(/\D/g, '').length >= SHORTEST_LOCAL);
  if (!hasNumber && isTotal(cells)) return { refused: importing.total };
  const placeholder = isNoReference(row.written) ? row.written : '';
  const taken = {
    line,
    placeholder,
    cells: read.some(({ withPlus, leftOut }) => withPlus !== undefined || leftOut) ? read : [],
    texts,
    segment,
    ...doubts,
    lost: row.lost.map(({ column, cell }) => whyLost(column, cell, importing)),
    reference: placeholder === '' && reference ? reference : undefined,
    numbers: row.numbers.length > 0 ? numbers : undefined,
  };
  return { taken };
}

/** What a line's cells with numbers say, and what of it is left out or may mean something else. */
async function readCells(cells: readonly NumberCell[], { country, words: { importing }, pause }: LineParts) {
  const read: NumbersOfCell[] = [];
  for (const { column, cell, country: named } of cells) {
    const unread: string[] = [];
    const unsure: string[] = [];
    const own = named && countryOf(named.cell);
    if (named && !own && cell !== '' && !isFiller(named.cell))
      unsure.push(importing.unknownCountry(named.column, plainText(named.cell, 40)));
    if (isLost(cell)) unread.push(importing.lost(column, cell));
    const found = readNumbers(isLost(cell) ? '' : cell, own ?? country);
    for (const number of found.numbers) {
      if ((own ?? country) !== null && number.length >= SHORTEST_LOCAL && /^[1-9]\d*$/.test(number))
        unsure.push(importing.withoutAreaCode(column, number));
    }
    const leftOut = found.unread.map(({ text, reason }) => ({
      text,
      reason,
      said: importing.unread(column, plainText(text, 40), reason),
    }));
    unread.push(...leftOut.map(({ said }) => said));
    for (const { text, number, other } of found.unsure ?? [])
      unsure.push(importing.twoReadings(column, text, number, other));
    const { numbers } = found;
    const perhapsStored = leftOut.filter(({ reason }) => reason !== 'former');
    read.push({
      numbers,
      unread,
      unsure,
      withPlus: withPlus(cell, numbers),
      ...(perhapsStored.length > 0 && { leftOut: perhapsStored }),
    });
    // A line may have hundreds of columns with numbers.
    const others = pause();
    if (others) await others;
  }
  return read;
}

/** Why a text is not read. */
function whyLost(column: string, cell: string, { lost, onlyMarks, unreadCode }: Words['importing']): string {
  if (isLost(cell)) return lost(column, cell);
  return isLostText(cell) ? onlyMarks(column, cell) : unreadCode(column, plainText(cell, 40));
}

/** The API's words name the field. */
function issueText({ issues: [issue] }: z.ZodError, words: Words): string {
  if (issue === undefined) return '';
  return words === en ? issue.message : errorText(issue, words.formErrors);
}

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

/** A page of a printed list begins with the header once more. */
const isHeaderAgain = (header: readonly string[], cells: readonly string[]): boolean =>
  header.some(Boolean) && header.every((name, column) => name === (cells[column] ?? ''));

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

/** Says what a placeholder is: a reference, one that was lost or rounded, or none. */
function refer(
  { placeholder, ...line }: RawLine,
  isReference: (placeholder: string) => boolean,
  { importing, customers }: Words,
): Line {
  if (placeholder === '') return line;
  if (isReference(placeholder)) return { ...line, reference: placeholder };
  if (isLostText(placeholder))
    return { ...line, lost: [whyLost(customers.reference, placeholder, importing), ...line.lost] };
  if (!isRounded(placeholder)) return line;
  return { ...line, unread: [importing.unread(customers.reference, placeholder, 'rounded'), ...line.unread] };
}
