import { asTyped } from '../../../shared/phone-number/as-typed.ts';
import { isFiller } from '../../../shared/phone-number/number-words.ts';
import { timesIn } from '../../../shared/phone-number/times.ts';
import { Refusal } from '../../kit/refusal.ts';
import { columns } from '../customer-fields.ts';
import { LONGEST_QUOTED, type Quote, type Row, rowsOf } from './cells.ts';
import { type Meaning, meaningOf } from './header-words.ts';
import { joinedRows } from './open-quotes.ts';
import { sampleRows } from './sample-rows.ts';

/** A table as somebody's program or spreadsheet wrote it. */
export type Table = {
  /** What the first line calls each column; '' for each if the table has no such line. */
  readonly header: readonly string[];
  /** Whether none of these cells surely names a column, so that the line may be a customer. */
  readonly isHeaderUnknown: boolean;
  /** How many lines are above the header, or above the first line without one: titles and the like. */
  readonly above: number;
  /** Lines from everywhere below the header. */
  readonly sample: readonly (readonly string[])[];
  /** All lines below the header, and some without cells. @throws Refusal once they are too many */
  rows(): Iterable<TableRow>;
};

/** `joins`: the lines of the file that a quote which is never closed makes one row of. */
export type TableRow = Pick<Row, 'line' | 'cells'> & { readonly joins?: number };

/** What columns can be separated by; of two that fit equally well, the first: commas are part of texts. */
const delimiters = ['\t', ';', '|', ','] as const;

/** For a table of one column. */
const NONE = '\0';

/** Columns that a table may have: each costs time in each line. */
const MAX_TABLE_COLUMNS = 500;

/** Lines that a table may have that somebody sends: each costs memory until all are joined to customers. */
export const MAX_TABLE_LINES = 1_000_000;

/** Lines that are looked at, how much of the file at most, and how many of their cells, which cost most. */
const [SAMPLE_LINES, SAMPLE_CHARACTERS, SAMPLE_CELLS] = [100, 256 * 1024, 20_000];
/** Characters of a cell that are. */
const LONGEST_LOOKED_AT = 500;
/** Lines that may be above the header. */
const MAX_ABOVE = 10;

/** @throws Refusal if it has too many columns, before they are looked at */
export function readTable(text: string, mostLines = Number.POSITIVE_INFINITY): Table {
  const start = /^\ufeff?(?:"?sep=(?<separator>[\t ,;|:~#&])"?[^\S\r\n]*(?:\r\n|\r|\n|$))?/.exec(text);
  const body = text.slice(start?.[0].length);
  const firstLine = start?.groups?.separator ? 2 : 1;
  const beginning = body.slice(0, SAMPLE_CHARACTERS);
  const isQuoted = hasQuotedLines(beginning);
  const head = isQuoted ? Array.from(quotedLines(beginning), ({ text }) => text).join('\n') : beginning;
  const delimiter = start?.groups?.separator ?? delimiterOf(head);
  const plain = firstRows(head, delimiter);
  const few = withFewCells(plain);
  const quote = head.includes("'") ? quoteOf(few) : '"';
  const rows = quote === '"' ? plain : firstRows(head, delimiter, quote);
  refuseColumns(usualWidth(rows).width);
  const first = rows === plain ? few : withFewCells(rows);
  const { header, begin } = findHeader(first);
  refuseColumns(rows.find(({ line }) => line === header?.line)?.cells.length ?? 0);
  const width = header?.cells.length ?? Math.max(0, ...first.map(({ cells }) => cells.length));
  const below = first.slice(header ? begin + 1 : begin);
  const usual = usualWidth(below).width;
  const looksJoined = joinedRows(below, { delimiter, width: Math.min(width, usual) });
  const isJoined = (row: Row) => looksJoined(row, row.line === first[0]?.line);
  const skipped = header && !isJoined(header) ? begin + 1 : begin;
  const rowsIn = (part: string) =>
    isQuoted ? rowsOfQuotedLines(part, delimiter, quote) : rowsOf(part, delimiter, { quote });
  const sample = sampleRows(body, {
    rowsIn,
    first: below.filter((row) => !isJoined(row)),
    skipped,
    width: usual,
    isJoined,
  });
  return {
    header: header?.cells ?? Array.from({ length: width }, () => ''),
    isHeaderUnknown: header !== undefined && !namesColumns(header.cells),
    above: begin,
    sample: sample.map(({ cells }) => cells.slice(0, MAX_TABLE_COLUMNS + 1).map(beginningOf)),
    *rows() {
      let at = 0;
      for (const row of rowsIn(body)) {
        const { line, cells, written = [] } = row;
        if (cells.length > 0) at += 1;
        if (at > mostLines) throw new Refusal(422, (errors) => errors.tooManyLines);
        if (at <= skipped && cells.length > 0) continue;
        const isOne = cells.length > 0 && isJoined(row);
        yield { line: line + firstLine - 1, cells, ...(isOne && { joins: written.length }) };
      }
    },
  };
}

