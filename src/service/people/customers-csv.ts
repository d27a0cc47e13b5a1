import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { phoneNumber } from '../../shared/api/contract/phone-number.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { given } from '../kit/administration.ts';
import { csvLines, unguarded } from '../kit/csv.ts';
import { errorText } from '../kit/form.ts';
import { line } from '../kit/text.ts';
import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';
import {
  type CustomerChange,
  type CustomerField,
  columns,
  customerFields,
  eachText,
  fieldText,
} from './customer-fields.ts';
import type { CustomerRefusal, CustomerStore } from './customer-store.ts';
import { type Refused, refusals } from './import-refusals.ts';

/** Which of our columns each column of a table is; '' for none. Several can be the same: texts are joined, numbers added. */
export type Mapping = readonly (CustomerField | '')[];

/** How a table is read: in the country of its numbers, with errors in the words of a language. */
export type Reading = { readonly country: string | null; readonly mapping?: Mapping; readonly words?: Words };

/** The texts of a form or a table. */
export const textSchemas = eachText((name) => line(name, { blank: name !== 'name' }).optional());

const numberSchema = phoneNumber('numbers');

/** The numbers in a text as they are written, and the first that is none. */
export function numbersIn(text: string, separator: RegExp) {
  const numbers = text
    .split(separator)
    .map((number) => number.trim())
    .filter(Boolean);
  return { numbers, invalid: numbers.find((number) => !numberSchema.safeParse(number).success) };
}

const texts = z.object({
  reference: line('reference'),
  ...textSchemas,
  segment: line('segment', { blank: true }).optional(),
});

const BATCH = 500;
/** A longer line is taken for a quote that is never closed. */
const LINE_CHARACTERS = 65_536;
/** Some milliseconds of reading. */
const PIECE_BYTES = 4_096;
type ImportReport = {
  readonly imported: number;
  readonly refused: number;
  readonly errors: readonly Refused[];
};

/** The priority of a segment that an import creates: as that of callers without one, until somebody decides. */
export const NEW_PRIORITY = 0;

/** The file is not a table of customers; nothing after this point was imported. */
export class BadTable extends Error {}

/** Adds or changes customers by reference. Lines with an error are reported, the others are imported. */
export async function importCustomers(
  input: Readable,
  {
    customers,
    account,
    createSegments = false,
    progress = () => {},
    signal,
    ...reading
  }: {
    customers: CustomerStore;
    account: number;
    /** Told how many customers are stored, after each batch. */
    progress?: (imported: number) => void;
    /** Ends it before the next batch. */
    signal?: AbortSignal;
    /** Whether segments that do not exist are created. */
    createSegments?: boolean;
  } & Reading,
): Promise<ImportReport> {
  const refused = refusals();
  let imported = 0;
  let batch: { line: number; customer: CustomerChange }[] = [];
  const store = async () => {
    signal?.throwIfAborted();
    const outcomes = await customers.put(
      account,
      batch.map(({ customer }) => customer),
    );
    outcomes.forEach((outcome, index) => {
      if (outcome === null) imported += 1;
      else refused.add(batch[index]?.line ?? 0, refusalText(outcome, reading.words?.customers));
    });
    batch = [];
    progress(imported);
  };

  const lines = readCustomers(input, reading);
  // Nothing is stored before it is known how many segments there would be.
  const read = createSegments ? await Array.fromAsync(lines) : lines;
  if (Array.isArray(read)) {
    const named = read.map(({ customer }) => (typeof customer === 'string' ? null : customer.segment));
    await customers.addSegments(account, named.filter(Boolean) as string[], NEW_PRIORITY);
  }
  for await (const { line, customer } of read) {
    if (typeof customer === 'string') refused.add(line, customer);
    else if (batch.push({ line, customer }) === BATCH) await store();
  }
  await store();
  return { imported, ...refused.result() };
}

/** An import in words. */
export const importSummary = ({ imported, refused }: ImportReport) =>
  `${imported} imported, ${refused} refused`;

/** Reads a table line by line: each customer, or the error in its line. */
export async function* readCustomers(
  input: Readable,
  { country, mapping, words = en }: Reading,
): AsyncGenerator<{ line: number; customer: CustomerChange | string }> {
  const turn = takeTurns();
  for await (const { line, row } of rowsOf(input, mapping)) {
    await turn();
    yield {
      line,
      customer: row === null ? words.importing.columnsDiffer : customerOf(row, country, words),
    };
  }
}

