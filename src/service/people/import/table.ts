import { type Row, rowsOf } from './cells.ts';
import { meaningOf } from './header-words.ts';

/** A table as somebody's program or spreadsheet wrote it. */
export type Table = {
  /** What the first line calls each column; '' for each if the table has no such line. */
  readonly header: readonly string[];
  /** How many lines are above the header, or above the first line without one: titles and the like. */
  readonly above: number;
  /** The first lines below the header. */
  readonly sample: readonly (readonly string[])[];
  /** All lines below the header, and some without cells. */
  rows(): Iterable<Row>;
};

/** What columns can be separated by; of two that fit equally well, the first: commas are part of texts. */
const delimiters = ['\t', ';', '|', ','] as const;

/** For a table of one column. */
const NONE = '\0';

/** Lines that are looked at, and how much of the file at most. */
const [SAMPLE_LINES, SAMPLE_CHARACTERS] = [100, 256 * 1024];
/** Lines that may be above the header. */
const MAX_ABOVE = 10;

export function readTable(text: string): Table {
  const start = /^\ufeff?(?:"?sep=(?<separator>[^\r\n])"?[^\S\r\n]*(?:\r\n|\r|\n|$))?/.exec(text);
  const body = withoutQuotedLines(text.slice(start?.[0].length));
  const firstLine = start?.groups?.separator ? 2 : 1;
  const head = body.slice(0, SAMPLE_CHARACTERS);
  const delimiter = start?.groups?.separator ?? delimiterOf(head);
  const first = firstRows(head, delimiter);
  const { header, begin } = findHeader(first);
  const width = header?.cells.length ?? Math.max(0, ...first.map(({ cells }) => cells.length));
  const skipped = header ? begin + 1 : begin;
  return {
    header: header?.cells ?? Array.from({ length: width }, () => ''),
    above: begin,
    sample: first.slice(skipped).map(({ cells }) => cells),
    *rows() {
      let at = 0;
      for (const { line, cells } of rowsOf(body, delimiter)) {
        if (cells.length > 0) at += 1;
        if (at > skipped || cells.length === 0) yield { line: line + firstLine - 1, cells };
      }
    },
  };
}

/** A table that was opened as one column and saved again has each of its lines in quotes. */
function withoutQuotedLines(text: string): string {
  const isQuoted = (line: string) => /^"(?:[^"]|"")*"$/.test(line);
  const some = text
    .slice(0, SAMPLE_CHARACTERS)
    .split(/\r\n|\r|\n/, SAMPLE_LINES)
    .filter(Boolean);
  if (!some.some((line) => /[\t;|,]/.test(line)) || !some.every(isQuoted)) return text;
  const lines = Array.from(rowsOf(text, NONE), ({ cells: [line = ''] }) => line);
  return lines.map((line) => line.replace(/\s*[\r\n]+\s*/g, ' ')).join('\n');
}

function firstRows(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  for (const row of rowsOf(text, delimiter))
    if (row.cells.length > 0 && rows.push(row) === SAMPLE_LINES) break;
  return rows;
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
 * that headers have; without any, the first as wide as the table. A title may have a date, too: below
 * one, the header is as wide as the table and fills more cells than each line above it that is. A table may have none.
 */
function findHeader(rows: readonly Row[]): { header: Row | undefined; begin: number } {
  const { width } = usualWidth(rows);
  const filled = rows.map(({ cells }) => cells.filter(Boolean));
  const isWide = (cells: readonly string[]) => cells.length >= Math.min(2, width);
  const firstData = filled.findIndex((cells) => cells.some((cell) => data.test(cell)));
  const known = filled.slice(0, MAX_ABOVE + 1).map((cells, at) => {
    if (cells.some((cell) => data.test(cell))) return 0;
    const count = cells.filter((cell) => meaningOf(cell) !== 'unknown').length;
    const isAbove = firstData < 0 || at < firstData;
    const stands = rows
      .slice(0, at)
      .every((row, above) => row.cells.length !== width || (filled[above]?.length ?? 0) < cells.length);
    return isAbove || (count > 1 && stands && rows[at]?.cells.length === width) ? count : 0;
  });
  const most = Math.max(0, ...known);
  const begin =
    most > 0
      ? known.indexOf(most)
      : filled
          .slice(0, firstData < 0 ? known.length : Math.min(firstData, known.length))
          .findIndex((cells) => isWide(cells) && cells.every((cell) => /\p{L}/u.test(cell)));
  if (begin >= 0) return { header: rows[begin], begin };
  return { header: undefined, begin: Math.max(0, filled.findIndex(isWide)) };
}

/** A cell that is nothing that a column is called: a number, a date, an address. */
const data = /^[+(]?\d[\d\s()./–-]{4,}$|^\S+@\S+\.\S+$|^\+\d/;