/** A table that was opened as one column and saved again has each of its lines in quotes. */
function hasQuotedLines(beginning: string): boolean {
  const isQuoted = (line: string) => /^"(?:[^"]|"")*"$/.test(line);
  const some = beginning.split(/\r\n|\r|\n/, SAMPLE_LINES).filter(Boolean);
  return some.some((line) => /[\t;|,]/.test(line)) && some.every(isQuoted);
}

const inOneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .join(' ');

/** Each line without its quotes; '' stands for many that are blank. */
function* quotedLines(text: string): Generator<{ line: number; text: string }> {
  for (const { line, cells } of rowsOf(text, NONE, { longest: LONGEST_QUOTED }))
    yield { line, text: inOneLine(cells[0] ?? '') };
}

function* rowsOfQuotedLines(body: string, delimiter: string, quote: Quote): Generator<Row> {
  for (const { line, text } of quotedLines(body))
    if (text === '') yield { line, cells: [] };
    else for (const row of rowsOf(text, delimiter, { quote })) yield { ...row, line };
}

/** What is looked at of a cell, so that a long one takes no more time: no header, key or number is longer. */
const beginningOf = (cell: string): string => cell.slice(0, LONGEST_LOOKED_AT);

function firstRows(text: string, delimiter: string, quote: Quote = '"'): Row[] {
  const rows: Row[] = [];
  for (const row of rowsOf(text, delimiter, { quote }))
    if (row.cells.length > 0 && rows.push({ ...row, cells: row.cells.map(beginningOf) }) === SAMPLE_LINES)
      break;
  return rows;
}

function refuseColumns(width: number): void {
  if (width > MAX_TABLE_COLUMNS)
    throw new Refusal(422, (errors) => errors.tooManyColumns(width, MAX_TABLE_COLUMNS));
}

/** The first of the rows and of their cells: a few lines of many cells may be among others. */
function withFewCells(rows: readonly Row[]): Row[] {
  let left = SAMPLE_CELLS;
  return rows.flatMap((row) => {
    if (left <= 0) return [];
    const cells = row.cells.slice(0, MAX_TABLE_COLUMNS + 1);
    left -= cells.length;
    return [{ ...row, cells }];
  });
}

/** What cells are in, if they are in quotes: single ones in exports of some databases. `rows`: read with double ones. */
function quoteOf(rows: readonly Row[]): Quote {
  const below = rows.length > 1 ? rows.slice(1) : rows;
  const texts = below.flatMap(({ cells }) => cells.filter((cell) => !/^(?:[\d.,-]*|NULL)$/.test(cell)));
  const single = texts.filter((cell) => /^'.*'$/s.test(cell));
  return single.length > 0 && single.length >= texts.length / 2 ? "'" : '"';
}

/** The delimiter that gives lines with equally many cells, beginning with the first that has more than one. */
function delimiterOf(text: string): string {
  const tried = delimiters.map((delimiter) => {
    const rows = firstRows(text, delimiter);
    return { delimiter, rows, ...usualWidth(rows) };
  });
  const first = tried.map(({ rows }) => rows[0]?.cells ?? []);
  const [only = ''] = first[0] ?? [];
  // One column, in whose cells there may be anything.
  if (first.every(({ length }) => length === 1) && ['numbers', 'reference'].includes(meaningOf(only)))
    return NONE;
  const leads = tried.map(({ rows }) => rows.find(({ cells }) => cells.length > 1)?.line ?? Infinity);
  const lead = Math.min(...leads);
  const fits = ({ rows, width, share }: (typeof tried)[number]) => {
    if (width < 2) return -1;
    const isLead = rows.find(({ line }) => line === lead)?.cells.length === width;
    return share + (isLead ? 1 : 0);
  };
  const [best] = tried.toSorted((a, b) => fits(b) - fits(a));
  return best !== undefined && best.width > 1 ? best.delimiter : NONE;
}

/** How many cells most lines have, and the share of these lines. */
function usualWidth(rows: readonly Row[]): { width: number; share: number } {
  const sizes = [...Map.groupBy(rows, ({ cells }) => cells.length)].map(
    ([width, { length }]) => [width, length] as const,
  );
  const [usual] = sizes.toSorted(([width, times], [other, ofOther]) => ofOther - times || other - width);
  return usual ? { width: usual[0], share: usual[1] / rows.length } : { width: 0, share: 0 };
}