const anyTable = { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;

const asBadTable = (error: unknown) =>
  error instanceof CsvError ? new BadTable(error.message, { cause: error }) : error;

/** The first lines of a table, cell by cell: its header and an example. */
export function firstLines(table: string): [header: string[], example: string[]] {
  try {
    const delimiter = delimiterIn(table.split('\n', 1)[0] ?? '');
    const [header = [], example = []] = parseAtOnce(table, { ...anyTable, delimiter, to: 2 });
    return [header, example];
  } catch (error) {
    throw asBadTable(error);
  }
}

/** What the header of somebody's own table probably means. Most headers with a name in them mean something else. */
export const guessMapping = (header: readonly string[]): Mapping =>
  header.map((cell) => {
    const means = (name: CustomerField) => customerFields[name].header.test(cell.trim().toLowerCase());
    return columns.find((name) => name !== 'name' && means(name)) ?? (means('name') ? 'name' : '');
  });

/** The cells of a line; without those whose column the table does not have. */
type Row = Partial<Record<CustomerField, string>>;

/** Whether a table with these columns says which customers it is about. */
export const namesCustomers = (names: readonly string[]): boolean =>
  names.includes('reference') || names.includes('numbers');

/** The columns that the header names exactly. */
function exactMapping(header: readonly string[]): Mapping {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!namesCustomers(names))
    throw new BadTable(
      `The first line must name the columns: ${columns.join(',')}. Only reference or numbers must be there.`,
    );
  return names.map((name) => columns.find((column) => column === name) ?? '');
}

async function* rowsOf(
  input: Readable,
  mapping: Mapping | undefined,
): AsyncGenerator<{ line: number; row: Row | null }> {
  const { delimiter, all } = await sniff(input);
  const parser = parse({
    ...anyTable,
    // A name for each column, so that two of a kind are both kept.
    columns: (header: string[]) => {
      const meaning = mapping ?? exactMapping(header);
      return header.map((_, index) => `${meaning[index] ?? ''} ${index}`);
    },
    delimiter,
    info: true,
    max_record_size: LINE_CHARACTERS,
  });
  try {
    for await (const { info, record } of Readable.from(all).compose(parser)) {
      yield { line: info.lines, row: info.error === undefined ? joined(record) : null };
    }
  } catch (error) {
    throw asBadTable(error);
  }
}

/** Of several columns of one kind: texts with a blank between them, numbers as a list. */
function joined(record: Readonly<Record<string, string>>): Row {
  const row: Row = {};
  for (const [key, value] of Object.entries(record)) {
    const column = columns.find((name) => key.startsWith(`${name} `));
    if (column === undefined) continue;
    const separator = column === 'numbers' ? '|' : ' ';
    row[column] = [row[column], value].filter(Boolean).join(separator);
  }
  return row;
}

/** The parser reads each piece at once. */
function* pieces(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}

const delimiterIn = (header: string) => /[,;\t]/.exec(header)?.[0] ?? ',';

/** The first separator in the header line. `all` is the whole input. */
async function sniff(input: Readable): Promise<{ delimiter: string; all: AsyncGenerator<Buffer> }> {
  const chunks = input[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!head.includes('\n') && head.length < 4096) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, Buffer.from(value)]);
  }
  const end = head.indexOf('\n');
  const delimiter = delimiterIn(head.toString('latin1', 0, end < 0 ? head.length : end));
  async function* all() {
    yield* pieces(head);
    for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) yield* pieces(Buffer.from(chunk));
  }
  return { delimiter, all: all() };
}

/** What the row says of a customer, or the error in it. */
function customerOf(row: Row, country: string | null, words: Words): CustomerChange | string {
  const { importing: text, formErrors } = words;
  const cell = (column: CustomerField) => row[column] && unguarded(row[column]).trim();
  const written = numbersIn(cell('numbers') ?? '', /[|;]/);
  if (written.invalid !== undefined)
    return words.formErrors.notANumber(written.invalid.slice(0, limits.numberLength).toWellFormed());
  const numbers = [...new Set(written.numbers.map((number) => normaliseNumber(number, country)))];
  const reference = cell('reference') || numbers[0];
  if (reference === undefined) return text.nothing;
  const name = cell('name') === '' ? reference : cell('name');
  const read = texts.safeParse({ reference, ...eachText(cell), name, segment: cell('segment') });
  const [issue] = read.error?.issues ?? [];
  // The API's words name the field.
  if (issue) return words === en ? issue.message : errorText(issue, formErrors);
  if (!read.success) return '';
  const segment = read.data.segment === '' ? null : read.data.segment;
  return given({ ...read.data, segment, numbers: row.numbers === undefined ? undefined : numbers });
}

export function refusalText(
  refusal: CustomerRefusal,
  { noSuchSegment, numberTaken, referenceTaken }: Words['customers'] = en.customers,
): string {
  if (refusal.reason === 'no-such-segment') return noSuchSegment(refusal.segment);
  if (refusal.reason === 'reference-taken') return referenceTaken;
  return numberTaken(refusal.number, refusal.by);
}

/** The account's customers as such a table, chunk by chunk. */
export async function* exportCustomers(customers: CustomerStore, account: number): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const chunk of customers.all(account)) {
    yield csvLines(chunk.map((customer) => columns.map((name) => fieldText(customer, name, '|'))));
  }
}

/** How long one piece of work may block the thread, ms: other requests wait for a few of them. */
const PIECE_MS = 4;

let last: Promise<void> = Promise.resolve();

/**
 * To be awaited often during long work: every few milliseconds it lets other work run. All long work of the process
 * does one piece per turn of the event loop.
 */
export function takeTurns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < PIECE_MS) return undefined;
    last = last
      .then(() => nextTurn())
      .then(() => {
        began = performance.now();
      });
    return last;
  };
}