/**
 * The line that names the columns: of those above the first line with a number or a date, the one with the most words
 * that headers have; without any, the first as wide as the table. A title may have a date, too. It does not
 * stand below a line that fills as many cells and has such words, too: that may be the header, and this a customer. A table
 * may have none.
 */
function findHeader(rows: readonly Row[]): { header: Row | undefined; begin: number } {
  const { width } = usualWidth(rows);
  const filled = rows.map(({ cells }) => cells.filter(Boolean));
  const isWide = (cells: readonly string[]) => cells.length >= Math.min(2, width);
  const firstData = filled.findIndex(hasData);
  const known: number[] = [];
  for (const [at, row] of rows.slice(0, MAX_ABOVE + 1).entries()) {
    const cells = filled[at] ?? [];
    const count = hasData(cells) ? 0 : cells.filter((cell) => meaningOf(cell) !== 'unknown').length;
    const isAbove = firstData < 0 || at < firstData;
    const stands = rows.slice(0, at).every((above, index) => {
      if (above.cells.length !== width || (filled[index]?.length ?? 0) < cells.length) return true;
      const words = known[index] ?? 0;
      return isAbove && words < Math.max(count, 1) && !above.cells.some(isTelephone);
    });
    const isCustomer = isPerson(row, rows) || (!namesColumns(cells) && lacksData(row, rows));
    const isHeader = stands && (isAbove || (count > 1 && row.cells.length === width)) && !isCustomer;
    known.push(isHeader ? count : 0);
  }
  const most = Math.max(0, ...known);
  const begin = most > 0 ? known.indexOf(most) : unknownHeader();
  if (begin >= 0) return { header: rows[begin], begin };
  return { header: undefined, begin: Math.max(0, filled.findIndex(isWide)) };

  function unknownHeader(): number {
    const at = filled
      .slice(0, firstData < 0 ? known.length : Math.min(firstData, known.length))
      .findIndex((cells) => isWide(cells) && cells.every((cell) => /\p{L}/u.test(cell)));
    const row = rows[at];
    return row === undefined || isPerson(row, rows) || lacksData(row, rows) ? -1 : at;
  }
}

/** Whether one of these cells is what columns are called; `Telefon Meier GmbH` and `Rue de Lyon` may be, but not surely. */
const namesColumns = (cells: readonly string[]): boolean => cells.some((cell) => isSure(meaningOf(cell)));
const isSure = (meaning: Meaning) => !['unknown', 'perhaps-numbers', 'alias', 'none'].includes(meaning);

/**
 * Whether a line has a cell that says nothing, or that other lines have in the same column, too. Not a line that names columns
 * of two kinds, such as `No.` and `Name`.
 */
function isPerson({ line, cells }: Row, rows: readonly Row[]): boolean {
  // `blocked` is one of ours, and what stands for a withheld number elsewhere.
  if (cells.every((cell) => cell === '' || columns.some((name) => name === cell.toLowerCase()))) return false;
  const others = rows.filter((row) => row.line !== line && row.cells.join('\0') !== cells.join('\0'));
  const saysNoHeader = cells.some(
    (cell, column) =>
      /\p{L}.*\p{L}/u.test(cell) &&
      (isFiller(cell) ||
        (meaningOf(cell) === 'unknown' && others.some((other) => other.cells[column] === cell))),
  );
  return saysNoHeader && new Set(cells.map(meaningOf).filter(isSure)).size < 2;
}

/** Whether a line has nothing where others have numbers. */
const lacksData = ({ cells }: Row, rows: readonly Row[]): boolean =>
  cells.some((cell, column) => cell === '' && rows.some((row) => isData(row.cells[column] ?? '')));

const isTelephone = (cell: string): boolean => meaningOf(cell) === 'numbers';

const hasData = (cells: readonly string[]): boolean =>
  cells.some((cell) => isData(cell) || holdsNumber(cell));

/** `Tel. 030 901820`, `Ann: +4930901820`; not the dates and years of titles, nor lines that an open quote has joined. */
function holdsNumber(cell: string): boolean {
  const [line = ''] = asTyped(cell).split('\n');
  const runs = timesIn(line).rest.match(/\+?\d(?:[\s()./-]*\d){5,}/g) ?? [];
  return runs.some((run) => /^[+0]/.test(run) || isTelephone(cell));
}

/** A cell that is nothing that a column is called: a number, a date, an address. */
const isData = (cell: string): boolean =>
  /^[+(]?\d[\d\s()./-]{4,}$|^[^\s@]+@[^\s@.]+\.[^\s@]+$|^\+\d/.test(asTyped(cell));
